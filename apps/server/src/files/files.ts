import { subtle } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StoredFile } from '@berth/contract';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Database, Queryable } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import { findMediaType } from './media-type.ts';
import { deleteFileRow, findFile, insertFileRow, isFileNeeded, lockFile, readFileSlice } from './queries.ts';
import { assertRoom } from './storage.ts';

/** Screenshots taken by tasks are kept for 30 days. */
export const SCREENSHOT_LIFETIME_MS = 30 * 86_400_000;

/** A file is read in slices, so that a large one neither fills the memory nor blocks other requests. */
const SLICE_BYTES = 1024 * 1024;

export interface NewFile {
  userId: string;
  /** A label; it never becomes a path. */
  name: string;
  content: Buffer;
  /** Unset = kept for ever. */
  lifetimeMs?: number;
  /** The limit of the user's total file size, this one included. */
  quotaBytes: number;
  /** The task whose host uploads it. */
  taskId?: string;
}

/** Hex SHA-256, computed on another thread: 32 MiB would block every other request for a tenth of a second. */
export const toSha256 = async (content: Uint8Array): Promise<string> =>
  Buffer.from(await subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>)).toString('hex');

/**
 * Stores a file with its hash and the type detected from its content, if the user's storage has room for it. That is
 * checked before, so that no refused file is written, and after, when the total includes the file and is locked by this
 * transaction.
 * @throws AppError storage_quota, so that the transaction is rolled back
 */
export const insertFile = async (tx: Queryable, file: NewFile): Promise<StoredFile> => {
  const { userId, name, content, lifetimeMs, quotaBytes, taskId } = file;
  await assertRoom(tx, userId, { quotaBytes, newBytes: content.length, newFiles: 1 });
  const inserted = await insertFileRow(tx, {
    id: createId(),
    userId,
    name,
    type: await findMediaType(content),
    sha256: await toSha256(content),
    content,
    lifetimeMs: lifetimeMs ?? null,
    taskId: taskId ?? null,
  });
  await assertRoom(tx, userId, { quotaBytes, newBytes: 0, newFiles: 0 });
  return inserted;
};

/**
 * Deletes the user's file. A call that creates a task with this file locks its row, so no task slips in between.
 * @throws AppError 404; 409 while an open task needs the file
 */
export const deleteFile = (db: Database, actor: Actor, userId: string, id: string): Promise<void> =>
  db.transactionFor(userId, async (tx) => {
    if (!(await lockFile(tx, userId, id))) throw AppError.notFound('File');
    if (await isFileNeeded(tx, userId, id)) throw new AppError('file_in_use');
    const before = (await findFile(tx, userId, id)) ?? null;
    await deleteFileRow(tx, userId, id);
    await recordAudit(tx, actor, { action: 'file.delete', target: { type: 'file', id }, before });
  });

export interface FileContent {
  file: StoredFile;
  /** Bytes from one offset up to, but not including, another, read as they are consumed. */
  open: (from: number, end: number) => Readable;
}

/** The user's file. Pass it `db.slowFor`. */
export const findFileContent = async (db: Queryable, userId: string, id: string): Promise<FileContent | undefined> => {
  const file = await findFile(db, userId, id);
  if (!file) return undefined;
  const open: FileContent['open'] = (from, end) =>
    Readable.from(readSlices(db, userId, { id: file.id, size: end }, from), { objectMode: false });
  return { file, open };
};

/** Bytes of the user's file from an offset up to `size`, read as they are consumed. Pass it `db.slow`. */
export async function* readSlices(
  db: Queryable,
  userId: string,
  { id, size }: Pick<StoredFile, 'id' | 'size'>,
  from: number,
): AsyncGenerator<Buffer> {
  for (let offset = from; offset < size; offset += SLICE_BYTES) {
    const sizeBytes = Math.min(SLICE_BYTES, size - offset);
    const slice = await readFileSlice(db, { userId, id, offset, sizeBytes });
    // Expired while it was sent: the connection is cut off, and the length header reveals the missing bytes.
    if (!slice) throw new Error('a file expired while it was sent');
    yield slice;
  }
}
