/**
 * What a suspension does to the terminals of a user, in the transaction that suspends. What would bring trading back is
 * canceled where it waits and taken back where a host has it, and the user's runs end. Then a stop of all algo trading
 * begins, which is asked for until each terminal confirms it; or a run that stops the terminals. Both go before
 * everything else, and neither counts against what the user may have open: whoever has a hundred runs can be suspended,
 * too. Risk rules go on.
 *
 * It holds, in this order: the user, the runs, the user's trading (`refuses_trading`), and the tasks. So a run that is
 * carried on is done with its batch, and what is being created is there, and found; later it is refused.
 */
import { ResultStatus, TaskType, toServiceResult, type SuspendedTerminals } from '@berth/contract';
import { sql, type Transaction } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { createRun, type RunParts } from './runs.ts';
import { cancelRun } from './queries.ts';
import { startStop } from './trading-stop.ts';
import { cancelOfSuspendedStatement } from '../tasks/transitions.ts';
import { takeBackInHand } from '../tasks/outcomes.ts';
import type { TaskEnds } from '../tasks/ends.ts';

export interface SuspensionParts extends RunParts {
  ends: TaskEnds;
}

const openRunsStatement = sql(
  'list_open_runs_of_suspended',
  `select id from bulk_runs where user_id = $1 and finished_at is null and canceled_at is null and type <> ${TaskType.TERMINAL_DESTROY}`,
);
const terminalsStatement = sql(
  'list_terminals_of_suspended',
  `select id from terminals where user_id = $1 and deleted_at is null order by created_at, id`,
);

const holdTradingStatement = sql(
  'hold_trading_of_user',
  `select pg_advisory_xact_lock(hashtextextended('trading of ' || $1::uuid, 0))`,
);

const listIds = async (tx: Transaction, statement: typeof openRunsStatement, userId: string): Promise<string[]> =>
  (await tx.query<{ id: string }>(statement, [userId])).map(({ id }) => id);

/** Where the user has no terminal that can be stopped, there is nothing to do. */
const unlessNothing = async (start: () => Promise<unknown>): Promise<void> => {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'nothing_matched') throw error;
  }
};

/** The caller holds the user's row. */
export const suspendTerminals = async (
  tx: Transaction,
  parts: SuspensionParts,
  userId: string,
  choice: SuspendedTerminals,
): Promise<void> => {
  if (choice === 'keep') return;
  for (const id of await listIds(tx, openRunsStatement, userId)) await cancelRun(tx, userId, id);
  await tx.query(holdTradingStatement, [userId]);
  const text = 'The account was suspended.';
  const now = new Date(parts.clock.now());
  const result = toServiceResult(ResultStatus.REFUSED, 'suspension', 'E_UNSUPPORTED', text, now);
  const terminalIds = await listIds(tx, terminalsStatement, userId);
  await parts.ends.end(tx, cancelOfSuspendedStatement, [JSON.stringify(result), terminalIds]);
  await takeBackInHand(tx, parts.ends, { terminalIds, result, actor: 'operator' });
  const within = { hasKey: true, within: <Result>(work: (tx: Transaction) => Promise<Result>) => work(tx) };
  if (choice === 'trading_off') return unlessNothing(() => startStop(parts, userId, within, { isByOperator: true }));
  const run = { userId, type: TaskType.TERMINAL_STOP, payload: {}, members: {}, isByOperator: true };
  return unlessNothing(() => createRun(parts, run, within));
};
