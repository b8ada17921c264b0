import type { Logger } from '@berth/kit';
import type { Dialect } from '../dialect.ts';
import type { Credentials } from '../files/start-file.ts';
import type { TerminalHome } from '../home.ts';
import type { RecordFile } from '../record.ts';
import { KeptLogin } from './kept-login.ts';
import { StartFileSlot } from './start-file-slot.ts';
import { NO_SAVED_PASSWORD, type LoginState } from './terminal-view.ts';

export interface LaunchOptions {
  /** Log in with these; without them the terminal uses the account that it saved. */
  credentials?: Credentials;
  /** The name by which users know the credentials' server, which may be written there as an address. */
  serverName?: string;
  /** Run this script once, on a chart of this symbol (one is opened for it) or on the first chart. */
  script?: { name: string; symbol?: string };
  signal?: AbortSignal;
}

export interface PreparedStart {
  args: string[];
  firstLogin: LoginState;
  /** The account that the start brings along; undefined where the terminal has to take its own. */
  account: { login: string; server_name: string } | undefined;
}

interface PreparationOptions {
  home: TerminalHome;
  edition: { dialect: Dialect };
  record: RecordFile;
  log: Logger;
}

/** What a start needs: settings, start file, account. The passwords of a terminal go through here, and are taken away here. */
export class StartPreparation {
  readonly #options: PreparationOptions;
  readonly #startFile: StartFileSlot;
  readonly #keptLogin: KeptLogin;

  constructor(options: PreparationOptions) {
    this.#options = options;
    this.#startFile = new StartFileSlot(options.home, options.edition.dialect.startFile);
    this.#keptLogin = new KeptLogin(options.home);
  }

  /** Writes what the next start reads. The terminal is stopped. */
  async prepare(options: LaunchOptions): Promise<PreparedStart> {
    const { home, record, edition } = this.#options;
    const { dialect } = edition;
    const { allowsAlgoTrading, account } = record.get();
    if (options.credentials && dialect.prefersSavedPassword) await home.options.deleteSavedAccounts();
    const { credentials, serverName } = await this.#withAccount(options);
    const { script } = options;
    await home.options.writeAlgoTrading(allowsAlgoTrading);
    await home.options.closeMcpServer();
    const saved = account && { login: account.login, server: this.#toServer(account.server_name) };
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

  /** True for a terminal that never logged in and has no account but the one that we keep for it. */
  async isAccountKept(): Promise<boolean> {
    return (await this.#keptLogin.find().catch(() => undefined)) !== undefined;
  }

  /** Takes passwords away from wherever they have no more use, now that the login is in this state. */
  async retire({ state }: LoginState): Promise<void> {
    const isDecided = state === 'in' || state === 'refused';
    const retired = await Promise.allSettled([
      this.#startFile.retire(),
      isDecided ? this.#keptLogin.forget() : undefined,
    ]);
    for (const result of retired) {
      if (result.status === 'fulfilled') continue;
      this.#options.log.error({ err: result.reason as unknown }, 'a password of a terminal could not be taken away');
    }
  }

  /** The run is over: its start file goes. */
  removeStartFile(): Promise<void> {
    return this.#startFile.remove();
  }

  /** Forgets an account that is still waiting for its first login. */
  forgetLogin(): Promise<void> {
    return this.#keptLogin.forget();
  }

  /** Until a login succeeded, every start brings the account along: the terminal has nowhere to take it from. */
  async #withAccount({
    credentials,
    serverName = credentials?.server ?? '',
  }: LaunchOptions): Promise<Pick<LaunchOptions, 'credentials' | 'serverName'>> {
    const account = await this.#keptLogin.choose(credentials && { ...credentials, serverName });
    if (credentials) return { credentials, serverName };
    if (!account) return {};
    const { login, password } = account;
    return {
      credentials: { login, password, server: this.#toServer(account.serverName) },
      serverName: account.serverName,
    };
  }

  /** What to write where the terminal wants a server: the address that the user gave for the name, or the name. */
  #toServer(serverName: string): string {
    return this.#options.record.get().servers.find(({ name }) => name === serverName)?.address ?? serverName;
  }

  async #toFirstLogin(hasAccount: boolean): Promise<LoginState> {
    const { home, record } = this.#options;
    if (hasAccount) return { state: 'connecting', hasPassword: true };
    if (!record.get().account) return { state: 'none' };
    return (await home.options.hasSavedAccount()) ? { state: 'connecting', hasPassword: false } : NO_SAVED_PASSWORD;
  }
}
