import type { StoredFile } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';

const columns = `id, name, size, sha256, type, created_at`;
const isThere = `user_id = $1 and id = $2 and (expires_at is null or expires_at > now())`;

const insertStatement = sql(
  'insert_file',
  `insert into files (id, user_id, name, type, size, sha256, content, expires_at, task_id)
   values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), $9)
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
  /** The task whose host uploaded it; null for the user's own upload. */
  taskId: string | null;
}

export const insertFileRow = async (db: Queryable, file: FileRow): Promise<StoredFile> => {
  const { id, userId, name, type, sha256, content, lifetimeMs, taskId } = file;
  const lifetime = lifetimeMs === null ? null : lifetimeMs / 1000;
  const values = [id, userId, name, type, content.length, sha256, content, lifetime, taskId];
  const [row] = await db.query<StoredFile>(insertStatement, values);
  if (!row) throw new Error('insert_file returned no row');
  return row;
};

const findStatement = sql('find_file', `select ${columns} from files where ${isThere}`);

/** The user's file; undefined also when it has expired. */
export const findFile = async (db: Queryable, userId: string, id: string): Promise<StoredFile | undefined> =>
  (await db.query<StoredFile>(findStatement, [userId, id]))[0];

const listStatement = sql(
  'list_files',
  `select ${columns} from files where user_id = $1 and (expires_at is null or expires_at > now()) and ${isOlder(4)}
   order by created_at desc, id desc limit $2 offset $3::bigint`,
);

/** The user's files, newest first. */
export const listFiles = (db: Queryable, userId: string, page: PageInput): Promise<StoredFile[]> =>
  db.query<StoredFile>(listStatement, [userId, page.per_page, toOffset(page), ...toKey(page, 2)]);

const countStatement = sql(
  'count_files',
  `select count(*) as total from (
     select from files where user_id = $1 and (expires_at is null or expires_at > now()) limit $2
   ) counted`,
);

/** @param atMost counts no further; null: all */
export const countFiles = async (db: Queryable, userId: string, atMost: number | null): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [userId, atMost]))[0]?.total ?? 0;

/** As many bytes as show what kind of file it is. */
const HEAD_BYTES = 1024;

const holdStatement = sql(
  'hold_file',
  `select name, substring(content from 1 for ${HEAD_BYTES}) as head,
     array(select distinct t.platform from terminals t where t.user_id = $1 and t.id = any($3::uuid[])) as platforms
   from files where ${isThere} for key share`,
);

export interface HeldFile {
  name: string;
  /** Its first bytes. */
  head: Buffer;
  /** Of the terminals that it is for. */
  platforms: string[];
}

/** Locks the user's file against deletion until the transaction ends; undefined when there is none. */
export const holdFile = async (
  tx: Queryable,
  userId: string,
  { id, terminalIds }: { id: string; terminalIds: readonly string[] },
): Promise<HeldFile | undefined> => (await tx.query<HeldFile>(holdStatement, [userId, id, terminalIds]))[0];

const lockStatement = sql('lock_file', `select id from files where ${isThere} for update`);

/** False when the user has no such file. Waits for transactions that lock it. */
export const lockFile = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(lockStatement, [userId, id])).length > 0;

const neededStatement = sql(
  'is_file_needed',
  `select from tasks
   where lower(payload ->> 'file_id') = $2 and payload ? 'file_id' and finished_at is null and user_id = $1 limit 1`,
);

/** True while an open task of the user refers to the file. */
export const isFileNeeded = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(neededStatement, [userId, id.toLowerCase()])).length > 0;

const deleteStatement = sql('delete_file', `delete from files where user_id = $1 and id = $2`);

export const deleteFileRow = async (tx: Queryable, userId: string, id: string): Promise<void> => {
  await tx.query(deleteStatement, [userId, id]);
};

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

const listReportedStatement = sql(
  'list_reported_files',
  `select id, user_id, task_id, sha256, size, type from files where id = any($1::uuid[])`,
);

/** A file that a host uploaded for a task, or that a user did (`task_id` null). */
export interface ReportedFile {
  id: string;
  user_id: string;
  task_id: string | null;
  sha256: string;
  size: number;
  type: string;
}

/** Files by id, whoever owns them. */
export const listReportedFiles = async (db: Queryable, ids: readonly string[]): Promise<Map<string, ReportedFile>> => {
  const rows = ids.length === 0 ? [] : await db.query<ReportedFile>(listReportedStatement, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
};
