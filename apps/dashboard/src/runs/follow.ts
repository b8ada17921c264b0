/**
 * Follows the tasks and deletions of runs to their ends: by live events, which name the status, and by reading the list
 * of tasks where events may have been missed. A task whose event came before the answer that names it is read, too.
 */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/client';
import type { BulkTaskName, LiveEvent, Task } from '@berth/client';
import { isFinalTaskStatus } from '@berth/contract/values';
import { berth } from '../data/berth.ts';
import { watchEvents } from '../data/live/event-bus.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { toItemState, type RunItem } from './run.ts';
import { changeItems, getRun } from './store.ts';

/** In case that an event was lost for a cause that nobody thought of. */
const LOOK_MS = 15_000;
/** After an answer that names tasks, for what ended before it came, and for the reasons of what failed. */
const SOON_MS = 1_000;
const PER_PAGE = 100;
/** Other tasks of the type may stand before those of the run. */
const SPARE_PAGES = 3;

const noReason = (status: TaskStatus): string =>
  status === TaskStatus.CANCELED ? pageTexts.taskWords.canceled : pageTexts.taskWords.terminated;

const toChange = (task: Pick<Task, 'status' | 'result'>): Partial<RunItem> => {
  const state = toItemState(task.status);
  if (state !== 'failed') return { state };
  const { message, code } = task.result.runner_result.at(-1) ?? {};
  return { state, reason: message ?? noReason(task.status), code: code ?? undefined };
};

const openItems = (runId: number): RunItem[] =>
  [...(getRun(runId)?.items.values() ?? [])].filter(
    ({ state, taskId, reason }) =>
      taskId !== undefined && (state === 'waiting' || (state === 'failed' && reason === undefined)),
  );

/** Reads the newest tasks of the type until all that is open was seen. */
const look = async (runId: number, type: BulkTaskName, signal: AbortSignal): Promise<void> => {
  const open = new Map(openItems(runId).map((item) => [item.taskId, item]));
  const lastPage = Math.ceil((getRun(runId)?.items.size ?? 0) / PER_PAGE) + SPARE_PAGES;
  for (let page = 1; open.size > 0 && page <= lastPage && !signal.aborted; page += 1) {
    const { data, pagination } = await berth.tasks.pageOfAccount(
      { type: [type], page, per_page: PER_PAGE },
      { signal },
    );
    const changes = new Map<string, Partial<RunItem>>();
    for (const task of data) {
      const item = open.get(task.id);
      if (!item) continue;
      open.delete(task.id);
      // An event may have told its end while this was being read; an end is never taken back.
      if (isFinalTaskStatus(task.status)) changes.set(item.terminalId, toChange(task));
    }
    changeItems(runId, changes);
    if (page >= pagination.last_page) return;
  }
};

const takeTask = (runId: number, { data }: Extract<LiveEvent, { event: 'task' }>): boolean => {
  const item = getRun(runId)?.items.get(data.terminal_id);
  if (item?.taskId !== data.id || item.state !== 'waiting') return false;
  const state = toItemState(data.status);
  if (state === 'waiting') return false;
  changeItems(runId, new Map([[data.terminal_id, { state }]]));
  // The event does not say why.
  return state === 'failed' && data.status !== TaskStatus.CANCELED;
};

export interface Following {
  /** Looks a moment later for ends whose events came before the answer that names their tasks. */
  lookSoon: () => void;
  close: () => void;
}

/** Follows the tasks of a run until none is open. */
export const followTasks = (runId: number, type: BulkTaskName): Following => {
  const closing = new AbortController();
  let soon: ReturnType<typeof setTimeout> | undefined;
  let looked: Promise<void> = Promise.resolve();
  const close = (): void => {
    closing.abort();
    clearTimeout(soon);
    clearInterval(seldom);
    unwatch();
  };
  // One after the other: what was asked for while a look was under way may have ended after its list was read.
  const lookNow = (): void => {
    looked = looked
      .then(() => (closing.signal.aborted ? undefined : look(runId, type, closing.signal)))
      .catch(() => undefined)
      .then(() => {
        if (openItems(runId).length === 0 && !getRun(runId)?.isAsking) close();
      });
  };
  const lookSoon = (): void => {
    if (closing.signal.aborted) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      lookNow();
    }, SOON_MS);
  };
  const seldom = setInterval(lookNow, LOOK_MS);
  const unwatch = watchEvents((event) => {
    if (event.event === 'ready' || event.event === 'reset') lookSoon();
    else if (event.event === 'task' && event.data.type === TaskType[type] && takeTask(runId, event)) lookSoon();
  });
  return { lookSoon, close };
};

/**
 * Follows deletions: a terminal that is gone says so by its last event, which may come before the answer, or is not found
 * any more. Ends by itself.
 */
export const followDeletions = (runId: number): void => {
  const timer = setInterval(() => void lookForGone(), LOOK_MS);
  const unwatch = watchEvents((event) => {
    if (event.event === 'ready' || event.event === 'reset') void lookForGone();
    if (event.event !== 'terminal' || event.data.status !== TerminalStatus.DESTROYED) return;
    const { state } = getRun(runId)?.items.get(event.data.id) ?? {};
    if (state === 'asked' || state === 'waiting') {
      changeItems(runId, new Map([[event.data.id, { state: 'done' as const }]]));
    }
  });
  const close = (): void => {
    clearInterval(timer);
    unwatch();
  };
  const lookForGone = async (): Promise<void> => {
    const run = getRun(runId);
    const open = [...(run?.items.values() ?? [])].filter(({ state }) => state === 'waiting');
    if (!run || (open.length === 0 && !run.isAsking)) return close();
    try {
      const still = await berth.terminals.list({ status: ['DESTROYING'] }).toArray();
      const ids = new Set(still.map(({ id }) => id));
      const gone = open.filter(({ terminalId }) => !ids.has(terminalId));
      changeItems(runId, new Map(gone.map(({ terminalId }) => [terminalId, { state: 'done' as const }])));
    } catch {
      // The next look asks again.
    }
  };
};
