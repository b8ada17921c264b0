import type { Tick } from '../../wire/protocol.ts';
import type { MarketSymbol } from '../symbols.ts';
import {
  type AccountDeal,
  type AccountState,
  type TradeRequest,
  type TradeResult,
  MAX_DEALS_PER_ANSWER,
  isTrade,
} from '../../wire/trade-messages.ts';
import { hasTrouble } from '../../wire/server-names.ts';
import { toCurrencyDigits, toDecimal } from './amounts.ts';
import type { LedgerTerms } from './ledger-data.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerFile } from './ledger-store.ts';
import { toAccountDeal, toAccountState } from './ledger-view.ts';
import { isDone, toResult, type Retcode } from './retcodes.ts';

/** Requests that were requoted once and wait to be asked again; more are forgotten. */
const MAX_REQUOTED = 1_000;

const isAtMarket = ({ action }: TradeRequest): boolean => action === 'open' || action === 'close';

const toKey = (request: TradeRequest): string =>
  request.action === 'open' ? `${request.symbol} ${request.side}` : 'ticket' in request ? request.ticket : '';

/** What the name of a server asks for in place of an honest answer. One per account. */
export class TradeFaults {
  readonly #server: string;
  readonly #requoted = new Set<string>();

  constructor(server: string) {
    this.#server = server;
  }

  /** Whether the server lets anybody trade. */
  get isDisabled(): boolean {
    return hasTrouble(this.#server, 'Disabled');
  }

  /** The refusal of a request, which is then not carried out. */
  findRefusal(request: TradeRequest): Retcode | undefined {
    if (!isTrade(request)) return undefined;
    if (this.isDisabled) return 10026;
    if (hasTrouble(this.#server, 'Rejecting') && ['open', 'place'].includes(request.action)) return 10006;
    if (hasTrouble(this.#server, 'Stuck') && request.action === 'close') return 10018;
    if (hasTrouble(this.#server, 'Requote') && isAtMarket(request)) return this.#requoteOnce(toKey(request));
    return undefined;
  }

  /** Whether a request is carried out, and answered as if it had timed out. */
  isUnclear(request: TradeRequest): boolean {
    return hasTrouble(this.#server, 'Unclear') && request.action === 'close';
  }

  #requoteOnce(key: string): Retcode | undefined {
    if (this.#requoted.delete(key)) return undefined;
    if (this.#requoted.size >= MAX_REQUOTED) this.#requoted.clear();
    this.#requoted.add(key);
    return 10004;
  }
}

export interface DealPage {
  deals: AccountDeal[];
  is_complete: boolean;
  complete_until: string;
}

export interface OpenLedgerOptions {
  ledger: Ledger;
  file: LedgerFile;
  /** Called when its file could not be written: memory and disk differ from then on. */
  onBroken: () => void;
}

/**
 * A ledger that is in use: whatever it answers or sends is on disk already. So a kill of the trading server takes
 * nothing back that a terminal has seen.
 */
export class OpenLedger {
  readonly #options: OpenLedgerOptions;
  readonly #faults: TradeFaults;
  readonly #followers = new Set<() => void>();
  #isBroken = false;
  #writes = 0;
  #writing: Promise<void> = Promise.resolve();
  /** A write that has not begun: what changes until then is part of it. */
  #next: Promise<void> | undefined;

  constructor(options: OpenLedgerOptions) {
    this.#options = options;
    this.#faults = new TradeFaults(options.ledger.entries.terms.server);
  }

  /** Nothing is being written, and the market can do nothing to it. */
  get isIdle(): boolean {
    return this.#writes === 0 && !this.#hasOpen;
  }

  get #hasOpen(): boolean {
    const { positions, orders } = this.#options.ledger.entries.state;
    return positions.length + orders.length > 0;
  }

  /** Its file could not be written: what is in memory was never confirmed, and nobody may see it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Calls back after each change, each second in which something is open, and once it is broken. @returns a function
   * that ends it
   */
  follow(onChange: () => void): () => void {
    const follower = (): void => onChange();
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** What a login is told. */
  getSummary(): { balance: number; marginMode: LedgerTerms['marginMode']; positions: number; orders: number } {
    const { state, terms } = this.#options.ledger.entries;
    const balance = Number(toDecimal(state.balance, toCurrencyDigits(terms.currency)));
    const { positions, orders } = state;
    return { balance, marginMode: terms.marginMode, positions: positions.length, orders: orders.length };
  }

  getState(isInvestor: boolean): AccountState {
    return toAccountState(this.#options.ledger, Date.now(), !isInvestor && !this.#faults.isDisabled);
  }

  toTick({ name, digits, spreadPoints }: MarketSymbol, market: Tick): Tick {
    const bid = this.#options.ledger.entries.state.setBids.get(name);
    if (bid === undefined) return market;
    return [name, Number(toDecimal(bid, digits)), Number(toDecimal(bid + BigInt(spreadPoints), digits))];
  }

  async trade(request: TradeRequest): Promise<TradeResult> {
    const refusal = this.#faults.findRefusal(request);
    if (refusal !== undefined) return toResult(refusal);
    const result = this.#options.ledger.trade(request, Date.now());
    if (isDone(result)) await this.#save();
    return isDone(result) && this.#faults.isUnclear(request) ? toResult(10012) : result;
  }

  async listDeals(after: string | null, from: string | null): Promise<DealPage> {
    await this.#writing;
    const { entries } = this.#options.ledger;
    const fromMs = from === null ? null : Date.parse(from);
    const afterTicket = after === null ? null : BigInt(after);
    const { deals, isComplete } = this.#options.ledger.listDeals(afterTicket, fromMs, MAX_DEALS_PER_ANSWER);
    const until = isComplete ? Math.max(Date.now(), entries.lastDeal?.at ?? 0) : (deals.at(-1)?.at ?? 0);
    return {
      deals: deals.map((deal) => toAccountDeal(deal, entries.terms.currency)),
      is_complete: isComplete,
      complete_until: new Date(until).toISOString(),
    };
  }

  /** A second of the market's clock. */
  takeSecond(): void {
    const { ledger } = this.#options;
    if (ledger.takeMarket(Date.now())) return void this.#save().catch(() => undefined);
    // While something is being written, its end will call.
    if (this.#writes === 0 && this.#hasOpen) this.#notify();
  }

  /** Resolves when everything up to now is on disk; then the followers know. */
  #save(): Promise<void> {
    if (this.#next) return this.#next;
    this.#writes += 1;
    this.#next = this.#writing.then(() => {
      this.#next = undefined;
      return this.#options.file.write(this.#options.ledger.entries);
    });
    this.#writing = this.#next.then(
      () => {
        this.#writes -= 1;
        if (this.#writes === 0) this.#notify();
      },
      (error: unknown) => {
        this.#break();
        throw error;
      },
    );
    this.#writing.catch(() => undefined);
    return this.#writing;
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#options.onBroken();
    this.#notify();
  }

  #notify(): void {
    for (const follower of this.#followers) follower();
  }
}
