import { sql, type Queryable, type Transaction } from '../db/database.ts';

const noteStatement = sql(
  'note_screenshots',
  `insert into terminal_screenshots (terminal_id, file_id)
   select terminal_id, file_id from unnest($1::uuid[], $2::uuid[]) as n (terminal_id, file_id)
   where exists (select from terminals t where t.id = n.terminal_id)
   on conflict (terminal_id) do update set file_id = excluded.file_id, taken_at = now(), thumbnail = null`,
);

export interface TakenScreenshot {
  terminalId: string;
  fileId: string;
}

/** Records the latest screenshots of terminals, at most one of each. */
export const noteScreenshots = async (tx: Queryable, screenshots: readonly TakenScreenshot[]): Promise<void> => {
  await tx.query(noteStatement, [
    screenshots.map(({ terminalId }) => terminalId),
    screenshots.map(({ fileId }) => fileId),
  ]);
};

/** A deleted or expired file does not count as a screenshot any more. */
const isThere = `exists (select from files f where f.id = s.file_id and (f.expires_at is null or f.expires_at > now()))`;

const findStatement = sql(
  'find_screenshot',
  `select s.file_id, s.thumbnail from terminals t join terminal_screenshots s on s.terminal_id = t.id
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null and ${isThere}`,
);

export interface Screenshot {
  file_id: string;
  /** null: not created yet; empty: the screenshot cannot be read. */
  thumbnail: Buffer | null;
}

export const findScreenshot = async (
  db: Queryable,
  userId: string,
  terminalId: string,
): Promise<Screenshot | undefined> => (await db.query<Screenshot>(findStatement, [terminalId, userId]))[0];

const readStatement = sql('read_screenshot', `select content from files where id = $1`);

export const readScreenshot = async (db: Queryable, fileId: string): Promise<Buffer | undefined> =>
  (await db.query<{ content: Buffer }>(readStatement, [fileId]))[0]?.content;

const storeStatement = sql(
  'store_thumbnail',
  `update terminal_screenshots set thumbnail = $3 where terminal_id = $1 and file_id = $2`,
);

export const storeThumbnail = async (
  tx: Transaction,
  { terminalId, fileId }: TakenScreenshot,
  thumbnail: Buffer,
): Promise<void> => {
  await tx.query(storeStatement, [terminalId, fileId, thumbnail]);
};
