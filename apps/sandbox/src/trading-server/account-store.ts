import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toRecord } from '../wire/fields.ts';
import type { DemoForm } from '../wire/protocol.ts';

export interface Account {
  server: string;
  login: string;
  salt: string;
  hash: string;
  demo: boolean;
  balance: number;
  leverage: number;
  currency: string;
  /** Unix milliseconds; missing in accounts of versions that had no deals. */
  createdAt?: number;
}

/** What a login gave: the account and whether the investor's password was used; undefined when it was refused. */
export type LoginResult = { account: Account; investor: boolean } | undefined;

const FILE = 'accounts.jsonl';
/** Play money does not need a slow hash; this one costs a few milliseconds off the main thread. */
const SCRYPT = { N: 4096, r: 8, p: 1 };
const HASH_BYTES = 32;
const MAX_ACCOUNTS = 1_000_000;
/** The investor's (read-only) password of every account is its password with this suffix. */
const INVESTOR_ENDING = ':investor';

const toHash = (password: string, salt: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, SCRYPT, (error, hash) => (error ? reject(error) : resolve(hash)));
  });

const isPasswordOf = async (account: Account, password: string): Promise<boolean> =>
  timingSafeEqual(await toHash(password, account.salt), Buffer.from(account.hash, 'hex'));

const toKey = (server: string, login: string): string => `${server.toLowerCase()}\n${login}`;

const toAccount = (line: string): Account | undefined => {
  try {
    const fields = toRecord(JSON.parse(line));
    const isComplete = typeof fields?.hash === 'string' && fields.hash.length === HASH_BYTES * 2;
    return isComplete ? (fields as unknown as Account) : undefined;
  } catch {
    // The last line of a server that was killed while writing.
    return undefined;
  }
};

/**
 * The accounts of all servers, in memory and in one file to which each new account is appended before its first answer.
 * An account is created by its first login; afterwards its password must match.
 */
export class AccountStore {
  readonly #path: string;
  readonly #accounts = new Map<string, Account>();
  /** Accounts being created: a second login at the same moment waits for the first. */
  readonly #creating = new Map<string, Promise<Account>>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(folder: string): Promise<AccountStore> {
    await mkdir(folder, { recursive: true });
    const store = new AccountStore(join(folder, FILE));
    const text = await readFile(store.#path, 'utf8').catch(() => '');
    // A torn last line must not swallow the next account.
    if (text !== '' && !text.endsWith('\n')) await appendFile(store.#path, '\n');
    for (const line of text.split('\n')) {
      const account = toAccount(line);
      if (account) store.#accounts.set(toKey(account.server, account.login), account);
    }
    return store;
  }

  async login(server: string, login: string, password: string): Promise<LoginResult> {
    const account = await this.#findOrCreate(server, login, password);
    if (await isPasswordOf(account, password)) return { account, investor: false };
    if (!password.endsWith(INVESTOR_ENDING)) return undefined;
    const master = password.slice(0, -INVESTOR_ENDING.length);
    return (await isPasswordOf(account, master)) ? { account, investor: true } : undefined;
  }

  /** Opens a demo account with a new login of eight digits and a generated password. */
  async openDemo(form: DemoForm): Promise<{ login: string; password: string }> {
    let login: string;
    do login = String(randomInt(10_000_000, 100_000_000));
    while (this.#accounts.has(toKey(form.server, login)) || this.#creating.has(toKey(form.server, login)));
    const password = randomBytes(9).toString('base64url');
    await this.#create({ ...form, login, demo: true }, password);
    return { login, password };
  }

  async #findOrCreate(server: string, login: string, password: string): Promise<Account> {
    const key = toKey(server, login);
    const known = this.#accounts.get(key) ?? (await this.#creating.get(key));
    if (known) return known;
    return this.#create({ server, login, demo: false, balance: 10_000, leverage: 100, currency: 'USD' }, password);
  }

  async #create(terms: Omit<Account, 'salt' | 'hash' | 'createdAt'>, password: string): Promise<Account> {
    if (this.#accounts.size >= MAX_ACCOUNTS) throw new Error('the account store is full');
    const key = toKey(terms.server, terms.login);
    const creating = this.#write(terms, password).finally(() => this.#creating.delete(key));
    this.#creating.set(key, creating);
    return creating;
  }

  async #write(terms: Omit<Account, 'salt' | 'hash' | 'createdAt'>, password: string): Promise<Account> {
    const { server, login, demo, balance, leverage, currency } = terms;
    const salt = randomBytes(16).toString('hex');
    const hash = (await toHash(password, salt)).toString('hex');
    const account: Account = { server, login, salt, hash, demo, balance, leverage, currency, createdAt: Date.now() };
    await appendFile(this.#path, `${JSON.stringify(account)}\n`, { mode: 0o600 });
    this.#accounts.set(toKey(server, login), account);
    return account;
  }
}
