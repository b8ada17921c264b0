import { Readable } from 'node:stream';
import type { File } from '@berth/contract';
import { v7 as uuid } from 'uuid';
import type { Queryable } from '../db/database.ts';
import { toSha256 } from './content-hash.ts';
import { findMediaType } from './media-type.ts';
import { findFile, insertFileRow, readFileSlice } from './queries.ts';

/** Pictures that tasks took are kept for 30 days. */
export const SCREENSHOT_LIFETIME_MS = 30 * 86_400_000;

/** A file is read in slices, so that a large one neither fills the memory nor stops other requests. */
const SLICE_BYTES = 1024 * 1024;

export interface NewFile {
  userId: string;
  /** A label; it never becomes a path. */
  name: string;
  content: Buffer;
  /** Unset = kept for ever. */
  lifetimeMs?: number;
  /** The task whose host uploads it. */
  taskId?: string;
}

/** Stores a file with its hash and the type that its content shows. Give it `db.slow` or a transaction. */
export const insertFile = async (
  db: Queryable,
  { userId, name, content, lifetimeMs, taskId }: NewFile,
): Promise<File> =>
  insertFileRow(db, {
    id: uuid(),
    userId,
    name,
    type: await findMediaType(content),
    sha256: await toSha256(content),
    content,
    lifetimeMs: lifetimeMs ?? null,
    taskId: taskId ?? null,
  });

export interface FileContent {
  file: File;
  content: Readable;
}

/** The user's file and its bytes, read while they are consumed. Give it `db.slow`. */
export const findFileContent = async (db: Queryable, userId: string, id: string): Promise<FileContent | undefined> => {
  const file = await findFile(db, userId, id);
  return file && { file, content: Readable.from(readSlices(db, userId, file), { objectMode: false }) };
};

async function* readSlices(db: Queryable, userId: string, { id, size }: File): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < size; offset += SLICE_BYTES) {
    const slice = await readFileSlice(db, { userId, id, offset, sizeBytes: SLICE_BYTES });
    // Expired while it was sent: the connection is cut, and the length tells the receiver that bytes are missing.
    if (!slice) throw new Error('a file expired while it was sent');
    yield slice;
  }
}
