import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findJournalLine, isDayFileName, toDayFileName, type JournalLine } from './journal-line.ts';

/** How much of a file is read at once. */
const CHUNK_BYTES = 256 * 1024;
/** More than this without a line's end is no journal; it is skipped. */
const MAX_LINE_BYTES = 1024 * 1024;
const CHARACTER_BYTES = 2;
const CR = 0x0d;
const LF = 0x0a;
const MARK = 0xfeff;

/** The day files of a folder by their days; none where there is no folder. */
export const listDayFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch((): string[] => [])).filter(isDayFileName).sort();

const DAY_MS = 86_400_000;

/** The files that a terminal may be writing now, by the machine's clock; its time zone may be another. */
export const toCurrentFiles = (nowMs: number): string[] =>
  [nowMs - DAY_MS, nowMs, nowMs + DAY_MS].map((timeMs) => toDayFileName(new Date(timeMs)));

/** A file that was written to so much later than now was written to before the clock was set back. */
const MAX_AHEAD_MS = 60_000;

/**
 * The day files of a folder in the order in which they were written to last. Their names do not tell it once the clock was
 * set back by some hours, since their days are those of a time zone that may be another; the disk's times do.
 */
const listInWritingOrder = async (folder: string): Promise<string[]> => {
  const files = await listDayFiles(folder);
  const nowMs = Date.now();
  const toTime = async (file: string) => {
    const { mtimeMs } = await stat(join(folder, file)).catch(() => ({ mtimeMs: 0 }));
    return { file, mtimeMs, isAhead: mtimeMs > nowMs + MAX_AHEAD_MS };
  };
  const times = await Promise.all(files.map(toTime));
  times.sort((a, b) => Number(b.isAhead) - Number(a.isAhead) || a.mtimeMs - b.mtimeMs);
  return times.map(({ file }) => file);
};

/** How far each day file of a folder was read; the file that was written to last comes last. */
export type JournalMarks = ReadonlyMap<string, number>;

/** Marks at the present ends: of the file written to last behind its last whole line, of the others behind all. */
export const findEndMarks = async (folder: string): Promise<Map<string, number>> => {
  const files = await listInWritingOrder(folder);
  const last = files.at(-1);
  const marks = files.map(async (file): Promise<[string, number]> => {
    const path = join(folder, file);
    return [file, file === last ? await findEndOffset(path) : toEven(await getFileSize(path))];
  });
  return new Map(await Promise.all(marks));
};

/** Size in bytes; 0 for a file that does not exist. */
export const getFileSize = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
};

const toEven = (bytes: number): number => bytes - (bytes % CHARACTER_BYTES);

/** Length of the part that ends with the last CRLF at an even position; 0 where there is none. */
const toCompleteBytes = (bytes: Buffer): number => {
  for (let end = toEven(bytes.length); end >= 2 * CHARACTER_BYTES; end -= CHARACTER_BYTES) {
    if (bytes.readUInt16LE(end - 4) === CR && bytes.readUInt16LE(end - 2) === LF) return end;
  }
  return 0;
};

const takeLines = (bytes: Buffer, take: (line: JournalLine) => void): void => {
  const hasMark = bytes.length >= CHARACTER_BYTES && bytes.readUInt16LE(0) === MARK;
  for (const text of bytes.toString('utf16le', hasMark ? CHARACTER_BYTES : 0).split('\r\n')) {
    const line = findJournalLine(text);
    if (line) take(line);
  }
};

/**
 * Gives out the whole lines from an offset on. The terminal flushes when it likes: the file may end inside a line or inside
 * a character, and what is incomplete is left for the next time.
 * @param offset 0 or what an earlier call returned; always even
 * @returns the offset behind the last whole line
 */
export const readDayFile = async (path: string, offset: number, take: (line: JournalLine) => void): Promise<number> => {
  let position = offset;
  const file = await open(path);
  try {
    for (let waiting = Buffer.alloc(0); ;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position + waiting.length);
      if (bytesRead === 0) return position;
      waiting = Buffer.concat([waiting, chunk.subarray(0, bytesRead)]);
      const complete = waiting.length > MAX_LINE_BYTES ? toEven(waiting.length) : toCompleteBytes(waiting);
      takeLines(waiting.subarray(0, complete), take);
      position += complete;
      waiting = waiting.subarray(complete);
    }
  } finally {
    await file.close();
  }
};

/** The offset behind the last whole line of a file: a line that is half written now will be read whole later. */
export const findEndOffset = async (path: string): Promise<number> => {
  const start = Math.max(0, toEven((await getFileSize(path)) - CHUNK_BYTES));
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES * 2), 0, CHUNK_BYTES * 2, start);
    return start + toCompleteBytes(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
};
