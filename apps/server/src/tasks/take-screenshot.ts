import { TaskStatus, TaskType, type Task } from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Creation } from '../db/database.ts';
import { lockOwnTerminal } from '../terminals/queries.ts';
import {
  assertRoomForTasks,
  createTasks,
  type RoomParts,
  type TaskCreationParts,
  type TaskOutcome,
} from './create-task.ts';

/** Requests for a screenshot within this many seconds share its task. */
const SHARED_SECONDS = 10;

const findSharedStatement = sql(
  'find_shared_screenshot',
  `select id, status, created_at from tasks
   where terminal_id = $1 and type = ${TaskType.SCREENSHOT} and chart_id is null and planned_at is null
     and ${isWithin('created_at', `interval '${SHARED_SECONDS} seconds'`)} and status <= ${TaskStatus.COMPLETED}
   order by seq desc limit 1`,
);

/** The terminal's row is locked, so that only one of several concurrent requests creates the task. */
export const takeScreenshot = (
  parts: TaskCreationParts & RoomParts,
  { userId, terminalId }: { userId: string; terminalId: string },
  creation: Creation,
): Promise<TaskOutcome> =>
  creation.within(async (tx) => {
    const terminal = await lockOwnTerminal(tx, userId, terminalId);
    if (!terminal) return { kind: 'no_terminal' };
    const [shared] = await tx.query<Pick<Task, 'id' | 'status' | 'created_at'>>(findSharedStatement, [terminalId]);
    if (shared) return { kind: 'created', id: shared.id, status: shared.status, createdAt: shared.created_at };
    const request = { userId, terminalId, type: TaskType.SCREENSHOT, payload: {} };
    await assertRoomForTasks(parts, request, 1);
    return (await createTasks(tx, parts, [request]))[0]!;
  });
