import type { Socket } from 'node:net';
import { sleep } from '@berth/kit';
import { readJsonLines, writeJsonLine } from '../wire/json-lines.ts';
import {
  MAX_CLIENT_LINE_BYTES,
  toClientMessage,
  type ClientMessage,
  type ServerMessage,
  type SymbolInfo,
} from '../wire/protocol.ts';
import type { TradeRequest } from '../wire/trade-messages.ts';
import { hasTrouble } from '../wire/server-names.ts';
import type { AccountStore, LoginResult } from './account-store.ts';
import type { Ledgers } from './ledger/ledgers.ts';
import type { OpenLedger } from './ledger/open-ledger.ts';
import { toResult } from './ledger/retcodes.ts';
import { toCandles, toTick } from './market.ts';
import { findSymbol, SYMBOLS, type MarketSymbol } from './symbols.ts';

export const SANDBOX_COMPANY = 'Berth Sandbox';
/** The server's own name: an account that came by an address rather than a name belongs here. */
export const SANDBOX_SERVER = 'BerthSandbox-Demo';
const SERVER_BUILD = 6000;
/** How long an account of a server with changing access points stays on its first one. */
const SWITCH_AFTER_MS = 2_000;
/** How long it is away then: the median of real terminals is 1.1 s, and they wait for some of it themselves. */
const SWITCH_MS = 800;
/** A connection that has not logged in by then is cut off. */
const LOGIN_DEADLINE_MS = 10_000;

const symbolInfos: SymbolInfo[] = SYMBOLS.map(({ name, digits, description }) => [name, digits, description]);

const isAddress = (server: string): boolean => /:\d{1,5}$/.test(server);

/** The account that is given in the place of another one: the same one each time. */
const toAllocatedLogin = (login: string): string => `9${login.slice(-7).padStart(7, '0')}`;

export interface BrokerState {
  accounts: AccountStore;
  ledgers: Ledgers;
  /** The last login of each account since the server started. */
  logins: Map<string, { address: string; at: number; count: number }>;
}

/** One connection of a terminal: at most one login, then ticks, history and pings until either side hangs up. */
export class TerminalConnection {
  readonly #socket: Socket;
  readonly #broker: BrokerState;
  readonly #deadline: NodeJS.Timeout;
  #state: 'new' | 'busy' | 'in' = 'new';
  #watched: MarketSymbol[] = [];
  /** Set by the login. */
  #money: { ledger: OpenLedger; isInvestor: boolean } | undefined;
  #isFollowing = false;

  constructor(socket: Socket, broker: BrokerState) {
    this.#socket = socket;
    this.#broker = broker;
    this.#deadline = setTimeout(() => socket.destroy(), LOGIN_DEADLINE_MS);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clearTimeout(this.#deadline));
    readJsonLines(socket, { maxLineBytes: MAX_CLIENT_LINE_BYTES, onMessage: (value) => this.#receive(value) });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends the watched symbols' prices of this second. */
  sendTicks(seconds: number): void {
    if (this.#watched.length === 0) return;
    const ledger = this.#money?.ledger;
    const ticks = this.#watched.map((symbol) => {
      const tick = toTick(symbol, seconds);
      return ledger?.toTick(symbol, tick) ?? tick;
    });
    this.#send({ type: 'ticks', time: seconds, ticks });
  }

  #receive(value: unknown): void {
    const message = toClientMessage(value);
    const isAllowed = message && (message.type === 'ping' || this.#isExpected(message));
    if (!isAllowed) return this.close();
    this.#handle(message).catch(() => this.close());
  }

  /** Before the login: one login or one demo account. After it: everything else. */
  #isExpected({ type }: ClientMessage): boolean {
    return type === 'login' || type === 'open_demo' ? this.#state === 'new' : this.#state === 'in';
  }

  async #handle(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case 'ping':
        return this.#send({ type: 'pong', id: message.id });
      case 'login':
        return this.#login(message);
      case 'open_demo': {
        if (!this.#isServed(message.server)) return;
        const { type: _, ...form } = message;
        this.#send({ type: 'demo', ...(await this.#broker.accounts.openDemo(form)) });
        this.#socket.end();
        return;
      }
      case 'watch':
        this.#watched = message.symbols.flatMap((name) => findSymbol(name) ?? []);
        return this.sendTicks(Math.floor(Date.now() / 1000));
      case 'history': {
        const symbol = findSymbol(message.symbol);
        const now = Math.floor(Date.now() / 1000);
        const candles = symbol ? toCandles(symbol, message.minutes, message.count, now) : [];
        return this.#send({ type: 'history', id: message.id, candles });
      }
      case 'follow_account':
        return this.#followAccount();
      case 'trade':
        return this.#trade(message);
      case 'deals': {
        const page = await this.#getMoney().ledger.listDeals(message.after, message.from);
        return this.#send({ type: 'deals', id: message.id, ...page });
      }
    }
  }

