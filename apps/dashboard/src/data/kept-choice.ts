/** A choice about how something is shown, kept in the browser: it is about this screen, and no part of a link. */
import { useSyncExternalStore } from 'react';

export interface KeptChoice<Value> {
  get: () => Value;
  /** @param value undefined: the usual one */
  set: (value: Value | undefined) => void;
  use: () => Value;
}

interface Form<Value> {
  /** Undefined: nothing is kept. Returns the usual value for it, and for what is none (any more). */
  parse: (text: string | undefined) => Value;
  format: (value: Value) => string;
}

export const keepChoice = <Value>(name: string, { parse, format }: Form<Value>): KeptChoice<Value> => {
  const read = (): Value => {
    try {
      return parse(localStorage.getItem(name) ?? undefined);
    } catch {
      return parse(undefined);
    }
  };
  const listeners = new Set<() => void>();
  let value = read();
  const show = (next: Value): void => {
    value = next;
    for (const listener of listeners) listener();
  };
  addEventListener('storage', ({ key }) => {
    if (key === name || key === null) show(read());
  });
  const watch = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const get = (): Value => value;
  return {
    get,
    set: (next) => {
      try {
        if (next === undefined) localStorage.removeItem(name);
        else localStorage.setItem(name, format(next));
      } catch {
        // Where storage is not allowed, the choice lasts as long as the page.
      }
      show(next ?? parse(undefined));
    },
    use: () => useSyncExternalStore(watch, get),
  };
};
