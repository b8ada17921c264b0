import { TaskStatus, TaskType } from '@berth/contract';
import { sql } from '../db/database.ts';
import type { TaskInbox } from '../tasks/inbox.ts';
import type { InsertedTask } from '../tasks/queries.ts';
import { lockOwnTerminal } from '../terminals/queries.ts';
import type { Creation } from './creation.ts';

/** All who ask for a picture within so many seconds share its task. */
const SHARED_SECONDS = 10;

const findSharedStatement = sql(
  'find_shared_picture',
  `select id, created_at from tasks
   where terminal_id = $1 and type = ${TaskType.SCREENSHOT} and chart_id is null and planned_at is null
     and created_at > now() - interval '${SHARED_SECONDS} seconds' and status <= ${TaskStatus.COMPLETED}
   order by seq desc limit 1`,
);

/** The terminal's row is held, so that of many who ask at once one creates the task. Undefined when there is no terminal. */
export const takePicture = (
  inbox: Pick<TaskInbox, 'addWithin'>,
  { userId, terminalId }: { userId: string; terminalId: string },
  creation: Creation,
): Promise<InsertedTask | undefined> =>
  creation.within(async (tx) => {
    const terminal = await lockOwnTerminal(tx, userId, terminalId);
    if (!terminal) return undefined;
    const [shared] = await tx.query<Pick<InsertedTask, 'id' | 'created_at'>>(findSharedStatement, [terminalId]);
    if (shared) return { ...shared, terminal_status: terminal.status, host_id: terminal.host_id };
    return inbox.addWithin(tx, { userId, terminalId, type: TaskType.SCREENSHOT, payload: {} });
  });
