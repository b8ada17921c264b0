/**
 * To which account a login in the journal belongs. A terminal may log in to an account that it had saved, a person may
 * log in to another one on its screen, and lines of an earlier login may come late: only the requested account counts.
 * The same number on another trading server is another account.
 */
import {
  isSameLogin,
  isSameServerName,
  isServerAddress,
  loginProblemTexts,
  type AccountName,
} from '@berth/contract/values';
import type { JournalEvent } from '../journal/journal-events.ts';
import { findAddress, type Account, type RecordFile } from '../record.ts';
import type { LoginState } from './terminal-view.ts';

export interface OwnAccount {
  login: string;
  /**
   * null where the server was given by an address, until the first login there: the user's name for it is not the
   * journal's.
   */
  server: string | null;
}

const isOwn = ({ login, server }: AccountName, own: OwnAccount): boolean =>
  isSameLogin(login, own.login) && (own.server === null || isSameServerName(server, own.server));

/** The login from the point of view of the account: being logged in elsewhere does not count. Pure. */
export const toOwnLogin = (login: LoginState, own: OwnAccount | null): LoginState => {
  if (login.state !== 'in' || own === null || isOwn(login, own)) return login;
  const wanted = own.server === null ? own.login : `${own.login} on ${own.server}`;
  const reason = `${loginProblemTexts.other_account}: ${login.login} on ${login.server}, not ${wanted}. Log in again.`;
  return { state: 'elsewhere', login: login.login, server: login.server, reason };
};

/** True for journal events about logins to another account, except successes, which matter. Pure. */
export const isOfAnother = (event: JournalEvent, own: OwnAccount | null): boolean =>
  own !== null &&
  'login' in event &&
  event.kind !== 'authorized' &&
  event.kind !== 'demo_opened' &&
  !isSameLogin(event.login, own.login);

/** The account of one terminal: the one in its record, or the one that a task is logging in to. */
export class OwnAccounts {
  readonly #record: RecordFile;
  /** It becomes the terminal's own with its first success, or never. */
  #pending: Account | undefined;
  #isOpening = false;

  constructor(record: RecordFile) {
    this.#record = record;
  }

  /** Call it before a start. @param account the one requested by a task; undefined where the terminal uses its own */
  begin(account: Account | undefined): void {
    this.#pending = account;
  }

  /** Makes the account the terminal's own. @param account null: it no longer has one */
  use(account: Account | null): Promise<void> {
    this.#pending = undefined;
    return this.#record.update({ account });
  }

  /**
   * What has to be remembered now that the terminal is logged in: the account that a task waits for, and how the server
   * behind an address is called. @returns undefined when nothing is new
   */
  takeLoggedIn(server: string): Account | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    const own = pending ?? this.#record.get().account;
    if (!own || this.#isOpening) return pending;
    const address = this.#findAddress(own);
    if (address === undefined || own.seen?.address === address) return pending;
    return { ...own, seen: { address, server } };
  }

  /**
   * While a demo account is being opened, the terminal logs in to it before its number is known: any account is right.
   */
  async whileOpening<Result>(open: () => Promise<Result>): Promise<Result> {
    this.#isOpening = true;
    try {
      return await open();
    } finally {
      this.#isOpening = false;
    }
  }

  get(): OwnAccount | null {
    if (this.#isOpening) return null;
    const own = this.#pending ?? this.#record.get().account;
    if (!own) return null;
    const address = this.#findAddress(own);
    if (address === undefined) return { login: own.login, server: own.server_name };
    return { login: own.login, server: own.seen?.address === address ? own.seen.server : null };
  }

  #findAddress({ server_name }: Account): string | undefined {
    return isServerAddress(server_name) ? server_name : findAddress(this.#record.get(), server_name);
  }
}
