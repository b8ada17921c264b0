import { toBackoffMs } from '@berth/kit';
import { findNetworkAddress, toAddress, type Address } from '../../wire/network-file.ts';
import type { Candle, ClientMessage, DemoForm, ServerMessage, Tick, Welcome } from '../../wire/protocol.ts';
import type { AccountState, TradeRequest, TradeResult } from '../../wire/trade-messages.ts';
import type { Journal } from '../journal.ts';
import type { Texts } from '../platform/platform.ts';
import { Link } from './link.ts';
import type { Credentials } from './saved-accounts.ts';

/** First and longest wait before another attempt: a server that was restarted is found again within seconds. */
const RETRY = { baseMs: 250, maxMs: 10_000 };
const KEEP_ALIVE_MS = 10_000;
const HISTORY_DEADLINE_MS = 3_000;
const TRADE_DEADLINE_MS = 10_000;

/** What is answered by a message of the same id. */
type Question = Extract<ClientMessage, { type: 'history' | 'trade' | 'deals' }>;
type QuestionFields<Each = Question> = Each extends { id: number } ? Omit<Each, 'id'> : never;
type Answer = Extract<ServerMessage, { type: 'history' | 'traded' | 'deals' }>;

export interface ConnectionOptions {
  networkFile: string | undefined;
  journal: Journal;
  texts: Texts;
  pingEveryMs: number;
  authorizedAs: { login: string; server: string } | undefined;
  onOnline: (welcome: Welcome, credentials: Credentials) => void;
  onOffline: () => void;
  onTicks: (seconds: number, ticks: Tick[]) => void;
  onAccount: (state: AccountState) => void;
}

const isAnswer = (message: ServerMessage): message is Answer =>
  message.type === 'history' || message.type === 'traded' || message.type === 'deals';

export type DealsAnswer = Extract<Answer, { type: 'deals' }>;

export type DemoResult = Credentials | 'no_connection' | 'unknown_server' | 'refused';

