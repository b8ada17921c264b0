import type { SafeDirectory } from '@berth/kit';
import type { JournalFolder, JournalForm } from './journal-form.ts';
import { isDayFileName, toDayFileName, type JournalLine } from './journal-line.ts';

/** How much of a file is read at once. */
const CHUNK_BYTES = 256 * 1024;
/** More than this without a line's end is no journal; it is skipped. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Ten years of them; a folder that names more is somebody's joke. */
const MAX_DAY_FILES = 4_000;

/**
 * The day files of a folder by their days. Of a folder with more names than are looked at, those that are being written now
 * are among them all the same.
 */
export const listDayFiles = async (folder: SafeDirectory): Promise<string[]> => {
  const { names, isWhole } = await folder.listNames();
  const files = names.filter(isDayFileName).sort().slice(-MAX_DAY_FILES);
  if (isWhole) return files;
  const current = await Promise.all(
    toCurrentFiles(Date.now()).map(async (file) => ((await folder.findStats(file)) ? [file] : [])),
  );
  return [...new Set([...files, ...current.flat()])].sort();
};

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
const listInWritingOrder = async (folder: SafeDirectory): Promise<string[]> => {
  const files = await listDayFiles(folder);
  const nowMs = Date.now();
  const toTime = async (file: string) => {
    const mtimeMs = (await folder.findStats(file))?.mtimeMs ?? 0;
    return { file, mtimeMs, isAhead: mtimeMs > nowMs + MAX_AHEAD_MS };
  };
  const times = await Promise.all(files.map(toTime));
  times.sort((a, b) => Number(b.isAhead) - Number(a.isAhead) || a.mtimeMs - b.mtimeMs);
  return times.map(({ file }) => file);
};

/** How far each day file of a folder was read; the file that was written to last comes last. */
export type JournalMarks = ReadonlyMap<string, number>;

/** Marks at the present ends: of the file written to last behind its last whole line, of the others behind all. */
export const findEndMarks = async (journal: JournalFolder): Promise<Map<string, number>> => {
  const { folder, form } = journal;
  const files = await listInWritingOrder(folder);
  const last = files.at(-1);
  const marks = files.map(async (file): Promise<[string, number]> => {
    return [file, file === last ? await findEndOffset(journal, file) : toWhole(form, await getFileSize(folder, file))];
  });
  return new Map(await Promise.all(marks));
};

/** Size in bytes; 0 for a file that does not exist. */
export const getFileSize = async (folder: SafeDirectory, file: string): Promise<number> =>
  (await folder.findStats(file))?.size ?? 0;

/** What ends with a whole character. */
const toWhole = ({ unitBytes }: JournalForm, bytes: number): number => bytes - (bytes % unitBytes);

const LINE_END = '\r\n';

/** Length of the part that ends with the last CRLF of whole characters; 0 where there is none. */
const toCompleteBytes = (form: JournalForm, bytes: Buffer): number => {
  const whole = bytes.subarray(0, toWhole(form, bytes.length));
  const at = whole.lastIndexOf(LINE_END, undefined, form.unitBytes === 2 ? 'utf16le' : 'latin1');
  return at < 0 ? 0 : at + LINE_END.length * form.unitBytes;
};

const takeLines = (form: JournalForm, bytes: Buffer, take: (line: JournalLine) => void): void => {
  if (bytes.length === 0) return;
  for (const text of form.toLines(bytes)) {
    const line = form.findLine(text);
    if (line) take(line);
  }
};

export interface DayRead extends JournalFolder {
  file: string;
  /** 0 or what an earlier reading ended with; always at a whole character. */
  offset: number;
  /** No more than about so much is read: whoever writes the file may write faster than anybody reads. */
  maxBytes: number;
}

/**
 * Gives out the whole lines from an offset on. The terminal flushes when it likes: the file may end inside a line or inside
 * a character, and what is incomplete is left for the next time.
 * @returns the offset behind the last whole line. Throws UnsafeFileError for what is no plain file
 */
export const readDayFile = async (
  { folder, form, file: name, offset, maxBytes }: DayRead,
  take: (line: JournalLine) => void,
): Promise<number> => {
  let position = offset;
  const file = await folder.findFile(name);
  try {
    for (let waiting = Buffer.alloc(0); file && position - offset < maxBytes;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position + waiting.length);
      if (bytesRead === 0) break;
      waiting = Buffer.concat([waiting, chunk.subarray(0, bytesRead)]);
      const complete = waiting.length > MAX_LINE_BYTES ? toWhole(form, waiting.length) : toCompleteBytes(form, waiting);
      takeLines(form, waiting.subarray(0, complete), take);
      position += complete;
      waiting = waiting.subarray(complete);
    }
    return position;
  } finally {
    await file?.close();
  }
};

/** Where the last so many bytes of a file begin, at a character; 0 for one that is no longer. */
export const findTailOffset = async ({ folder, form }: JournalFolder, file: string, bytes: number): Promise<number> =>
  toWhole(form, Math.max(0, (await getFileSize(folder, file)) - bytes));

/** The offset behind the last whole line of a file: a line that is half written now will be read whole later. */
const findEndOffset = async (journal: JournalFolder, name: string): Promise<number> => {
  const start = await findTailOffset(journal, name, CHUNK_BYTES);
  const file = await journal.folder.findFile(name);
  if (!file) return 0;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES * 2), 0, CHUNK_BYTES * 2, start);
    return start + toCompleteBytes(journal.form, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
};
