/** Files that pass between a host and the server: only those of a task that the host has in hand right now. */
import { sql, type Queryable } from '../db/database.ts';

const findTaskStatement = sql(
  'find_task_in_hand',
  `select t.user_id from task_leases l join tasks t on t.id = l.task_id
   where l.task_id = $1 and l.host_id = $2 and l.fence = $3::integer`,
);

export const findTaskInHand = async (
  db: Queryable,
  hostId: string,
  taskId: string,
  fence: number,
): Promise<{ user_id: string } | undefined> =>
  (await db.query<{ user_id: string }>(findTaskStatement, [taskId, hostId, fence]))[0];

const findFileStatement = sql(
  'find_file_of_task',
  `select f.content from task_leases l
   join tasks t on t.id = l.task_id
   join files f on f.id::text = lower(t.payload ->> 'file_id') and f.user_id = t.user_id
   where l.task_id = $1 and l.host_id = $2 and f.id = $3`,
);

/** The content of the file that the task's payload names; the file must belong to the task's user. */
export const findFileOfTask = async (
  db: Queryable,
  hostId: string,
  taskId: string,
  fileId: string,
): Promise<Buffer | undefined> =>
  (await db.query<{ content: Buffer }>(findFileStatement, [taskId, hostId, fileId]))[0]?.content;
