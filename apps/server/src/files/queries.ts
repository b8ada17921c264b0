import type { File } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const columns = `id, name, size, sha256, type, created_at`;
const isThere = `user_id = $1 and id = $2 and (expires_at is null or expires_at > now())`;

const insertStatement = sql(
  'insert_file',
  `insert into files (id, user_id, name, type, size, sha256, content, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
   returning ${columns}`,
);

export interface FileRow {
  id: string;
  userId: string;
  name: string;
  type: string;
  sha256: string;
  content: Buffer;
  /** null = kept for ever. */
  lifetimeMs: number | null;
}

export const insertFileRow = async (db: Queryable, file: FileRow): Promise<File> => {
  const { id, userId, name, type, sha256, content, lifetimeMs } = file;
  const lifetime = lifetimeMs === null ? null : lifetimeMs / 1000;
  const values = [id, userId, name, type, content.length, sha256, content, lifetime];
  const [row] = await db.query<File>(insertStatement, values);
  if (!row) throw new Error('insert_file returned no row');
  return row;
};

const findStatement = sql('find_file', `select ${columns} from files where ${isThere}`);

/** What is known of the user's file; undefined also when it expired. */
export const findFile = async (db: Queryable, userId: string, id: string): Promise<File | undefined> =>
  (await db.query<File>(findStatement, [userId, id]))[0];

const readSliceStatement = sql(
  'read_file_slice',
  `select substring(content from $3 for $4) as slice from files where ${isThere}`,
);

/** Bytes of the file from an offset (0 = the first); undefined when the file is gone. */
export const readFileSlice = async (
  db: Queryable,
  { userId, id, offset, sizeBytes }: { userId: string; id: string; offset: number; sizeBytes: number },
): Promise<Buffer | undefined> =>
  (await db.query<{ slice: Buffer }>(readSliceStatement, [userId, id, offset + 1, sizeBytes]))[0]?.slice;

const deleteExpiredStatement = sql('delete_expired_files', `delete from files where expires_at <= now()`);

/** Removes the files whose time is over; they are not found any more before that. */
export const deleteExpiredFiles = async (db: Queryable): Promise<void> => {
  await db.query(deleteExpiredStatement);
};
