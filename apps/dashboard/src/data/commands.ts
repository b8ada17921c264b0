/** The commands of the palette: pages add theirs while they are shown. */
import { useEffect, useSyncExternalStore } from 'react';

export interface Command {
  /** Unique among all commands: `terminals.create`. */
  id: string;
  name: string;
  /** Other words by which it is found. */
  words?: string;
  /** Keys that are shown next to it; the page itself handles them. */
  keys?: string;
  /** Why it cannot be done now; it is shown with this and does nothing. */
  whyNot?: string | undefined;
  /** It comes before all others. */
  isFirst?: boolean;
  run: () => void;
}

let sources: readonly (readonly Command[])[] = [];
let all: readonly Command[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly (readonly Command[])[]): void => {
  sources = next;
  all = sources.flat().toSorted((a, b) => Number(b.isFirst ?? false) - Number(a.isFirst ?? false));
  for (const listener of listeners) listener();
};

/** Offers commands while the component is shown. Pass the same array when nothing has changed (`useMemo`). */
export const useCommands = (commands: readonly Command[]): void => {
  useEffect(() => {
    set([...sources, commands]);
    return () => set(sources.filter((source) => source !== commands));
  }, [commands]);
};

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useAllCommands = (): readonly Command[] => useSyncExternalStore(watch, () => all);
