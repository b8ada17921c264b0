import type { Logger } from '@berth/kit';
import type { Edition } from '../edition.ts';
import type { Credentials } from '../files/start-file.ts';
import type { TerminalHome } from '../home.ts';
import { prepareLink } from '../link/prepare-link.ts';
import { isOwnAccount, toServer, type RecordFile } from '../record.ts';
import { KeptLogin, type AccountToUse } from './kept-login.ts';
import { StartFileSlot } from './start-file-slot.ts';
import { NO_SAVED_PASSWORD, toNotTriedAgain, type LoginState } from './terminal-view.ts';

export interface LaunchOptions {
  /** Log in with these; without them the terminal uses the account that it saved. */
  credentials?: Credentials;
  /** The name by which users know the credentials' server, which may itself be given as an address. */
  serverName?: string;
  /** Run this script once, on a chart of this symbol (one is opened for it) or on the first chart. */
  script?: { name: string; symbol?: string };
  signal?: AbortSignal;
}

export interface PreparedStart {
  args: string[];
  firstLogin: LoginState;
  /** The account that the start specifies; undefined where the terminal has to use its own. */
  account: { login: string; server_name: string } | undefined;
}

interface PreparationOptions {
  home: TerminalHome;
  edition: Pick<Edition, 'dialect' | 'findLinkProgram'>;
  record: RecordFile;
  log: Logger;
}

/**
 * What a start needs: settings, start file, account. A terminal's passwords pass through here, and are removed here.
 */
