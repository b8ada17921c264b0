/**
 * The columns of the list that a person can choose, in their order. The choice is kept in the browser: it is about this
 * screen, and no part of a link.
 */
import { useSyncExternalStore } from 'react';

export const columnNames = [
  'screenshot',
  'server',
  'region',
  'equity',
  'today',
  'drawdown',
  'profit',
  'positions',
  'balance',
  'ping',
  'day',
  'trading',
  'memory',
] as const;
export type ColumnName = (typeof columnNames)[number];

/** How a column is aligned, and from which width on there is room for it. */
export const columnClasses: Record<ColumnName, string | undefined> = {
  screenshot: undefined,
  server: 'col-server from-full',
  region: 'from-full',
  equity: 'num',
  today: 'num',
  drawdown: 'num from-wide',
  profit: 'num from-wide',
  positions: 'num from-desk',
  balance: 'num from-wide',
  ping: 'num from-desk',
  day: 'col-day from-full',
  trading: undefined,
  memory: 'num from-full',
};

/** Where it is in the card of a phone. */
export const cardPlaces: Record<ColumnName, string | undefined> = {
  screenshot: 'screenshot',
  server: 'below',
  region: undefined,
  equity: 'equity',
  today: 'today',
  drawdown: undefined,
  profit: undefined,
  positions: undefined,
  balance: undefined,
  ping: 'ping',
  day: 'day',
  trading: 'trading',
  memory: undefined,
};

const usual: readonly ColumnName[] = [
  'screenshot',
  'server',
  'equity',
  'today',
  'drawdown',
  'positions',
  'ping',
  'trading',
];

const STORED = 'berth-terminal-columns';

/** What is stored, without what is no column (any more); nothing that is known: the usual ones. */
export const toColumns = (stored: string | null): readonly ColumnName[] => {
  if (stored === null) return usual;
  const names = stored.split(',');
  return columnNames.filter((name) => names.includes(name));
};

const read = (): readonly ColumnName[] => {
  try {
    return toColumns(localStorage.getItem(STORED));
  } catch {
    return usual;
  }
};

let chosen = read();
const listeners = new Set<() => void>();

const set = (next: readonly ColumnName[]): void => {
  chosen = next;
  try {
    if (next === usual) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, next.join());
  } catch {
    // Where storage is not allowed, the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
};

export const switchColumn = (name: ColumnName, isShown: boolean): void =>
  set(columnNames.filter((one) => (one === name ? isShown : chosen.includes(one))));

export const resetColumns = (): void => set(usual);

addEventListener('storage', ({ key }) => {
  if (key !== STORED && key !== null) return;
  chosen = read();
  for (const listener of listeners) listener();
});

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useColumns = (): readonly ColumnName[] => useSyncExternalStore(watch, () => chosen);
