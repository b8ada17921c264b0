import { useEffect, type RefObject } from 'react';
import { isShortcut } from './shortcut.ts';

/** Rows that lead somewhere. */
const listRows = (list: HTMLElement): HTMLElement[] =>
  [...list.querySelectorAll('tbody tr')].filter(
    (row): row is HTMLElement => row instanceof HTMLElement && row.querySelector('a, button') !== null,
  );

/** Of several tables on a page, the one with the focus; else the first. */
const isMeant = (list: HTMLElement): boolean => {
  const table = document.activeElement?.closest('.table') ?? document.querySelector('.table');
  return list.contains(table);
};

const move = (rows: readonly HTMLElement[], current: number, step: 1 | -1): void => {
  const next = rows[current === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, current + step))];
  next?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
};

/** In a list, J and K move to the next and the previous row, and X selects it; Enter follows the link that has the focus. */
export const useRowKeys = (list: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = ['j', 'k', 'x'].find((one) => isShortcut(event, one));
      if (key === undefined || !list.current || !isMeant(list.current)) return;
      const rows = listRows(list.current);
      const current = rows.findIndex((row) => row.contains(document.activeElement));
      if (key === 'x') rows[current]?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
      else move(rows, current, key === 'j' ? 1 : -1);
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
};