export class StartPreparation {
  readonly #options: PreparationOptions;
  readonly #startFile: StartFileSlot;
  readonly #keptLogin: KeptLogin;
  /** An account other than the terminal's own, which a task is logging in to. */
  #wanted: AccountToUse | undefined;
  #settling: Promise<void> = Promise.resolve();

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#startFile = new StartFileSlot(options.home, options.edition.dialect.startFile);
    this.#keptLogin = new KeptLogin(options.home);
  }

  /** Writes the input of the next start. The terminal is stopped. */
  async prepare(options: LaunchOptions): Promise<PreparedStart> {
    const { home, record, edition } = this.#options;
    const { dialect } = edition;
    const { allowsAlgoTrading, account } = record.get();
    if (options.credentials && dialect.prefersSavedPassword) await home.options.deleteSavedAccounts();
    const { credentials, serverName } = await this.#withAccount(options);
    // Repeating a wrong password locks accounts.
    if (!credentials && record.get().isRefused) await home.options.deleteSavedAccounts();
    const { script } = options;
    await home.options.writeAlgoTrading(allowsAlgoTrading);
    await home.options.closeMcpServer();
    await this.#prepareLink();
    const saved = account && {
      login: account.login,
      server: toServer(this.#options.record.get(), account.server_name),
    };
    if (saved && !credentials) await home.options.ensureAccountNamed(saved);
    const { isAlwaysNeeded } = dialect.startFile;
    const named = credentials ?? (isAlwaysNeeded ? saved : null);
    const content = { ...(named ? { credentials: named } : {}), ...(script ? { script } : {}), allowsAlgoTrading };
    const needsFile = isAlwaysNeeded || credentials !== undefined || script !== undefined;
    const path = needsFile ? await this.#startFile.write(content) : undefined;
    return {
      args: dialect.startFile.toArguments(path),
      firstLogin: await this.#toFirstLogin(credentials !== undefined),
      account: credentials && { login: credentials.login, server_name: serverName ?? credentials.server },
    };
  }

  /** Whether the next start can specify the terminal's own account. */
  async isAccountKept(): Promise<boolean> {
    return (await this.#findKept().catch(() => undefined)) !== undefined;
  }

  /** Whether the next start needs no password: it is kept here, or saved by the terminal and not refused since. */
  async hasPassword(): Promise<boolean> {
    const { home, record } = this.#options;
    return (await this.isAccountKept()) || (!record.get().isRefused && (await home.options.hasSavedAccount()));
  }

  /** An account that the terminal got by other means than a start. */
  keep(account: AccountToUse): Promise<void> {
    return this.#keptLogin.keep(account);
  }

  /**
   * The login has reached this state: the start file is no longer needed. A successful account is kept for later
   * starts, and a password that the broker refused is not retried.
   */
  noteLogin(login: LoginState): void {
    const { state } = login;
    const wanted = this.#wanted;
    if (state === 'in' || state === 'refused') this.#wanted = undefined;
    if (state === 'in' && wanted) this.#settle(this.#keptLogin.keep(wanted));
    if (state === 'in') {
      this.#noteRefusal(undefined);
      this.#settle(this.#keptLogin.confirm());
    }
    if (state === 'refused' && !wanted) {
      this.#noteRefusal(login.reason);
      this.#settle(this.#keptLogin.refuse());
    }
    this.retireStartFile();
  }

  /** Removes the password from the start file. */
  retireStartFile(): void {
    this.#settle(this.#startFile.retire());
  }

  /** Resolves when all changes are on disk, or have failed. */
  async flush(): Promise<void> {
    await this.#settling;
  }

  /** The run is over: its start file is removed. */
  removeStartFile(): Promise<void> {
    return this.#startFile.remove();
  }

  /** No later start specifies an account. */
  forgetLogin(): Promise<void> {
    this.#wanted = undefined;
    return this.#keptLogin.forget();
  }

  /**
   * An account other than the terminal's own is kept once its login has succeeded: until then, the next start would
   * need the former one.
   */
  async #withAccount({
    credentials,
    serverName = credentials?.server ?? '',
  }: LaunchOptions): Promise<Pick<LaunchOptions, 'credentials' | 'serverName'>> {
    this.#wanted = undefined;
    if (credentials) {
      const wanted = { login: credentials.login, password: credentials.password, serverName };
      if (this.#isOwn(wanted)) await this.#keptLogin.keep(wanted);
      else this.#wanted = wanted;
      return { credentials, serverName };
    }
    const account = await this.#findKept();
    if (!account) return {};
    const { login, password } = account;
    return {
      credentials: { login, password, server: toServer(this.#options.record.get(), account.serverName) },
      serverName: account.serverName,
    };
  }

  async #findKept(): Promise<AccountToUse | undefined> {
    const account = await this.#keptLogin.find();
    return account && this.#isOwn(account) ? account : undefined;
  }

  #noteRefusal(refusal: string | undefined): void {
    const { record } = this.#options;
    const isRefused = refusal !== undefined;
    const { isRefused: wasRefused = false, refusal: former } = record.get();
    if (wasRefused !== isRefused || former !== refusal) this.#settle(record.update({ isRefused, refusal }));
  }

  #isOwn(account: AccountToUse): boolean {
    return isOwnAccount(this.#options.record.get(), account);
  }

  /** A terminal whose folder does not allow it starts without account data. */
  async #prepareLink(): Promise<void> {
    const { home, edition, log } = this.#options;
    try {
      await prepareLink(home.files, edition.dialect.link, async () => edition.findLinkProgram?.());
    } catch (error) {
      log.warn({ err: error }, 'the link program could not be put into a terminal: it has no account data in this run');
    }
  }

  #settle(act: Promise<void>): void {
    const settled = act.catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'a password of a terminal could not be kept, or taken away');
    });
    this.#settling = Promise.all([this.#settling, settled]).then(() => undefined);
  }

  async #toFirstLogin(hasAccount: boolean): Promise<LoginState> {
    const { home, record } = this.#options;
    if (hasAccount) return { state: 'connecting', hasPassword: true };
    const { account, isRefused, refusal } = record.get();
    if (!account) return { state: 'none' };
    if (await home.options.hasSavedAccount()) return { state: 'connecting', hasPassword: false };
    return isRefused && refusal !== undefined ? toNotTriedAgain(refusal) : NO_SAVED_PASSWORD;
  }
}
