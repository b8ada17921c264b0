/** What tasks note of a stop of all algo trading (`runs/trading-stop.ts`), and which terminals one asks. */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { TaskTransition } from './outcomes.ts';

const { PENDING, INSTALLING, FAILED, DESTROYING, DESTROYED } = TerminalStatus;

/** What is not installed does not trade; nor does what is on its way out. */
const NOT_ASKED = [PENDING, INSTALLING, FAILED, DESTROYING, DESTROYED];
/** A terminal `t` that a stop asks. */
export const IS_STOPPABLE = `t.deleted_at is null and t.status not in (${NOT_ASKED.join(', ')})`;

// Only what was asked for after the stop began: a report may be older than it.
const confirmStatement = sql(
  'confirm_trading_stop',
  `update trading_stop_terminals m set confirmed_at = coalesce(m.confirmed_at, now())
   from tasks t
   where t.id = any($1::uuid[]) and m.terminal_id = any($2::uuid[]) and m.terminal_id = t.terminal_id
     and t.created_at >= m.since`,
);
// Its user turned it on by itself, so it is not asked to be off any more.
const releaseStatement = sql(
  'release_from_trading_stop',
  `delete from trading_stop_terminals m
   using tasks t
   where t.id = any($1::uuid[]) and m.terminal_id = any($2::uuid[]) and m.terminal_id = t.terminal_id
     and t.created_at >= m.since and coalesce(m.confirmed_at, 'infinity') = 'infinity'`,
);

const isDone = ({ task, to }: TaskTransition): boolean =>
  task.type === TaskType.OPTIONS_AUTO_TRADE && to === TaskStatus.COMPLETED;

/** Notes what terminals confirmed, whoever asked them. Call it while the terminals are locked. */
export const noteSwitched = async (tx: Queryable, transitions: readonly TaskTransition[]): Promise<void> => {
  const done = transitions.filter(isDone);
  for (const [isAllowed, statement] of [
    [0, confirmStatement],
    [1, releaseStatement],
  ] as const) {
    const tasks = done.map(({ task }) => task).filter(({ payload }) => payload.allow_algo_trading === isAllowed);
    const values = [tasks.map(({ id }) => id), tasks.map(({ terminal_id: id }) => id)];
    if (tasks.length > 0) await tx.query(statement, values);
  }
};
