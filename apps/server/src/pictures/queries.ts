import { sql, type Queryable } from '../db/database.ts';

const noteStatement = sql(
  'note_pictures',
  `insert into terminal_pictures (terminal_id, file_id)
   select terminal_id, file_id from unnest($1::uuid[], $2::uuid[]) as n (terminal_id, file_id)
   where exists (select from terminals t where t.id = n.terminal_id)
   on conflict (terminal_id) do update set file_id = excluded.file_id, taken_at = now(), thumbnail = null`,
);

export interface TakenPicture {
  terminalId: string;
  fileId: string;
}

/** Notes the last pictures of terminals, at most one of each. */
export const notePictures = async (tx: Queryable, pictures: readonly TakenPicture[]): Promise<void> => {
  await tx.query(noteStatement, [pictures.map(({ terminalId }) => terminalId), pictures.map(({ fileId }) => fileId)]);
};

/** A file that is deleted or over is no picture any more. */
const isThere = `exists (select from files f where f.id = p.file_id and (f.expires_at is null or f.expires_at > now()))`;

const findStatement = sql(
  'find_picture',
  `select p.file_id, p.thumbnail from terminals t join terminal_pictures p on p.terminal_id = t.id
   where t.id = $1 and t.user_id = $2 and t.deleted_at is null and ${isThere}`,
);

export interface Picture {
  file_id: string;
  /** null: not made yet; empty: the picture cannot be read. */
  thumbnail: Buffer | null;
}

export const findPicture = async (db: Queryable, userId: string, terminalId: string): Promise<Picture | undefined> =>
  (await db.query<Picture>(findStatement, [terminalId, userId]))[0];

const readStatement = sql('read_picture', `select content from files where id = $1`);

export const readPicture = async (db: Queryable, fileId: string): Promise<Buffer | undefined> =>
  (await db.query<{ content: Buffer }>(readStatement, [fileId]))[0]?.content;

const storeStatement = sql(
  'store_thumbnail',
  `update terminal_pictures set thumbnail = $3 where terminal_id = $1 and file_id = $2`,
);

export const storeThumbnail = async (
  db: Queryable,
  { terminalId, fileId }: TakenPicture,
  thumbnail: Buffer,
): Promise<void> => {
  await db.query(storeStatement, [terminalId, fileId, thumbnail]);
};
