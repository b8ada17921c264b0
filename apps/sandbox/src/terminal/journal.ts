import { appendFileSync, existsSync } from 'node:fs';
import { ensureFolderOf } from '../files/folder.ts';
import { UTF16_MARK, type TextEncoding } from '../files/text-file.ts';

/** 0 information, 1 warning, 2 error. */
export type Level = 0 | 1 | 2;

export interface JournalLine {
  at: Date;
  source: string;
  message: string;
  level: Level;
}

export interface JournalOptions {
  root: string;
  /** The folder of the day files, relative to the root. */
  folder: string;
  encoding: TextEncoding;
  toText: (line: JournalLine) => string;
  /** How long lines wait in memory before they reach the disk. */
  flushMs: number;
  /** Write the last line of a flush in two pieces. */
  partialLines?: boolean;
  now?: () => Date;
}

const REMEMBERED_LINES = 60;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** HH:MM:SS.mmm of the host's local time. */
export const toTimeOfDay = (at: Date): string =>
  `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}.${pad(at.getMilliseconds(), 3)}`;

const toDayFile = (at: Date): string => `${at.getFullYear()}${pad(at.getMonth() + 1)}${pad(at.getDate())}.log`;

/**
 * A log of day files: a line belongs to the local day on which it was printed, whenever it is flushed.
 * Nothing is synced to the disk: the vendor's terminal loses its last lines in a crash as well.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #recent: JournalLine[] = [];
  readonly #waiting = new Map<string, Buffer[]>();
  #flushMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#flushMs = options.flushMs;
  }

  /** From now on, lines wait this long before they reach the disk. */
  delay(flushMs: number): void {
    this.#flushMs = flushMs;
  }

  print(source: string, message: string, level: Level = 0): void {
    const { now, toText, encoding } = this.#options;
    const line: JournalLine = { at: now?.() ?? new Date(), source, message, level };
    this.#recent.push(line);
    if (this.#recent.length > REMEMBERED_LINES) this.#recent.shift();
    const file = toDayFile(line.at);
    const bytes = Buffer.from(`${toText(line)}\r\n`, encoding === 'utf-16le' ? 'utf16le' : 'utf8');
    this.#waiting.set(file, [...(this.#waiting.get(file) ?? []), bytes]);
    this.#timer ??= setTimeout(() => this.#flush(this.#options.partialLines ?? false), this.#flushMs);
  }

  /** The last lines, oldest first. */
  listRecent(): readonly JournalLine[] {
    return this.#recent;
  }

  /** Writes pending lines; print nothing afterwards. */
  close(): void {
    this.#flush(false);
  }

  #flush(holdsBack: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [file, lines] of [...this.#waiting]) {
      const bytes = Buffer.concat(lines);
      const end = holdsBack ? bytes.length - Math.ceil((lines.at(-1)?.length ?? 0) / 2) : bytes.length;
      this.#append(file, bytes.subarray(0, end));
      this.#waiting.delete(file);
      if (end < bytes.length) this.#waiting.set(file, [bytes.subarray(end)]);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#flush(false), this.#flushMs);
  }

  #append(file: string, bytes: Buffer): void {
    const { root, folder, encoding } = this.#options;
    const path = ensureFolderOf(root, `${folder}/${file}`);
    const needsMark = encoding === 'utf-16le' && !existsSync(path);
    appendFileSync(path, needsMark ? Buffer.concat([UTF16_MARK, bytes]) : bytes);
  }
}