/**
 * The terminal's connection to its trading server, for one account at a time:
 *
 *   idle ──use──▶ connecting ──authorized──▶ online ──lost──▶ waiting ──▶ connecting …
 *                     ├── nobody there ──▶ waiting (longer each time) ──▶ connecting …
 *                     ├── refused: idle, as a wrong password does not become right by trying
 *                     └── unknown server: idle, without a word in the journal
 *
 * `use` and `close` end whatever is in progress; the abort signal of a run marks late answers.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #run = new AbortController();
  #link: Link | undefined;
  #pingMs: number | undefined;
  #nextId = 1;
  readonly #questions = new Map<number, (answer: Answer) => void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The last measured round trip; undefined while offline. */
  get pingMs(): number | undefined {
    return this.#link && this.#pingMs;
  }

  use(credentials: Credentials): void {
    this.close();
    this.#run = new AbortController();
    void this.#keepConnected(credentials, this.#run.signal);
  }

  close(): void {
    this.#run.abort();
    this.#link?.close();
    this.#link = undefined;
  }

  watch(symbols: readonly string[]): void {
    this.#link?.send({ type: 'watch', symbols: [...symbols] });
  }

  /** From now on the account's state is received, at once and whenever it changes. */
  followAccount(): void {
    this.#link?.send({ type: 'follow_account' });
  }

  /** The last candles up to now; undefined when offline or the server is too slow. */
  async findHistory(symbol: string, minutes: number, count: number): Promise<Candle[] | undefined> {
    const answer = await this.#ask({ type: 'history', symbol, minutes, count }, HISTORY_DEADLINE_MS);
    return answer?.type === 'history' ? answer.candles : undefined;
  }

  /** Undefined when offline, or when the connection ended before the answer: then nobody knows whether it was done. */
  async trade(request: TradeRequest): Promise<TradeResult | undefined> {
    const answer = await this.#ask({ type: 'trade', ...request }, TRADE_DEADLINE_MS);
    return answer?.type === 'traded' ? answer : undefined;
  }

  /** The deals after a ticket and not before a time; undefined when offline or the server is too slow. */
  async findDeals(after: string | null, from: string | null): Promise<DealsAnswer | undefined> {
    const answer = await this.#ask({ type: 'deals', after, from }, TRADE_DEADLINE_MS);
    return answer?.type === 'deals' ? answer : undefined;
  }

  get isOnline(): boolean {
    return this.#link !== undefined;
  }

  #ask(question: QuestionFields, deadlineMs: number): Promise<Answer | undefined> {
    const link = this.#link;
    if (!link) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const finish = (answer: Answer | undefined): void => {
        clearTimeout(deadline);
        this.#questions.delete(id);
        resolve(answer);
      };
      const deadline = setTimeout(finish, deadlineMs, undefined);
      link.onClose(() => finish(undefined));
      this.#questions.set(id, finish);
      link.send({ ...question, id });
    });
  }

  /** Opens a demo account over a connection of its own. */
  async openDemo(form: DemoForm): Promise<DemoResult> {
    const address = this.#findAddress(form.server);
    const link = address && (await Link.open(address, new AbortController().signal));
    const answer = await link?.request({ type: 'open_demo', ...form });
    link?.close();
    if (!answer) return 'no_connection';
    if (answer.type === 'unknown_server') return 'unknown_server';
    if (answer.type !== 'demo') return 'refused';
    this.#options.journal.print('Network', `new demo account '${answer.login}' opened on ${form.server}`);
    return { server: form.server, login: answer.login, password: answer.password };
  }

  /** A server given as host:port is reached there; a name is served by the sandbox's trading server. */
  #findAddress(server: string): Address | undefined {
    const { networkFile } = this.#options;
    return toAddress(server) ?? (networkFile === undefined ? undefined : findNetworkAddress(networkFile));
  }

  async #keepConnected(credentials: Credentials, signal: AbortSignal): Promise<void> {
    let retry = 0;
    while (!signal.aborted) {
      const outcome = await this.#connectOnce(credentials, signal);
      if (outcome === 'give up') return;
      if (outcome === 'was online') retry = 0;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, toBackoffMs(retry++, RETRY));
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }

  async #connectOnce(credentials: Credentials, signal: AbortSignal): Promise<'try again' | 'was online' | 'give up'> {
    const { login, server, password } = credentials;
    const { journal, texts } = this.#options;
    const address = this.#findAddress(server);
    const link = address && (await Link.open(address, signal));
    const pinging = link?.ping();
    const answer = await link?.request({ type: 'login', server, login, password });
    if (signal.aborted) return 'give up';
    if (!link || !answer) {
      journal.print('Network', texts.noConnection(login, server), 2);
      return 'try again';
    }
    if (answer.type === 'welcome') {
      this.#pingMs = await pinging;
      await this.#stayOnline(link, answer, credentials, signal);
      return 'was online';
    }
    link.close();
    if (answer.type === 'refused') journal.print('Network', texts.authorizationFailed(login, server, answer.reason), 2);
    return 'give up';
  }

  async #stayOnline(link: Link, welcome: Welcome, credentials: Credentials, signal: AbortSignal): Promise<void> {
    const { journal, texts, pingEveryMs, authorizedAs, onOnline, onOffline, onTicks, onAccount } = this.#options;
    const own = welcome.allocated === null ? credentials : { ...credentials, login: welcome.allocated };
    const { login } = own;
    this.#link = link;
    const closed = new Promise<void>((resolve) => link.onClose(resolve));
    link.onMessage((message) => {
      if (message.type === 'ticks') onTicks(message.time, message.ticks);
      if (message.type === 'account') onAccount(message);
      if (isAnswer(message)) this.#questions.get(message.id)?.(message);
    });
    const ping = (this.#pingMs ?? 0).toFixed(2);
    if (own !== credentials) this.#printAllocation(credentials.login, login, welcome.server);
    const named = authorizedAs ?? { login, server: welcome.server };
    journal.print('Network', texts.authorized(named.login, named.server, welcome.accessPoint, ping, welcome.build));
    onOnline(welcome, own);
    const keepAlive = setInterval(() => void this.#measure(link), KEEP_ALIVE_MS);
    const reporting = setInterval(() => void this.#reportPing(link, login, welcome.accessPoint), pingEveryMs);
    await closed;
    clearInterval(keepAlive);
    clearInterval(reporting);
    if (signal.aborted) return;
    this.#link = undefined;
    journal.print('Network', texts.connectionLost(login, welcome.server), 1);
    onOffline();
  }

  /** An expired demo account is replaced by another one automatically. */
  #printAllocation(former: string, login: string, server: string): void {
    const { journal } = this.#options;
    const text = `current demo account '${former}' on ${server} was deleted, new demo will be allocated`;
    if (former !== login) journal.print('Network', text, 1);
    journal.print('Network', `demo account '${login}' was allocated on ${server}`);
  }

  /** A server that does not answer a ping is gone, whatever the socket reports. */
  async #measure(link: Link): Promise<number | undefined> {
    const pingMs = await link.ping();
    if (pingMs === undefined) link.close();
    else this.#pingMs = pingMs;
    return pingMs;
  }

  async #reportPing(link: Link, login: string, accessPoint: string): Promise<void> {
    const pingMs = await this.#measure(link);
    if (pingMs === undefined || this.#link !== link) return;
    const text = `'${login}': ping to current access point ${accessPoint} is ${pingMs.toFixed(2)} ms`;
    this.#options.journal.print('Network', text);
  }
}
