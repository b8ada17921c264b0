/** Another program of an account of the sandbox, such as its owner's phone: it speaks to the trading server itself. */
import { connect, type Socket } from 'node:net';
import type { AccountDeal, AccountState, TradeResult } from '../../apps/sandbox/src/wire/trade-messages.ts';
import { waitFor } from './wait-for.ts';

export interface PhoneAccount {
  server: string;
  login: string;
  password: string;
}

/** Without what may be left out: `{ action: 'open', symbol: 'EURUSD', side: 'buy', volume: '0.10' }`. */
export type PhoneRequest = { action: 'open' | 'place' | 'close' | 'delete' | 'set_price' | 'move_money' } & Record<
  string,
  string
>;

type Message = { type: string; id?: number } & Record<string, unknown>;

export class SandboxPhone {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners = new Set<(state: AccountState) => void>();
  #first: Message | undefined;
  #state: AccountState | undefined;
  #lastId = 0;

  private constructor(address: string) {
    const [host, port] = address.split(':');
    this.#socket = connect({ host: host ?? '', port: Number(port), noDelay: true });
    // A connection that fails is closed then.
    this.#socket.on('error', () => undefined);
    let text = '';
    this.#socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line) as Message);
    });
  }

  /** @param address of the trading server: `host:port` */
  static async logIn(address: string, account: PhoneAccount): Promise<SandboxPhone> {
    const phone = new SandboxPhone(address);
    await phone.#begin({ type: 'login', ...account }, 'welcome');
    phone.#say({ type: 'follow_account' });
    await waitFor(() => phone.#state !== undefined, { what: 'the account' });
    return phone;
  }

  /** Opens a demo account. @returns how to log in to it */
  static async openDemo(address: string, form: { server: string; balance: number }): Promise<PhoneAccount> {
    const phone = new SandboxPhone(address);
    const owner = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const { login, password } = await phone.#begin({ type: 'open_demo', ...owner, ...form }, 'demo');
    phone.close();
    return { server: form.server, login: String(login), password: String(password) };
  }

  /** The account as the broker has it. */
  get state(): AccountState {
    if (!this.#state) throw new Error('There is no account yet.');
    return this.#state;
  }

  /** Called with each state that comes. */
  onState(listener: (state: AccountState) => void): void {
    this.#listeners.add(listener);
  }

  trade(request: PhoneRequest): Promise<TradeResult> {
    return this.#ask<TradeResult>({ type: 'trade', ...request });
  }

  /** All that the account has had, oldest first; 500 at most. */
  async listDeals(): Promise<AccountDeal[]> {
    return (await this.#ask<{ deals: AccountDeal[] }>({ type: 'deals', after: null, from: null })).deals;
  }

  close(): void {
    this.#socket.destroy();
  }

  #say(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #ask<Answer>(question: object): Promise<Answer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, (message) => resolve(message as Answer));
      this.#say({ id, ...question });
    });
  }

  async #begin(message: object, expected: string): Promise<Message> {
    this.#say(message);
    const what = 'an answer of the trading server';
    await waitFor(() => this.#first !== undefined || this.#socket.closed, { what });
    const first = this.#first;
    if (!first) throw new Error('The trading server does not answer.');
    if (first.type !== expected) throw new Error(`The trading server says ${JSON.stringify(first)}.`);
    return first;
  }

  #take(message: Message): void {
    this.#first ??= message;
    if (message.type === 'account') {
      this.#state = message as unknown as AccountState;
      for (const listener of this.#listeners) listener(this.#state);
    }
    const answer = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (!answer) return;
    this.#waiting.delete(message.id ?? 0);
    answer(message);
  }
}
