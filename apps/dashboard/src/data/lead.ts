/**
 * What a button elsewhere on the page leads to. It may be below the fold, on a tab that is still loading: what is asked
 * for answers once it is there.
 */
import { useEffect, useEffectEvent, type RefObject } from 'react';

export const logSources = ['experts', 'journal'] as const;
export type LogSource = (typeof logSources)[number];

export type Asked = 'login' | 'servers' | LogSource;

let asked: Asked | undefined;
const listeners = new Set<() => void>();

export const ask = (what: Asked): void => {
  asked = what;
  for (const listener of listeners) listener();
};

/** Calls the function once each time that this is asked for. */
export const useLead = (what: Asked, answer: () => void): void => {
  const take = useEffectEvent(() => {
    if (asked !== what) return;
    asked = undefined;
    answer();
  });
  useEffect(() => {
    const listener = (): void => take();
    listener();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
};

/** Scrolls to a form that is asked for, and focuses its first empty field. */
export const useLeadForm = (what: Asked, form: RefObject<HTMLFormElement | null>): void =>
  useLead(what, () => {
    const fields = [...(form.current?.querySelectorAll('input') ?? [])];
    form.current?.scrollIntoView({ block: 'center' });
    (fields.find(({ value }) => value === '') ?? fields[0])?.focus({ preventScroll: true });
  });
