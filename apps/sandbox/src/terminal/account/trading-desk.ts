import { isTrade, type AccountState, type TradeRequest, type TradeResult } from '../../wire/trade-messages.ts';
import type { OptionsFile } from '../platform/options-file.ts';
import type { AccountLogin } from './account-login.ts';
import type { DealsAnswer } from './connection.ts';

/** Return codes of MQL5 that are the terminal's own. */
const CLIENT_DISABLED: TradeResult = {
  retcode: 10_027,
  message: 'AutoTrading disabled by client terminal',
  order: null,
  deal: null,
};
const NO_CONNECTION: TradeResult = {
  retcode: 10_031,
  message: 'No connection with the trade server',
  order: null,
  deal: null,
};
/** The connection ended between the request and its answer. */
const TIMEOUT: TradeResult = { retcode: 10_012, message: 'Request canceled by timeout', order: null, deal: null };

/** The account's money as the terminal knows it, and the one way in which its programs trade. */
export class TradingDesk {
  readonly #login: AccountLogin;
  readonly #optionsFile: OptionsFile;
  readonly #listeners = new Set<() => void>();
  #state: AccountState | undefined;
  #isCurrent = false;
  #pricedAt = 0;

  constructor(login: AccountLogin, optionsFile: OptionsFile) {
    this.#login = login;
    this.#optionsFile = optionsFile;
    login.onAccount = (state) => this.#take(state);
    login.onOffline = () => {
      this.#isCurrent = false;
      this.#notify();
    };
  }

  /** The last state that was received; undefined before the first one. */
  get state(): AccountState | undefined {
    return this.#state;
  }

  /** When prices of what is open came last, in Unix milliseconds; undefined while nothing is. */
  get pricedAt(): number | undefined {
    return this.#state && this.#state.positions.length > 0 ? this.#pricedAt : undefined;
  }

  /** Whether the state is the server's of now. */
  get isSynchronized(): boolean {
    return this.#isCurrent && this.#login.connection.isOnline;
  }

  get isConnected(): boolean {
    return this.#login.connection.isOnline;
  }

  /** The Algo Trading button. */
  get isSwitchedOn(): boolean {
    return this.#optionsFile.settings.algoTrading;
  }

  /** Whether programs may trade: the Algo Trading button, and the account. */
  get isTradingAllowed(): boolean {
    return this.#optionsFile.settings.algoTrading && (this.#state?.trading_allowed ?? false);
  }

  /** Resolves once the state is the server's of now, or the signal aborts. */
  async synchronized(signal: AbortSignal): Promise<void> {
    while (!this.isSynchronized && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          this.#listeners.delete(end);
          signal.removeEventListener('abort', end);
          resolve();
        };
        this.#listeners.add(end);
        signal.addEventListener('abort', end);
      });
    }
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Trades for a program of the terminal. */
  async trade(request: TradeRequest): Promise<TradeResult> {
    if (isTrade(request) && !this.#optionsFile.settings.algoTrading) return CLIENT_DISABLED;
    if (!this.#login.connection.isOnline) return NO_CONNECTION;
    return (await this.#login.connection.trade(request)) ?? TIMEOUT;
  }

  findDeals(after: string | null, from: string | null): Promise<DealsAnswer | undefined> {
    return this.#login.connection.findDeals(after, from);
  }

  #take(state: AccountState): void {
    // The account that the server gave in the place of another one keeps that one's money.
    this.#state = { ...state, login: this.#login.account?.login ?? state.login };
    this.#isCurrent = true;
    this.#pricedAt = Date.now();
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
