/** Starts a run: asks for the tasks of many terminals, call by call, or deletes them one by one. */
import { MAX_BULK_TERMINALS } from '@berth/contract/values';
import { type BulkOrder, NotFoundError, type BulkCreation, type BulkTaskName, type TaskPayloads } from '@berth/client';
import { toErrorText, toRequestId } from '../data/action.ts';
import { berth } from '../data/berth.ts';
import { tell } from '../data/notices.ts';
import { withRequestId } from '../data/request-ids.ts';
import { pageTexts } from '../texts/page-texts.ts';
import { followDeletions, followTasks } from './follow.ts';
import type { Run, RunItem, Target } from './run.ts';
import { addRun, changeItems, changeRun, getRun } from './store.ts';

const words = pageTexts.runs;

export interface TaskOrder<Name extends BulkTaskName = BulkTaskName> {
  title: string;
  type: Name;
  payload?: TaskPayloads[Name];
}

/** Deletions at the same time: each is a request, of which a session has 300 per minute. */
const DELETIONS_AT_ONCE = 4;
/** The service says how long to wait where that limit is used up. */
const DELETION_RETRIES = 5;

const toItems = (targets: readonly Target[]): RunItem[] =>
  targets.map(({ id, name }) => ({ terminalId: id, name, state: 'asked', taskId: undefined, reason: undefined }));

const begin = (title: string, targets: readonly Target[], again: Run['again']): number | undefined => {
  const id = addRun({ title, items: toItems(targets), again });
  if (id === undefined) tell({ kind: 'failed', text: words.tooMany });
  return id;
};

const toChunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_chunk, index) =>
    items.slice(index * size, (index + 1) * size),
  );

const noteRequest = (runId: number, requestId: string | undefined): void => {
  if (requestId !== undefined) changeRun(runId, ({ requestIds }) => ({ requestIds: [...requestIds, requestId] }));
};

const takeAnswers = (runId: number, answers: readonly BulkCreation[]): void => {
  const changes = answers.map(({ terminal_id: id, ok, task_id: taskId, msg }): [string, Partial<RunItem>] => [
    id,
    ok ? { state: 'waiting', taskId: taskId ?? undefined } : { state: 'failed', reason: msg },
  ]);
  changeItems(runId, new Map(changes));
};

/** What was not answered was not done, as far as anybody knows. */
const giveUp = (runId: number, error: unknown): void => {
  const text = toErrorText(error);
  const open = [...(getRun(runId)?.items.values() ?? [])].filter(({ state }) => state === 'asked');
  const change = { state: 'failed' as const, reason: words.notAsked };
  changeItems(runId, new Map(open.map(({ terminalId }) => [terminalId, change])));
  changeRun(runId, () => ({ error: text }));
  noteRequest(runId, toRequestId(error));
};

const ask = async <Name extends BulkTaskName>(
  runId: number,
  { type, payload }: TaskOrder<Name>,
  targets: readonly Target[],
  onAnswer: () => void,
): Promise<void> => {
  const chunks = toChunks(targets, MAX_BULK_TERMINALS);
  changeRun(runId, () => ({ calls: { total: chunks.length, answered: 0 } }));
  for (const chunk of chunks) {
    // The forms give every type the payload that it needs.
    const order = { terminal_ids: chunk.map(({ id }) => id), payload } as BulkOrder<Name>;
    const { outcome, requestId } = await withRequestId(() => berth.terminals.bulkTasks(type, order));
    takeAnswers(runId, outcome);
    onAnswer();
    noteRequest(runId, requestId);
    changeRun(runId, ({ calls }) => ({ calls: { ...calls, answered: calls.answered + 1 } }));
  }
};

/** @returns the id of the run; undefined where too many are under way, which is told then */
export const startTasks = <Name extends BulkTaskName>(
  order: TaskOrder<Name>,
  targets: readonly Target[],
): number | undefined => {
  const runId = begin(order.title, targets, (some) => startTasks(order, some));
  if (runId === undefined) return undefined;
  const { lookSoon, close } = followTasks(runId, order.type);
  void ask(runId, order, targets, lookSoon)
    .catch((error: unknown) => giveUp(runId, error))
    .finally(() => {
      if (getRun(runId)) changeRun(runId, () => ({ isAsking: false }));
      else close();
    });
  return runId;
};

const deleteOne = async (runId: number, { id }: Target): Promise<void> => {
  try {
    await berth.terminals.delete(id, { maxRetries: DELETION_RETRIES });
    // Its last event may have come before this answer.
    if (getRun(runId)?.items.get(id)?.state === 'asked') {
      changeItems(runId, new Map([[id, { state: 'waiting' as const }]]));
    }
  } catch (error) {
    const isGone = error instanceof NotFoundError;
    const change = isGone ? { state: 'done' as const } : { state: 'failed' as const, reason: toErrorText(error) };
    changeItems(runId, new Map([[id, change]]));
    noteRequest(runId, isGone ? undefined : toRequestId(error));
  }
};

/** The same for deletions. */
export const startDeletions = (title: string, targets: readonly Target[]): number | undefined => {
  const runId = begin(title, targets, (some) => startDeletions(title, some));
  if (runId === undefined) return undefined;
  followDeletions(runId);
  const waiting = [...targets];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && getRun(runId); next = waiting.shift()) await deleteOne(runId, next);
  };
  void Promise.all(Array.from({ length: DELETIONS_AT_ONCE }, work)).finally(() =>
    changeRun(runId, () => ({ isAsking: false })),
  );
  return runId;
};
