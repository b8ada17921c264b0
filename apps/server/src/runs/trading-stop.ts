/**
 * A stop of all algo trading. It begins with a run on all terminals, and stays until its user ends it: what does not
 * confirm that it is off is asked again, and what was on can be restored. After it nothing turns trading on that was asked
 * for before: tasks, runs, and what is being restored or moved.
 *
 * It holds, in this order: the user, terminals that move, runs, the user's switch (`toSwitchLock`), and the tasks. None of
 * them is held by anybody for longer than it takes to insert tasks, to report, or to go one step.
 */
import { ResultStatus, TaskType, toServiceResult, type BulkRun, type TradingStop } from '@berth/contract';
import type { Creation, Database, Transaction } from '../db/database.ts';
import { lockUser } from '../terminals/queries.ts';
import * as stops from './trading-stop-queries.ts';
import { cancelRun } from './queries.ts';
import { createRun, type RunParts } from './runs.ts';
import { createTasks, type TaskCreationParts } from '../tasks/create-task.ts';
import { endTasks } from '../tasks/outcomes.ts';

const toSwitch = (userId: string, isOn: 0 | 1) => {
  return { userId, type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: isOn } };
};

/** What creates within a transaction that exists already. */
const toWithin = (tx: Transaction): Creation => ({ hasKey: true, within: (work) => work(tx) });

const TEXT = 'All algo trading was stopped after this was asked for.';

/** Ends what was to turn trading on. */
const endWhatTurnsOn = async (tx: Transaction, { ends, clock }: RunParts, userId: string): Promise<void> => {
  for (const id of await stops.listRunsTurningOn(tx, userId)) await cancelRun(tx, userId, id);
  await stops.holdSwitch(tx, userId);
  const result = toServiceResult(ResultStatus.REFUSED, 'stop', 'E_UNSUPPORTED', TEXT, new Date(clock.now()));
  await endTasks(tx, ends, await stops.listTasksTurningOn(tx, userId), result);
  await stops.deleteRestorations(tx, userId);
};

/**
 * Turns algo trading off on all terminals, or asks for it once more.
 * @returns undefined where the user has too many open runs
 * @throws AppError 409 where the user has no terminal
 */
export const startStop = (
  parts: RunParts,
  userId: string,
  creation: Creation,
  { isByOperator = false } = {},
): Promise<TradingStop | undefined> =>
  creation.within(async (tx) => {
    await lockUser(tx, userId);
    const moving = await stops.holdMoving(tx, userId);
    const off = toSwitch(userId, 0);
    const run = await createRun(parts, { ...off, members: {}, isByOperator }, toWithin(tx));
    if (!run) return undefined;
    await endWhatTurnsOn(tx, parts, userId);
    await stops.insertStop(tx, userId, { runId: run.id, moving });
    // Where the move fails, it would start as it was (`tasks/held-back.ts`): this says that it may not, also later.
    const requests = moving.map((terminalId) => ({ ...off, terminalId, actor: 'service' as const }));
    if (requests.length > 0) await createTasks(tx, parts, requests);
    return (await stops.findStop(tx, userId)) ?? undefined;
  });

export type StopEnd = { kind: 'ended'; run: BulkRun | null } | { kind: 'none' } | { kind: 'too_many_runs' };

/** Ends the user's stop. With `restore`, a run turns algo trading on where it was on, and nowhere else. */
export const endStop = (
  parts: RunParts,
  { userId, restore }: { userId: string; restore: boolean },
  creation: Creation,
): Promise<StopEnd> =>
  creation.within(async (tx): Promise<StopEnd> => {
    await lockUser(tx, userId);
    const members = restore ? await stops.listWereOn(tx, userId) : [];
    const create = () => createRun(parts, { ...toSwitch(userId, 1), members }, toWithin(tx));
    // Nobody is named: that is never "all".
    const run = members.length > 0 ? await create() : null;
    if (run === undefined) return { kind: 'too_many_runs' };
    return (await stops.deleteStop(tx, userId)) ? { kind: 'ended', run } : { kind: 'none' };
  });

/** Terminals that are asked again by one transaction. */
const MAX_TERMINALS_PER_BATCH = 500;

export interface TradingStopsParts extends TaskCreationParts {
  db: Pick<Database, 'slow' | 'transaction'>;
  stopping: AbortSignal;
}

/**
 * Asks the terminals of stops again that have not confirmed that algo trading is off. If a server is killed before
 * their tasks exist, they are asked after the next pause.
 */
export const askUnconfirmed = async (parts: TradingStopsParts): Promise<void> => {
  const { db, stopping } = parts;
  let taken = MAX_TERMINALS_PER_BATCH;
  while (taken === MAX_TERMINALS_PER_BATCH && !stopping.aborted) {
    const unconfirmed = await stops.takeUnconfirmed(db.slow, MAX_TERMINALS_PER_BATCH);
    taken = unconfirmed.length;
    const requests = unconfirmed.map(({ user_id: userId, terminal_id: terminalId }) => {
      const payload = { allow_algo_trading: 0 };
      return { userId, terminalId, type: TaskType.OPTIONS_AUTO_TRADE, payload, actor: 'service' as const };
    });
    if (taken > 0) await db.transaction((tx) => createTasks(tx, parts, requests));
  }
};
