import type { DemoForm, Tick, Welcome } from '../../wire/protocol.ts';
import { hasTrouble, isSameServer } from '../../wire/server-names.ts';
import type { AccountState } from '../../wire/trade-messages.ts';
import type { Experts } from '../charts/experts.ts';
import type { MarketWatch } from '../charts/market-watch.ts';
import type { Profile } from '../charts/profile.ts';
import type { Journal } from '../journal.ts';
import type { OptionsFile } from '../platform/options-file.ts';
import type { Platform } from '../platform/platform.ts';
import type { StartFile } from '../platform/start-file.ts';
import { Connection, type DemoResult } from './connection.ts';
import type { Credentials, SavedAccounts } from './saved-accounts.ts';

/** The account that the terminal shows: the one of the last successful login. */
export type Account = Omit<Welcome, 'type' | 'symbols' | 'previous'> & { login: string };

export interface AccountLoginOptions {
  platform: Platform;
  journal: Journal;
  optionsFile: OptionsFile;
  savedAccounts: SavedAccounts;
  marketWatch: MarketWatch;
  experts: Experts;
  profile: Profile;
  networkFile: string | undefined;
  pingEveryMs: number;
  /** The account that the journal names instead. */
  authorizedAs: { login: string; server: string } | undefined;
}

/** A real terminal's line about a login reached the disk more than 15 s later; a sandbox is expected to be faster. */
const LATE_FLUSH_MS = 4_000;

const toDateAndTime = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replaceAll('-', '.').replace('T', ' ');

/** The terminal's account: who logs in, and what a login changes in the terminal. */
export class AccountLogin {
  readonly connection: Connection;
  /** Called with each state of the account's money, and when the connection is lost. */
  onAccount: (state: AccountState) => void = () => {};
  onOffline: () => void = () => {};
  readonly #options: AccountLoginOptions;
  readonly #waiting = new Set<() => void>();
  #keepsPassword = false;
  #account: Account | undefined;

  constructor(options: AccountLoginOptions) {
    const { networkFile, journal, platform, pingEveryMs, authorizedAs, experts } = options;
    this.#options = options;
    this.connection = new Connection({
      networkFile,
      journal,
      texts: platform.texts,
      pingEveryMs,
      authorizedAs,
      onOnline: (welcome, credentials) => this.#takeWelcome(welcome, credentials),
      onOffline: () => {
        experts.pause();
        this.onOffline();
      },
      onAccount: (state) => this.onAccount(state),
      onTicks: (seconds, ticks) => this.#takeTicks(seconds, ticks),
    });
  }

  get account(): Account | undefined {
    return this.#account;
  }

  /** The account to log in to at the start; undefined where the login, its server or its password is not known. */
  findCredentials(start: StartFile | undefined, commandLineLogin: string | undefined): Credentials | undefined {
    const { savedAccounts, optionsFile } = this.#options;
    const asked = start?.login ?? (commandLineLogin && savedAccounts.find(commandLineLogin)?.login);
    const login = asked ?? optionsFile.settings.login;
    const saved = savedAccounts.find(login, start?.server);
    const server = start?.server ?? saved?.server ?? optionsFile.settings.server;
    const password = start?.password ?? saved?.password;
    return login && server && password ? { login, server, password } : undefined;
  }

  use(credentials: Credentials, { keepPassword }: { keepPassword: boolean }): void {
    this.onOffline();
    this.#keepsPassword = keepPassword;
    if (hasTrouble(credentials.server, 'Late')) this.#options.journal.delay(LATE_FLUSH_MS);
    this.connection.use(credentials);
  }

  /** Opens a demo account and logs in to it; its password is saved, as the wizard does. */
  async openDemo(form: DemoForm): Promise<DemoResult> {
    const result = await this.connection.openDemo(form);
    if (typeof result === 'string') return result;
    const online = this.whenOnline();
    this.use(result, { keepPassword: true });
    await online;
    return result;
  }

  /** Settles at the next successful login. */
  whenOnline(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  /** Asks for the prices of all symbols that are shown, on charts or in the Market Watch. */
  watchSymbols(): void {
    this.connection.watch(this.#options.marketWatch.listSelected());
  }

  #takeWelcome(welcome: Welcome, credentials: Credentials): void {
    const { marketWatch, experts, profile, savedAccounts, platform } = this.#options;
    const { login, server } = credentials;
    const { type: _type, symbols, previous: _previous, ...terms } = welcome;
    this.#account = { ...terms, login };
    if (welcome.mustChangePassword) {
      this.#rememberAccount(credentials);
      return this.#options.journal.print(welcome.server, `'${login}': master password must be changed`, 1);
    }
    if (platform.texts.afterLogin) this.#printTerms(login, welcome);
    this.#rememberAccount(credentials);
    if (this.#keepsPassword || savedAccounts.find(login, server)) savedAccounts.save(credentials);
    marketWatch.open(welcome.server, login, symbols);
    marketWatch.select(profile.charts.map((chart) => chart.symbol));
    this.watchSymbols();
    this.connection.followAccount();
    experts.startAll();
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #printTerms(login: string, { previous, company, symbols, demo, investor, ...open }: Welcome): void {
    const print = (text: string): void => this.#options.journal.print('Network', `'${login}': ${text}`);
    if (previous) {
      print(`previous successful authorization performed from ${previous.address} on ${toDateAndTime(previous.at)}`);
    }
    const counts = `${open.positions} positions, ${open.orders} orders, ${symbols.length} symbols, 0 spreads`;
    print(`terminal synchronized with ${company}: ${counts}`);
    if (investor) print('trading has been disabled - investor mode');
    else print(`trading has been enabled${demo ? ', demo account' : ''} - ${open.marginMode} mode`);
  }

  /** A login to another account turns Algo Trading off, unless the options say otherwise. */
  #rememberAccount({ login, server }: Credentials): void {
    const { settings } = this.#options.optionsFile;
    const hasChanged = settings.login !== login || !isSameServer(settings.server, server);
    settings.login = login;
    settings.server = server;
    if (!hasChanged || !settings.offOnAccountChange || !settings.algoTrading) return;
    settings.algoTrading = false;
    const text = 'automated trading is disabled because the account has been changed';
    this.#options.journal.print('Experts', text);
  }

  #takeTicks(seconds: number, ticks: Tick[]): void {
    this.#options.marketWatch.takeTicks(ticks);
    this.#options.experts.takeTime(seconds);
  }
}
