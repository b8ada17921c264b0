/** Algo trading comes back once everything of a restoration is done (`deployment/restoration.ts`). */
import { TaskStatus, TaskType } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { setupTypes } from '../snapshots/setup.ts';
import { resumeTradingStatement } from './transitions.ts';
import type { TaskTransition } from './outcomes.ts';
import { toSwitchLock } from './queue.ts';

const types: ReadonlySet<TaskType> = new Set([TaskType.TERMINAL_INSTALL, TaskType.ACCOUNT_LOGIN, ...setupTypes]);

// A stop of all algo trading that is being committed has them already, and drops the restoration. A statement of its own:
// the next one sees what was committed before this lock was given.
const holdStatement = sql(
  'hold_restored_terminals',
  `select r.terminal_id from terminal_restorations r join terminals t on t.id = r.terminal_id
   where r.terminal_id = any($1::uuid[]) and pg_try_advisory_xact_lock_shared(${toSwitchLock('t.user_id')})`,
);

/** Turns algo trading on where these tasks were the last of a restoration. Lock the terminals before. */
export const resumeTrading = async (tx: Queryable, ended: readonly TaskTransition[]): Promise<void> => {
  const done = ended.filter(({ task, to }) => to === TaskStatus.COMPLETED && types.has(task.type));
  if (done.length === 0) return;
  const of = [...new Set(done.map(({ task }) => task.terminal_id))];
  const ids = (await tx.query<{ terminal_id: string }>(holdStatement, [of])).map((row) => row.terminal_id);
  if (ids.length > 0) await tx.query(resumeTradingStatement, [ids, ids.map(() => createId())]);
};
