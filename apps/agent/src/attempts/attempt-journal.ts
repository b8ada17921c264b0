/**
 * The journal of one host: which attempts it accepted, how they ended, and what the server has acknowledged. It makes a
 * crash harmless, by two rules: an attempt is written (fsync) before it starts, and its end is written before it is
 * reported.
 *
 * One file of lines `<CRC-32 of the rest, hex> <JSON of an entry>`. A line torn by a crash has a wrong checksum and is
 * dropped when the journal is opened, which always rewrites the file: nothing in a dropped line was ever confirmed to
 * anybody, because that waits for the fsync. Concurrent appends share one write and one fsync.
 */
import { crc32 } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { Batcher, replaceAndOpenFile } from '@berth/kit';
import { AttemptLedger, type AttemptEntry } from './attempt-ledger.ts';

/** A file that is appended to. Data written before a `datasync` survives a power cut; the rest may be torn anywhere. */
export interface AppendableFile {
  appendFile(text: string): Promise<unknown>;
  datasync(): Promise<void>;
  truncate(sizeBytes: number): Promise<void>;
  close(): Promise<void>;
}

/** The disk as a journal sees it; a parameter, so that tests can use one that fails. */
export interface DurableFiles {
  /** The file's text; empty where there is no file. */
  read(path: string): Promise<string>;
  /** Like `replaceAndOpenFile`. */
  replaceAndOpen(path: string, content: string): Promise<AppendableFile>;
}

export const systemFiles: DurableFiles = {
  read: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  },
  replaceAndOpen: replaceAndOpenFile,
};

/** Appends between two compactions, in bytes; a compaction costs about as much as it keeps. */
const COMPACT_AFTER_BYTES = 4 * 1024 * 1024;
/** Appends that share a write. */
const MAX_RECORDS_PER_BATCH = 1_000;

const toLine = (entry: AttemptEntry): string => {
  const text = JSON.stringify(entry);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
};

const toText = (entries: AttemptEntry[]): string => entries.map(toLine).join('');

const toEntry = (line: string): AttemptEntry | undefined => {
  const text = line.slice(9);
  const isWhole = line[8] === ' ' && parseInt(line.slice(0, 8), 16) === crc32(text);
  return isWhole ? (JSON.parse(text) as AttemptEntry) : undefined;
};

export interface AttemptJournalOptions {
  path: string;
  files?: DurableFiles;
  compactAfterBytes?: number;
}

export class AttemptJournal {
  /** Reflects the entries: appended ones once they are on disk, noted ones immediately. */
  readonly ledger: AttemptLedger;
  /** Torn or damaged lines that were dropped when the journal was opened. */
  readonly droppedLines: number;
  readonly #options: Required<AttemptJournalOptions>;
  readonly #batcher: Batcher<AttemptEntry[], void>;
  #file: AppendableFile;
  #keptBytes: number;
  #sizeBytes: number;
  /** Whether the file may end in part of a line: then it is cut before anything else is written. */
  #isTorn = false;
  #noted: AttemptEntry[] = [];

  private constructor(
    options: Required<AttemptJournalOptions>,
    ledger: AttemptLedger,
    droppedLines: number,
    file: AppendableFile,
  ) {
    this.#options = options;
    this.ledger = ledger;
    this.droppedLines = droppedLines;
    this.#file = file;
    this.#keptBytes = this.#sizeBytes = Buffer.byteLength(toText(ledger.toEntries()));
    this.#batcher = new Batcher((batches) => this.#write(batches.flat()).then(() => batches.map(() => undefined)), {
      maxItems: MAX_RECORDS_PER_BATCH,
    });
  }

  /** Reads the file (absent: an empty journal) and rewrites it without what is acknowledged or torn. */
  static async open(options: AttemptJournalOptions): Promise<AttemptJournal> {
    const { path, files = systemFiles, compactAfterBytes = COMPACT_AFTER_BYTES } = options;
    const ledger = new AttemptLedger();
    const lines = (await files.read(path)).split('\n');
    const rest = lines.pop();
    let droppedLines = rest === '' ? 0 : 1;
    for (const line of lines) {
      const entry = toEntry(line);
      if (entry) ledger.apply(entry);
      else droppedLines += 1;
    }
    const file = await files.replaceAndOpen(path, toText(ledger.toEntries()));
    return new AttemptJournal({ path, files, compactAfterBytes }, ledger, droppedLines, file);
  }

  /** Resolves once the entries are on disk. Rejects when the disk refuses them: then they did not happen. */
  append(entries: AttemptEntry[]): Promise<void> {
    return this.#batcher.add(entries);
  }

  /** Adds an entry whose loss would be harmless: it reaches the disk with the next append. */
  note(entry: AttemptEntry): void {
    this.ledger.apply(entry);
    this.#noted.push(entry);
  }

  async close(): Promise<void> {
    await this.append([]);
    await this.#file.close();
  }

  async #write(entries: AttemptEntry[]): Promise<void> {
    const noted = this.#noted;
    this.#noted = [];
    const text = toText([...noted, ...entries]);
    if (text === '') return;
    try {
      await this.#cutTorn();
      this.#isTorn = true;
      await this.#file.appendFile(text);
      await this.#file.datasync();
      this.#isTorn = false;
    } catch (error) {
      this.#noted = [...noted, ...this.#noted];
      await this.#cutTorn().catch(() => undefined);
      throw error;
    }
    this.#sizeBytes += Buffer.byteLength(text);
    for (const entry of entries) this.ledger.apply(entry);
    if (this.#sizeBytes - this.#keptBytes > this.#options.compactAfterBytes) await this.#compact();
  }

  /** A line cut short by a full disk must not swallow the next one. */
  async #cutTorn(): Promise<void> {
    if (!this.#isTorn) return;
    await this.#file.truncate(this.#sizeBytes);
    this.#isTorn = false;
  }

  /** A failed compaction is retried after as many bytes; the journal is complete without it. */
  async #compact(): Promise<void> {
    const text = toText(this.ledger.toEntries());
    const previous = this.#file;
    this.#file = await this.#options.files.replaceAndOpen(this.#options.path, text).catch(() => previous);
    if (this.#file === previous) {
      this.#keptBytes = this.#sizeBytes;
      return;
    }
    await previous.close();
    this.#keptBytes = this.#sizeBytes = Buffer.byteLength(text);
  }
}
