import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toRecord } from '../../wire/fields.ts';
import { MAX_DEALS, type CarriedDeals, type Deal, type LedgerState } from './ledger-data.ts';
import type { LedgerEntries, SavedLedger } from './ledger-entries.ts';

/**
 * Two files an account: its state, which is replaced, and its deals, to which new ones are appended first. A deal whose
 * ticket the state has not given out yet was never confirmed to anybody: it is dropped. So a kill at any moment leaves
 * the account as it was after some request, and what was answered is kept. (Nothing is synchronised to the disk: play
 * money may be lost in a power cut.)
 */
const FOLDER = 'ledgers';
const MODE = 0o600;

/** JSON has no big integers and no maps: they become objects, which no text of a user can imitate. */
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'bigint') return { integer: each.toString() };
    return each instanceof Map ? { entries: [...(each as Map<unknown, unknown>)] } : each;
  });

const parseJson = (text: string): unknown =>
  JSON.parse(text, (_key, each: unknown) => {
    const fields = toRecord(each);
    if (typeof fields?.integer === 'string') return BigInt(fields.integer);
    return Array.isArray(fields?.entries) ? new Map(fields.entries as [unknown, unknown][]) : each;
  });

const findText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

const replace = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: MODE });
  await rename(`${path}.new`, path);
};

const toDealsText = ({ carried, deals }: Pick<LedgerEntries, 'carried' | 'deals'>): string =>
  [{ carried }, ...deals].map((line) => `${toJson(line)}\n`).join('');

const parseLine = (line: string): unknown => {
  try {
    return parseJson(line);
  } catch {
    // The last line of a server that was killed while writing.
    return undefined;
  }
};

/** The files of one ledger. One write at a time. */
export class LedgerFile {
  readonly #statePath: string;
  readonly #dealsPath: string;
  /** The last deal in the file, and how many lines that is. Undefined before the first write: all are written then. */
  #written: { last: bigint; lines: number } | undefined;

  constructor(dataFolder: string, server: string, login: string) {
    const name = createHash('sha256').update(`${server}\n${login}`).digest('hex').slice(0, 32);
    this.#statePath = join(dataFolder, FOLDER, `${name}.json`);
    this.#dealsPath = join(dataFolder, FOLDER, `${name}.deals.jsonl`);
  }

  /** What was saved; undefined for an account that never traded. */
  async read(): Promise<SavedLedger | undefined> {
    const text = await findText(this.#statePath);
    if (text === undefined) return undefined;
    const state = parseJson(text) as LedgerState;
    const [head, ...lines] = ((await findText(this.#dealsPath)) ?? '').split('\n').map(parseLine);
    const { carried } = head as { carried: CarriedDeals };
    // Deals of before have neither a fee nor a word of what closed them.
    const deals = (lines.filter((line) => line !== undefined) as Deal[]).map((deal) => ({
      ...deal,
      fee: deal.fee ?? 0n,
      outBy: deal.outBy ?? null,
    }));
    return { state, carried, deals: deals.filter(({ ticket }) => ticket < state.nextTicket) };
  }

  /** Saves what has changed. What is written is what the ledger holds at the call. */
  async write(entries: LedgerEntries): Promise<void> {
    const stateText = toJson(entries.state);
    const last = entries.lastDeal?.ticket ?? 0n;
    const written = this.#written;
    const added = entries.deals.filter(({ ticket }) => written !== undefined && ticket > written.last);
    const isWhole = written === undefined || written.lines + added.length > MAX_DEALS * 2;
    const dealsText = isWhole ? toDealsText(entries) : added.map((deal) => `${toJson(deal)}\n`).join('');
    const lines = isWhole ? entries.deals.length : (written?.lines ?? 0) + added.length;
    if (isWhole) {
      await mkdir(join(this.#statePath, '..'), { recursive: true });
      await replace(this.#dealsPath, dealsText);
    } else if (dealsText !== '') await appendFile(this.#dealsPath, dealsText, { mode: MODE });
    await replace(this.#statePath, stateText);
    this.#written = { last, lines };
  }
}
