/**
 * A run: one thing done on many terminals, with what came of it on each. It goes on when its dialog is closed and its
 * page is left; what it holds is bounded by what can be selected.
 */
import type { StepCode } from '@berth/client';
import { isFinalTaskStatus, TaskStatus } from '@berth/contract/values';

/** `asked`: not answered yet; `waiting`: the task is there, or the deletion began; the others are ends. */
export type ItemState = 'asked' | 'waiting' | 'done' | 'failed';

export interface RunItem {
  terminalId: string;
  name: string;
  state: ItemState;
  /** The task that is followed; a deletion has none. */
  taskId: string | undefined;
  /** Why it failed, in the words of the service or of the host: text of strangers. */
  reason: string | undefined;
  /** The same as the interface names it. */
  code?: StepCode | undefined;
}

export interface Target {
  id: string;
  name: string;
}

export interface RunCounts {
  total: number;
  done: number;
  failed: number;
  open: number;
}

export interface Run {
  id: number;
  /** What is done: "Auto trading off". */
  title: string;
  /** Ordered as they were asked for. */
  items: ReadonlyMap<string, RunItem>;
  /** Why it could not be asked for at all, or further. */
  error: string | undefined;
  requestIds: readonly string[];
  isAsking: boolean;
  /** Does the same on some of its terminals again. */
  again: (targets: readonly Target[]) => number | undefined;
  /** How many calls it takes, where it takes several, and how many were answered. */
  calls: { total: number; answered: number };
}

export const toCounts = ({ items }: Pick<Run, 'items'>): RunCounts => {
  const counts = { total: items.size, done: 0, failed: 0, open: 0 };
  for (const { state } of items.values()) {
    if (state === 'done') counts.done += 1;
    else if (state === 'failed') counts.failed += 1;
    else counts.open += 1;
  }
  return counts;
};

export const isOver = (run: Run): boolean => !run.isAsking && toCounts(run).open === 0;

/** What the status of a followed task makes of its item. */
export const toItemState = (status: TaskStatus): ItemState => {
  if (!isFinalTaskStatus(status)) return 'waiting';
  return status === TaskStatus.COMPLETED ? 'done' : 'failed';
};
