/** Files that pass between a host and the server: only those of a task that the host is currently running. */
import { MAX_ATTEMPT_BYTES } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';

const reserveStatement = sql(
  'reserve_upload',
  `update task_leases l set uploaded_bytes = l.uploaded_bytes + $4::integer
   from tasks t join users u on u.id = t.user_id left join automatic_screenshots a on a.task_id = t.id
   where l.task_id = $1 and l.host_id = $2 and l.fence = $3::integer and t.id = l.task_id
   returning t.user_id, u.plan, u.storage_mib, l.uploaded_bytes, extract(epoch from a.expires_at - now()) * 1000 as automatic_ms`,
);

export interface UploadReservation {
  /** The task's owner: the file becomes theirs, and their storage must have room for it. */
  user_id: string;
  plan: number;
  storage_mib: number | null;
  /** How long an automatic screenshot is kept; null for all other tasks. */
  automatic_ms: number | null;
}

/**
 * Counts an upload for the attempt that the host is running; undefined when it is running none. Committed before the
 * file is written, because heartbeats wait for the lease's row: an upload that fails afterwards stays counted.
 * @throws AppError attempt_quota when the attempt's uploads exceed their limit
 */
export const reserveUpload = async (
  db: Queryable,
  hostId: string,
  { taskId, fence, sizeBytes }: { taskId: string; fence: number; sizeBytes: number },
): Promise<UploadReservation | undefined> => {
  type Row = UploadReservation & { uploaded_bytes: number };
  const [row] = await db.query<Row>(reserveStatement, [taskId, hostId, fence, sizeBytes]);
  if (row && row.uploaded_bytes > MAX_ATTEMPT_BYTES) throw new AppError('attempt_quota');
  return row;
};

const findFileStatement = sql(
  'find_file_of_task',
  `select f.id, f.user_id, f.size, f.sha256 from task_leases l
   join tasks t on t.id = l.task_id
   join files f on f.id::text = lower(t.payload ->> 'file_id') and f.user_id = t.user_id
   where l.task_id = $1 and l.host_id = $2 and f.id = $3`,
);

export interface PayloadFile {
  id: string;
  user_id: string;
  size: number;
  sha256: string;
}

/** The file that the task's payload refers to; it must belong to the task's user. */
export const findFileOfTask = async (
  db: Queryable,
  hostId: string,
  taskId: string,
  fileId: string,
): Promise<PayloadFile | undefined> => (await db.query<PayloadFile>(findFileStatement, [taskId, hostId, fileId]))[0];
