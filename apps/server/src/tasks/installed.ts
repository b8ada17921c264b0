/** A terminal that was being installed when a suspension stopped its user's terminals: that could not stop it. */
import { TaskType } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { reinstallStatement } from './transitions.ts';
import type { LockedTask } from './outcomes.ts';

/** Also where the suspension is being committed. */
const heldStatement = sql(
  'find_held_user',
  `select refuses_trading($1) and coalesce(
     (select suspended_terminals = 'stop' from users where id = $1 and suspended_terminals is not null), true
   ) as is_held`,
);

/** Stops it before anything else that waits for it. */
export const stopIfHeld = async (
  tx: Queryable,
  { user_id: userId, terminal_id: terminalId }: Pick<LockedTask, 'user_id' | 'terminal_id'>,
): Promise<void> => {
  const [user] = await tx.query<{ is_held: boolean }>(heldStatement, [userId]);
  if (user?.is_held) {
    await tx.query(reinstallStatement, [[createId()], [userId], [terminalId], [TaskType.TERMINAL_STOP], ['{}']]);
  }
};
