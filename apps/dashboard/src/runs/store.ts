/** All runs of this tab, the newest last. What is over and was seen goes first when there are too many. */
import { useSyncExternalStore } from 'react';
import { isOver, type Run, type RunItem } from './run.ts';

const MAX_RUNS = 5;
/** What changes in a burst is drawn once. */
const DRAW_MS = 100;

let runs: readonly Run[] = [];
let lastId = 0;
let shownId: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const draw = (): void => {
  timer = undefined;
  for (const listener of listeners) listener();
};

const set = (next: readonly Run[]): void => {
  runs = next;
  timer ??= setTimeout(draw, DRAW_MS);
};

interface NewRun extends Pick<Run, 'title' | 'again'> {
  items: readonly RunItem[];
}

/** @returns its id; undefined where too many are under way */
export const addRun = ({ title, items, again }: NewRun): number | undefined => {
  const ended = runs.findIndex(isOver);
  const kept = runs.length < MAX_RUNS ? runs : runs.filter((_run, index) => index !== ended);
  if (kept.length >= MAX_RUNS) return undefined;
  lastId += 1;
  const byId = new Map(items.map((item) => [item.terminalId, item]));
  const calls = { total: 0, answered: 0 };
  set([...kept, { id: lastId, title, items: byId, again, error: undefined, requestIds: [], isAsking: true, calls }]);
  return lastId;
};

export const getRun = (id: number): Run | undefined => runs.find((run) => run.id === id);
export const getRuns = (): readonly Run[] => runs;

export const changeRun = (id: number, change: (run: Run) => Partial<Run>): void => {
  set(runs.map((run) => (run.id === id ? { ...run, ...change(run) } : run)));
};

/** Changes items of a run; those that it does not have are left out. */
export const changeItems = (id: number, changes: ReadonlyMap<string, Partial<RunItem>>): void => {
  if (changes.size === 0) return;
  changeRun(id, ({ items }) => {
    const next = new Map(items);
    for (const [terminalId, change] of changes) {
      const item = next.get(terminalId);
      if (item) next.set(terminalId, { ...item, ...change });
    }
    return { items: next };
  });
};

/** Opens the dialog of a run; undefined closes it. */
export const showRun = (id: number | undefined): void => {
  shownId = id;
  set(runs);
};

export const removeRun = (id: number): void => set(runs.filter((run) => run.id !== id));

/** After a sign-out: another account sees nothing of it. */
export const forgetRuns = (): void => {
  shownId = undefined;
  set([]);
};

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useRuns = (): readonly Run[] => useSyncExternalStore(watch, getRuns);
export const useShownRunId = (): number | undefined => useSyncExternalStore(watch, () => shownId);