  /** Names that begin with Unreachable do not answer; names that begin with Unknown are nobody's. Takes the connection. */
  #isServed(server: string): boolean {
    this.#state = 'busy';
    if (hasTrouble(server, 'Unreachable')) {
      this.close();
      return false;
    }
    if (hasTrouble(server, 'Unknown')) {
      this.#send({ type: 'unknown_server' });
      this.#socket.end();
      return false;
    }
    return true;
  }

  async #login({ server: asked, login, password }: { server: string; login: string; password: string }): Promise<void> {
    if (!this.#isServed(asked)) return;
    const server = isAddress(asked) ? SANDBOX_SERVER : asked;
    const result = await this.#broker.accounts.login(server, login, password);
    if (this.#isSwitching(server) && this.#broker.logins.has(`${server}\n${login}`)) await sleep(SWITCH_MS);
    if (!result) {
      this.#send({ type: 'refused', reason: 'Invalid account' });
      this.#socket.end();
      return;
    }
    clearTimeout(this.#deadline);
    const { ledger, release } = await this.#broker.ledgers.hold(result.account);
    if (this.#socket.closed) return release();
    this.#socket.once('close', release);
    this.#money = { ledger, isInvestor: result.investor || hasTrouble(server, 'Expired') };
    this.#state = 'in';
    this.#welcome(result, ledger);
  }

  #getMoney(): { ledger: OpenLedger; isInvestor: boolean } {
    if (!this.#money) throw new Error('nobody is logged in');
    return this.#money;
  }

  #followAccount(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { ledger, isInvestor } = this.#getMoney();
    const send = (): void => {
      if (ledger.isBroken) return this.close();
      this.#send({ type: 'account', ...ledger.getState(isInvestor) });
    };
    this.#socket.once('close', ledger.follow(send));
    send();
  }

  async #trade({ id, ...request }: { id: number } & TradeRequest): Promise<void> {
    const { ledger, isInvestor } = this.#getMoney();
    const result = isInvestor ? toResult(10017) : await ledger.trade(request);
    this.#send({ type: 'traded', id, ...result });
  }

  #welcome({ account, investor }: NonNullable<LoginResult>, ledger: OpenLedger): void {
    const { server, login, demo, currency, leverage } = account;
    const key = `${server}\n${login}`;
    const last = this.#broker.logins.get(key);
    const count = last?.count ?? 0;
    const previous = last ? { address: last.address, at: last.at } : null;
    this.#broker.logins.set(key, {
      address: this.#socket.remoteAddress ?? '0.0.0.0',
      at: Date.now(),
      count: count + 1,
    });
    const accessPoint = `Access Point ${this.#isSwitching(server) ? (count % 2) + 1 : 1}`;
    const house = { company: SANDBOX_COMPANY, accessPoint, build: SERVER_BUILD, symbols: symbolInfos };
    const terms = { server, demo, investor, currency, leverage, previous, ...ledger.getSummary() };
    const allocated = hasTrouble(server, 'Allocated') ? toAllocatedLogin(login) : null;
    const mustChangePassword = hasTrouble(server, 'Expired');
    this.#send({ type: 'welcome', ...terms, ...house, allocated, mustChangePassword });
    // Every second login stays, so that a terminal comes to rest between two changes.
    if (this.#isSwitching(server) && count % 2 === 0) setTimeout(() => this.close(), SWITCH_AFTER_MS).unref();
  }

  #isSwitching(server: string): boolean {
    return hasTrouble(server, 'Switching');
  }

  #send(message: ServerMessage): void {
    writeJsonLine(this.#socket, message);
  }
}
