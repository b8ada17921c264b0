import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';

/** A file that is not what it should be, because somebody else put it there. */
export class OddFileError extends Error {
  override readonly name = 'OddFileError';
}

/** Absent on Windows, where links need rights that programs of a terminal do not have. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * A whole file that another program wrote, if it is a plain one and not too long; links are not followed, and nothing
 * blocks. @returns undefined where there is none. Throws an OddFileError.
 */
export const findPlainFile = async (
  path: string,
  maxBytes: number,
  { isRemoved = false } = {},
): Promise<Buffer | undefined> => {
  const file = await open(path, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error.code === 'ELOOP' ? new OddFileError(`${path} is a link`, { cause: error }) : error;
  });
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new OddFileError(`${path} is not a file`);
    if (stat.size > maxBytes) throw new OddFileError(`${path} is longer than ${maxBytes} bytes`);
    // It may grow while it is read: no more than its checked size is read.
    const content = Buffer.alloc(stat.size);
    let length = 0;
    while (length < content.length) {
      const { bytesRead } = await file.read(content, length, content.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return content.subarray(0, length);
  } finally {
    await file.close();
    // What cannot be removed now is swept up later.
    if (isRemoved) await rm(path, { force: true }).catch(() => undefined);
  }
};
