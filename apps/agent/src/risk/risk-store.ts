/**
 * What the guard keeps in the folder of its host: the rules as the server gave them last, and a record of each terminal.
 * Each file is replaced as a whole (fsync, rename), so it is complete after a crash at any moment.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeDrafts, replaceFile, type Logger } from '@berth/kit';
import type { RiskRules } from '../server/server-calls.ts';
import type { TerminalRecord } from './guarded-terminal.ts';

/** An interface, so that a simulation can run the guard without a disk. */
export interface RiskStore {
  readRules(): Promise<RiskRules | undefined>;
  writeRules(rules: RiskRules): Promise<void>;
  readRecords(): Promise<Map<string, TerminalRecord>>;
  /** @param text the record, as JSON */
  writeRecord(terminalId: string, text: string): Promise<void>;
  removeRecord(terminalId: string): Promise<void>;
}

const FORMAT = 1;
const RULES = 'rules.json';
const RECORD = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/;

/** Undefined where there is none, or where a disk has damaged it. */
const read = async <Content>(path: string): Promise<Content | undefined> => {
  try {
    const { format, content } = JSON.parse(await readFile(path, 'utf8')) as { format: number; content: Content };
    return format === FORMAT ? content : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
};
const write = (path: string, text: string): Promise<void> =>
  replaceFile(path, `{"format":${FORMAT},"content":${text}}`);

/** @param folder is created when absent */
export const openRiskStore = async (folder: string): Promise<RiskStore> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeDrafts(join(folder, RULES));
  const toPath = (terminalId: string) => join(folder, `${terminalId}.json`);
  return {
    readRules: () => read<RiskRules>(join(folder, RULES)),
    writeRules: (rules) => write(join(folder, RULES), JSON.stringify(rules)),
    readRecords: async () => {
      const records = new Map<string, TerminalRecord>();
      for (const name of await readdir(folder)) {
        const id = RECORD.exec(name)?.[1];
        if (id === undefined) continue;
        await removeDrafts(toPath(id));
        const record = await read<TerminalRecord>(toPath(id));
        if (record) records.set(id, record);
      }
      return records;
    },
    writeRecord: (terminalId, text) => write(toPath(terminalId), text),
    removeRecord: (terminalId) => rm(toPath(terminalId), { force: true }),
  };
};

interface Saving {
  running: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Writes records one at a time per terminal. Saves that come while one is running share the next one, which takes what is
 * in the record then. A save that fails is logged and not repeated: the next one has more.
 */
export class RecordSaver {
  readonly #store: RiskStore;
  readonly #log: Logger;
  readonly #savings = new Map<string, Saving>();
  /** What was written last, so that nothing is written twice. */
  readonly #written = new Map<string, string>();
  /** Disks that refuse are logged once. */
  #isFailing = false;

  constructor(store: RiskStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  /** Resolves when what is in the record now is on the disk, or could not be written. */
  save(terminalId: string, record: TerminalRecord): Promise<void> {
    const saving = this.#savings.get(terminalId);
    if (saving) {
      saving.next ??= saving.running.then(() => this.#write(terminalId, record));
      return saving.next;
    }
    const running = this.#write(terminalId, record);
    this.#savings.set(terminalId, { running, next: undefined });
    return running;
  }

  /** Removes the terminal's record, after what is being written. */
  async remove(terminalId: string): Promise<void> {
    const saving = this.#savings.get(terminalId);
    await (saving?.next ?? saving?.running);
    this.#written.delete(terminalId);
    await this.#store.removeRecord(terminalId);
  }

  async #write(terminalId: string, record: TerminalRecord): Promise<void> {
    const saving = this.#savings.get(terminalId);
    if (saving?.next) Object.assign(saving, { running: saving.next, next: undefined });
    const text = JSON.stringify(record);
    try {
      if (this.#written.get(terminalId) !== text) await this.#store.writeRecord(terminalId, text);
      this.#written.set(terminalId, text);
      this.#isFailing = false;
    } catch (error) {
      this.#written.delete(terminalId);
      if (!this.#isFailing) {
        this.#log.error({ err: error, terminal_id: terminalId }, 'the disk refuses what the risk rules have measured');
      }
      this.#isFailing = true;
    }
    const now = this.#savings.get(terminalId);
    if (now && !now.next) this.#savings.delete(terminalId);
  }
}
