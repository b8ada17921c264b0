/** What a terminal's link program said last, and what of it the server has. */
import { ACCOUNT_CURRENT_MS, isSameLogin, isSameServerName, MAX_REPORTED_DEALS } from '@berth/contract/values';
import type { SafeDirectory } from '@berth/kit';
import type { AccountExchange } from '../platforms/driver.ts';
import {
  MAX_ACCOUNT_BYTES,
  MAX_DEALS_BYTES,
  readAccount,
  readDeals,
  type WrittenAccount,
  type WrittenDeals,
} from './exchange-files.ts';

/** A folder that was replaced is noticed after so many looks. */
const LOOKS_PER_OPENING = 40;

const readUpTo = async (file: NonNullable<Awaited<ReturnType<SafeDirectory['findFile']>>>, maxBytes: number) => {
  const { size } = await file.stat();
  if (size > maxBytes) return undefined;
  const content = Buffer.allocUnsafe(size);
  const { bytesRead } = await file.read(content, 0, size, 0);
  return content.subarray(0, bytesRead);
};

/**
 * One file of a terminal's exchange folder that is looked at again and again. The folder stays open, so that a look is
 * one call of the system; it is opened anew from time to time, and when the file is not there, since a terminal may
 * replace it.
 */
class WatchedFile {
  readonly #name: string;
  readonly #maxBytes: number;
  #folder: SafeDirectory | undefined;
  #looks = 0;
  #seen = '';

  constructor(name: string, maxBytes: number) {
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  /**
   * The content, if the file changed since the last look. @returns undefined where it did not, or there is none. Throws
   * UnsafeFileError for anything but a plain file, RangeError for a larger one; each change is complained of once
   */
  async look(exchange: AccountExchange): Promise<Buffer | undefined> {
    const folder = await this.#open(exchange);
    const stats = await folder?.findStats(this.#name);
    if (!folder || !stats) {
      await this.close();
      return undefined;
    }
    const seen = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    if (seen === this.#seen) return undefined;
    this.#seen = seen;
    const file = await folder.findFile(this.#name);
    try {
      const content = file && (await readUpTo(file, this.#maxBytes));
      if (file && !content) throw new RangeError(`larger than ${this.#maxBytes} bytes`);
      return content;
    } finally {
      await file?.close();
    }
  }

  async close(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    await folder?.close();
  }

  async #open({ files, folder }: AccountExchange): Promise<SafeDirectory | undefined> {
    this.#looks += 1;
    if (this.#looks % LOOKS_PER_OPENING === 0) await this.close();
    this.#folder ??= await files.findFolder(folder);
    return this.#folder;
  }
}

/** A state of an account, and how old it is. Nothing may act on it when it is not current. */
export interface SeenAccount {
  state: WrittenAccount;
  /** How old it was when it was read. */
  ageMs: number;
  /** When it was read, by the clock that nobody sets. */
  seenAtMs: number;
}

export interface Clocks {
  now: () => number;
  /** Milliseconds of a monotonic clock. */
  elapsedMs: () => number;
}

/** The age of a state now. Pure. */
export const toAgeMs = ({ ageMs, seenAtMs }: SeenAccount, elapsedMs: number): number =>
  ageMs + Math.max(0, elapsedMs - seenAtMs);

/** Whether its numbers are those of now: young, and the terminal has them all from its trading server. Pure. */
export const isCurrent = (seen: SeenAccount, elapsedMs: number): boolean =>
  seen.state.is_synchronized && toAgeMs(seen, elapsedMs) <= ACCOUNT_CURRENT_MS;

/** Whether the files are about the account that the terminal is for. Pure. */
export const isOwnAccount = (
  { login, server }: { login: string; server: string },
  own: ReturnType<AccountExchange['findAccount']>,
): boolean =>
  own !== null && isSameLogin(login, own.login) && (own.server === null || isSameServerName(server, own.server));

const REQUEST = 'deals-request.json';

export class WatchedAccount {
  readonly terminalId: string;
  readonly #clocks: Clocks;
  readonly #accountFile = new WatchedFile('account.json', MAX_ACCOUNT_BYTES);
  readonly #dealsFile = new WatchedFile('deals.json', MAX_DEALS_BYTES);
  #seen: SeenAccount | undefined;
  #deals: WrittenDeals | undefined;
  /** What the program was asked for. */
  #requested = '';

  constructor(terminalId: string, clocks: Clocks) {
    this.terminalId = terminalId;
    this.#clocks = clocks;
  }

  get seen(): SeenAccount | undefined {
    return this.#seen;
  }

  /** The deals in the folder, if they follow this cursor. */
  findDeals(after: string | null): WrittenDeals | undefined {
    return this.#deals?.after === after ? this.#deals : undefined;
  }

  /** Forgets what was read; the folder may be another one. */
  async close(): Promise<void> {
    await Promise.all([this.#accountFile.close(), this.#dealsFile.close()]);
  }

  /** Looks for a new state. @returns it; a text says why a new file is not believed; undefined: nothing is new */
  async lookAtAccount(exchange: AccountExchange): Promise<SeenAccount | string | undefined> {
    const bytes = await this.#accountFile.look(exchange);
    if (!bytes) return undefined;
    const state = readAccount(bytes);
    if (typeof state === 'string') return `account.json: ${state} is wrong`;
    if (!isOwnAccount(state, exchange.findAccount())) return 'account.json is about another account';
    const [now, elapsedMs] = [this.#clocks.now(), this.#clocks.elapsedMs()];
    const before = this.#seen;
    const isSame = before?.state.login === state.login && before.state.server === state.server;
    // Begun anew: a terminal was installed again. It is believed once the last one is old anyway.
    if (before && isSame && state.sequence <= before.state.sequence && toAgeMs(before, elapsedMs) <= ACCOUNT_CURRENT_MS)
      return 'account.json: sequence does not rise';
    this.#seen = { state, ageMs: Math.max(0, now - Date.parse(state.at)), seenAtMs: elapsedMs };
    return this.#seen;
  }

  /** Looks for new deals. @returns whether there are any; a text says why a new file is not believed */
  async lookAtDeals(exchange: AccountExchange): Promise<boolean | string> {
    const bytes = await this.#dealsFile.look(exchange);
    if (!bytes) return false;
    const deals = readDeals(bytes);
    if (typeof deals === 'string') return `deals.json: ${deals} is wrong`;
    if (!isOwnAccount(deals, exchange.findAccount())) return 'deals.json is about another account';
    this.#deals = { ...deals, deals: deals.deals.slice(0, MAX_REPORTED_DEALS) };
    return true;
  }

  /** Asks the program for the deals after a cursor, unless it was asked for the same before. */
  async requestDeals({ files, folder }: AccountExchange, after: string | null): Promise<void> {
    const { login, server } = this.#seen?.state ?? {};
    if (login === undefined) return;
    const request = JSON.stringify({ v: 1, login, server, after, from: null });
    if (request === this.#requested) return;
    await files.replaceFile(`${folder}/${REQUEST}`, request, { mode: 0o644 });
    this.#requested = request;
  }
}
