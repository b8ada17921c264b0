/**
 * Looks at the accounts of all terminals that run, four times a second. What a look finds is known at once to whoever
 * observes it. A terminal whose disk does not answer holds up no other one. A file that is not believed is never passed
 * on, and the log says so once, and again only every ten minutes. It is left alone for a while, since a terminal can
 * write without end what takes long to refuse.
 */
import { cutText } from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import type { AccountExchange, TerminalDriver } from '../platforms/driver.ts';
import type { TerminalKeeper } from '../terminals/terminal-keeper.ts';
import { WatchedAccount, type Clocks, type SeenAccount } from './watched-account.ts';

const COMPLAIN_MS = 600_000;
/** Less than `ACCOUNT_CURRENT_MS`: numbers that were wrong for a moment are there again before they are missed. */
const REFUSED_MS = 5_000;
const MAX_REASON_CHARACTERS = 300;

export type AccountObserver = (terminalId: string, seen: SeenAccount) => void;

export interface AccountWatchOptions {
  keeper: Pick<TerminalKeeper, 'list' | 'find'>;
  timing: Timing;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
  log: Logger;
}

type WatchedPart = 'account' | 'deals';

interface Entry {
  account: WatchedAccount;
  /** The look that is not over; on a disk that does not answer it may never be. */
  looking: Promise<void> | undefined;
  complainedAtMs: number;
  /** Until when a file that was not believed is left alone. */
  refusedUntilMs: Record<WatchedPart, number>;
}

export class AccountWatch {
  readonly clocks: Clocks;
  readonly #options: AccountWatchOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #observers = new Set<AccountObserver>();
  readonly #dealObservers = new Set<(terminalId: string) => void>();

  constructor(options: AccountWatchOptions) {
    const { timing, elapsedMs = () => performance.now() } = options;
    this.#options = options;
    this.clocks = { now: () => timing.clock.now(), elapsedMs };
  }

  /** The last state of a terminal's account that was believed, whatever its age. */
  latestAccount(terminalId: string): SeenAccount | undefined {
    return this.#entries.get(terminalId)?.account.seen;
  }

  /** Called with each new state as soon as it is read. @returns a function that ends it */
  observe(observer: AccountObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** The same for deals that were read. */
  observeDeals(observer: (terminalId: string) => void): () => void {
    this.#dealObservers.add(observer);
    return () => this.#dealObservers.delete(observer);
  }

  /** The exchange folder of a terminal; undefined where it has none. */
  findExchange(terminalId: string): AccountExchange | undefined {
    return this.#options.keeper.find(terminalId)?.findExchange?.();
  }

  list(): WatchedAccount[] {
    return [...this.#entries.values()].map(({ account }) => account);
  }

  find(terminalId: string): WatchedAccount | undefined {
    return this.#entries.get(terminalId)?.account;
  }

  /** Begins a look at each terminal that runs, except where the last one is not over. */
  lookAtAll(): void {
    const drivers = this.#options.keeper.list().map(({ driver }) => driver);
    const ids = new Set(drivers.map(({ terminalId }) => terminalId));
    for (const [id, entry] of this.#entries) if (!ids.has(id)) this.#drop(id, entry);
    for (const driver of drivers) if (driver.isAlive()) this.#begin(driver);
  }

  /** Forgets all of them; their folders are closed as soon as nothing looks into them. */
  close(): void {
    for (const [id, entry] of this.#entries) this.#drop(id, entry);
  }

  #drop(id: string, { account, looking }: Entry): void {
    this.#entries.delete(id);
    void (looking ?? Promise.resolve()).then(() => account.close());
  }

  #begin(driver: TerminalDriver): void {
    const { terminalId } = driver;
    const exchange = driver.findExchange?.();
    if (!exchange) return;
    const entry = this.#entries.get(terminalId) ?? {
      account: new WatchedAccount(terminalId, this.clocks),
      looking: undefined,
      complainedAtMs: -Infinity,
      refusedUntilMs: { account: -Infinity, deals: -Infinity },
    };
    this.#entries.set(terminalId, entry);
    entry.looking ??= this.#look(entry, exchange)
      .catch((error: unknown) => this.#complain(entry, String(error), 'an account could not be passed on'))
      .finally(() => {
        entry.looking = undefined;
      });
  }

  async #look(entry: Entry, exchange: AccountExchange): Promise<void> {
    const { account } = entry;
    const seen = await this.#read(entry, 'account', () => account.lookAtAccount(exchange));
    if (seen) for (const observer of this.#observers) observer(account.terminalId, seen);
    const hasDeals = await this.#read(entry, 'deals', () => account.lookAtDeals(exchange));
    if (hasDeals) for (const observer of this.#dealObservers) observer(account.terminalId);
  }

  /** @returns what is new in a file, unless it is not believed, or was not believed a moment ago */
  async #read<News>(
    entry: Entry,
    part: WatchedPart,
    look: () => Promise<News | string>,
  ): Promise<Exclude<News, string> | undefined> {
    if (this.clocks.elapsedMs() < entry.refusedUntilMs[part]) return undefined;
    const news = await look().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (typeof news !== 'string') return news as Exclude<News, string>;
    entry.refusedUntilMs[part] = this.clocks.elapsedMs() + REFUSED_MS;
    this.#complain(entry, news, 'what the terminal says of its account is not believed');
    return undefined;
  }

  #complain(entry: Entry, reason: string, text: string): void {
    const elapsedMs = this.clocks.elapsedMs();
    if (elapsedMs - entry.complainedAtMs < COMPLAIN_MS) return;
    entry.complainedAtMs = elapsedMs;
    const terms = { terminal_id: entry.account.terminalId, reason: cutText(reason, MAX_REASON_CHARACTERS) };
    this.#options.log.warn(terms, text);
  }
}

/** Looks every `intervalMs`. Resolves when the signal aborts. */
export const runAccountWatch = async (
  watch: AccountWatch,
  { intervalMs, timing }: { intervalMs: number; timing: Timing },
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    watch.lookAtAll();
    await timing.sleep(intervalMs, signal);
  }
};
