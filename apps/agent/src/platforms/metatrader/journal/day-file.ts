import type { SafeDirectory } from '@berth/kit';
import type { JournalFolder, JournalForm } from './journal-form.ts';
import { isDayFileName, toDayFileName, type JournalLine } from './journal-line.ts';

/** How much of a file is read at once. */
const CHUNK_BYTES = 256 * 1024;
/** More than this without a line's end is no journal; it is skipped. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Ten years of them; a folder with more is not genuine. */
const MAX_DAY_FILES = 4_000;

/**
 * The day files of a folder by their days. If the folder has more names than are read, those being written now are
 * included nevertheless.
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

/** The files that a terminal may be writing now, by the machine's clock; its time zone may be different. */
export const toCurrentFiles = (nowMs: number): string[] =>
  [nowMs - DAY_MS, nowMs, nowMs + DAY_MS].map((timeMs) => toDayFileName(new Date(timeMs)));

/** A file with a modification time this far in the future was written before the clock was set back. */
const MAX_AHEAD_MS = 60_000;

/**
 * The day files of a folder in the order in which they were last written. Their names do not show it after the clock
 * was set back by some hours, since their days may be those of another time zone; the modification times do.
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

/** How far each day file of a folder was read; the file that was written last comes last. */
export type JournalMarks = ReadonlyMap<string, number>;

/**
 * Marks at the current ends: of the file written last after its last complete line, of the others at the end of the
 * file. While nobody writes, that holds for all: what a terminal left half written when it died is never completed, and
 * the first line of the next one would follow it.
 */
export const findEndMarks = async (journal: JournalFolder, { isWritten = true } = {}): Promise<Map<string, number>> => {
  const { folder, form } = journal;
  const files = await listInWritingOrder(folder);
  const last = isWritten ? files.at(-1) : undefined;
  const marks = files.map(async (file): Promise<[string, number]> => {
    return [file, file === last ? await findEndOffset(journal, file) : toWhole(form, await getFileSize(folder, file))];
  });
  return new Map(await Promise.all(marks));
};

/** Size in bytes; 0 for a file that does not exist. */
export const getFileSize = async (folder: SafeDirectory, file: string): Promise<number> =>
  (await folder.findStats(file))?.size ?? 0;

/** Rounded down to whole code units. */
const toWhole = ({ unitBytes }: JournalForm, bytes: number): number => bytes - (bytes % unitBytes);

const LINE_END = '\r\n';

/** Length of the part that ends with the last complete CRLF; 0 where there is none. */
const toCompleteBytes = (form: JournalForm, bytes: Buffer): number => {
  const whole = bytes.subarray(0, toWhole(form, bytes.length));
  const at = whole.lastIndexOf(LINE_END, undefined, form.unitBytes === 2 ? 'utf16le' : 'latin1');
  return at < 0 ? 0 : at + LINE_END.length * form.unitBytes;
};

interface LineReader {
  take: (line: JournalLine) => void;
  /** Gets what is no line of the journal's form, such as the further lines of a message. */
  takeOther?: ((text: string) => void) | undefined;
}

const takeLines = (form: JournalForm, bytes: Buffer, { take, takeOther }: LineReader): void => {
  if (bytes.length === 0) return;
  for (const text of form.toLines(bytes)) {
    const line = form.findLine(text);
    if (line) take(line);
    else takeOther?.(text);
  }
};

export interface DayRead extends JournalFolder {
  file: string;
  /** 0 or the offset after an earlier read; always at a whole code unit. */
  offset: number;
  /** About the maximum that is read: a file may be written faster than it can be read. */
  maxBytes: number;
}

/**
 * Passes on complete lines from an offset. The terminal flushes at any time: the file may end within a line or within a
 * character, and the incomplete rest is left for the next time.
 * @returns the offset after the last complete line, and how much was read, the rest included. Throws UnsafeFileError
 * for anything but a plain file
 */
export const readDayFile = async (
  { folder, form, file: name, offset, maxBytes }: DayRead,
  take: LineReader['take'],
  takeOther?: LineReader['takeOther'],
): Promise<{ offset: number; readBytes: number }> => {
  let position = offset;
  let readBytes = 0;
  const file = await folder.findFile(name);
  try {
    for (let waiting = Buffer.alloc(0); file && position - offset < maxBytes;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position + waiting.length);
      if (bytesRead === 0) break;
      readBytes += bytesRead;
      waiting = Buffer.concat([waiting, chunk.subarray(0, bytesRead)]);
      const isEndless = waiting.length > MAX_LINE_BYTES;
      const complete = isEndless ? toWhole(form, waiting.length) : toCompleteBytes(form, waiting);
      takeLines(form, waiting.subarray(0, complete), { take, takeOther: isEndless ? undefined : takeOther });
      position += complete;
      waiting = waiting.subarray(complete);
    }
    return { offset: position, readBytes };
  } finally {
    await file?.close();
  }
};

/** The offset at which this many last bytes of a file start, at a whole code unit; 0 for a shorter file. */
export const findTailOffset = async ({ folder, form }: JournalFolder, file: string, bytes: number): Promise<number> =>
  toWhole(form, Math.max(0, (await getFileSize(folder, file)) - bytes));

/**
 * The offset after the last complete line of a file: a line that is half written now will be read in full later, unless
 * it is longer than what is looked at here.
 */
export const findEndOffset = async (journal: JournalFolder, name: string): Promise<number> => {
  const start = await findTailOffset(journal, name, CHUNK_BYTES);
  const file = await journal.folder.findFile(name);
  if (!file) return 0;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES * 2), 0, CHUNK_BYTES * 2, start);
    const complete = toCompleteBytes(journal.form, buffer.subarray(0, bytesRead));
    return start + (complete === 0 && start > 0 ? toWhole(journal.form, bytesRead) : complete);
  } finally {
    await file.close();
  }
};
