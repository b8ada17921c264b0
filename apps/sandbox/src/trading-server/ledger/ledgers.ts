import type { Account } from '../account-store.ts';
import { hasTrouble } from '../../wire/server-names.ts';
import { toCurrencyDigits } from './amounts.ts';
import type { LedgerTerms } from './ledger-data.ts';
import { LedgerFile } from './ledger-store.ts';
import { Ledger } from './ledger.ts';
import { OpenLedger } from './open-ledger.ts';

const toTerms = ({ server, login, currency, leverage, balance, createdAt }: Account): LedgerTerms => ({
  server,
  login,
  currency,
  leverage,
  marginMode: hasTrouble(server, 'Netting') ? 'netting' : 'hedging',
  deposit: BigInt(Math.round(balance * 10 ** toCurrencyDigits(currency))),
  // Accounts of earlier versions have no such time.
  createdAt: createdAt ?? Date.UTC(2026, 0, 1),
});

interface Entry {
  opening: Promise<OpenLedger>;
  /** Set once opened. */
  ledger?: OpenLedger;
  /** Logins that hold it. */
  holders: number;
}

/**
 * The ledgers in memory: those of accounts that are logged in, and those with something open, on which the market acts
 * whether a terminal is there or not. After a restart of the server an account is back with its first login.
 */
export class Ledgers {
  readonly #dataFolder: string;
  readonly #entries = new Map<string, Entry>();

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  /** Holds the ledger of an account until `release`. Rejects when its file cannot be read; then nothing is held. */
  async hold(account: Account): Promise<{ ledger: OpenLedger; release: () => void }> {
    const key = `${account.server}\n${account.login}`;
    const entry = this.#entries.get(key) ?? { opening: this.#read(account, key), holders: 0 };
    this.#entries.set(key, entry);
    entry.holders += 1;
    try {
      entry.ledger = await entry.opening;
      return { ledger: entry.ledger, release: () => (entry.holders -= 1) };
    } catch (error) {
      this.#forget(key, entry);
      throw error;
    }
  }

  /** A second of the market's clock; ledgers that nobody needs any more are closed. */
  takeSecond(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.holders === 0 && entry.ledger?.isIdle === true) this.#entries.delete(key);
      else entry.ledger?.takeSecond();
    }
  }

  async #read(account: Account, key: string): Promise<OpenLedger> {
    const file = new LedgerFile(this.#dataFolder, account.server, account.login);
    const ledger = new Ledger(toTerms(account), await file.read());
    // The next login reads the file again, as after a kill.
    return new OpenLedger({ ledger, file, onBroken: () => this.#entries.delete(key) });
  }

  /** A later login may have put another one in its place. */
  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
