/** What the command palette offers: pages bring their commands along while they are shown. */
import { useEffect, useSyncExternalStore } from 'react';

export interface Command {
  /** Unlike that of any other command: `terminals.create`. */
  id: string;
  name: string;
  /** Other words by which it is found. */
  words?: string;
  /** Keys that are shown beside it; the page itself listens to them. */
  keys?: string;
  /** Why it cannot be done now; it is shown with this and does nothing. */
  whyNot?: string | undefined;
  run: () => void;
}

let sources: readonly (readonly Command[])[] = [];
let all: readonly Command[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly (readonly Command[])[]): void => {
  sources = next;
  all = sources.flat();
  for (const listener of listeners) listener();
};

/**
 * Offers commands while the component is shown. Give it the same array again when nothing changed (`useMemo`).
 */
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
