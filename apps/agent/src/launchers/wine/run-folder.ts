/**
 * Files that a box can write, too: anything there may be a link, a FIFO, endless, or another file a moment later.
 * Nothing here follows a link in the last part of a path, waits for the other side, or reads more than its limit. The
 * folder itself belongs to the agent and cannot be replaced from inside.
 */
import { constants } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

const withFile = async <Result>(file: FileHandle, act: (file: FileHandle) => Promise<Result>): Promise<Result> => {
  try {
    return await act(file);
  } finally {
    await file.close();
  }
};

/** Reads up to a number of bytes from the position. */
export const readUpTo = async (file: FileHandle, maxBytes: number, position = 0): Promise<Buffer> => {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const { bytesRead } = await file.read(buffer, length, maxBytes - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

/**
 * A small regular file.
 * @returns undefined where there is none, or something else, or something larger
 */
export const findSmallFile = async (path: string, maxBytes: number): Promise<Buffer | undefined> => {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  return withFile(file, async () => {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const content = await readUpTo(file, maxBytes + 1);
    return content.length > maxBytes ? undefined : content;
  });
};

/** Writes a new file. Rejects with EEXIST where something exists. */
export const writeNewFile = async (path: string, content: Buffer | string, owner?: number): Promise<void> => {
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await withFile(file, async () => {
      await file.writeFile(content);
      if (owner !== undefined) await file.chown(owner, owner);
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
};

/**
 * Writes a line to a FIFO that has a reader. @returns false where it has none, or where something else is in its place
 */
export const writeToFifo = async (path: string, line: string): Promise<boolean> => {
  const file = await open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!file) return false;
  return withFile(file, async () => {
    if (!(await file.stat()).isFIFO()) return false;
    const { bytesWritten } = await file.write(`${line}\n`).catch(() => ({ bytesWritten: 0 }));
    return bytesWritten === line.length + 1;
  });
};
