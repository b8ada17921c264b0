/**
 * The journal since the terminal's last start, folded into a state. Pure.
 *
 *   login:  none ─(started with an account)─▶ connecting ─▶ in ─ connection lost ─▶ offline ─▶ in …
 *                                                 ├─▶ offline   no connection; the terminal keeps trying
 *                                                 ├─▶ refused   the server answered no; it does not try again
 *                                                 ├─▶ lacking   the terminal has no password to try
 *                                                 └─▶ silent    nobody said anything in time (set by a timer, not here)
 */
import { loginProblemTexts, REFUSED_FOR_NOW, SERVER_UNKNOWN } from '@berth/contract/values';
import type { EditionTiming } from '../edition.ts';
import type { JournalEvent } from '../journal/journal-events.ts';
import {
  createRoster,
  withCrashed,
  withLast,
  withLoaded,
  withRefused,
  withRemoved,
  type ExpertRoster,
} from './expert-roster.ts';

type Authorized = { state: 'in'; login: string; server: string; pingMs: number | null };

export type LoginState =
  | { state: 'none' }
  /** `hasPassword`: the start specified the password, so that wiped accounts do no harm. */
  | { state: 'connecting'; hasPassword: boolean }
  | Authorized
  /** Logged in to another account than the terminal's own (set by the account, not here: see own-account.ts). */
  | { state: 'elsewhere'; login: string; server: string; reason: string }
  /**
   * `authorized`: the server accepted the account, and yet it does not work; incoming data shows that it works again.
   */
  | { state: 'offline'; reason: string; authorized?: Authorized }
  | { state: 'refused'; reason: string; authorized?: Authorized }
  | { state: 'lacking'; reason: string }
  | { state: 'silent'; reason: string };

export interface TerminalView extends ExpertRoster {
  /** null until the journal says `started for`. */
  build: number | null;
  configError: string | null;
  login: LoginState;
  /** The terminal's switch; null until the journal mentions it. */
  algoTrading: boolean | null;
  /** What the account allows, since its last login; null until the journal mentions it. */
  accountTrading: 'allowed' | 'investor_password' | 'account' | null;
  finishedScripts: readonly string[];
  openedDemos: readonly string[];
  /** The journal announced an update: the terminal will end and come back by itself. */
  isUpdating: boolean;
  hasShutDown: boolean;
  /** Of the journal. What the terminal has done is unknown then, until it starts again. */
  skippedBytes: number;
}

export const createView = (login: LoginState, chartsAt?: TerminalView['chartsAt']): TerminalView => ({
  build: null,
  configError: null,
  login,
  ...createRoster(chartsAt),
  algoTrading: null,
  accountTrading: null,
  finishedScripts: [],
  openedDemos: [],
  isUpdating: false,
  hasShutDown: false,
  skippedBytes: 0,
});

/** Refusals that say nothing about the password and may be temporary. */
const PASSING_REFUSAL = /service is not available|common error|time-?out|no connection|no hay conexi|busy|too many/i;

const toRefusedLogin = ({ server, reason }: { server: string; reason: string }): LoginState =>
  PASSING_REFUSAL.test(reason)
    ? { state: 'offline', reason: `${server} ${REFUSED_FOR_NOW} (${reason}).` }
    : {
        state: 'refused',
        reason: `${server} ${loginProblemTexts.refused}${reason}). Log in again with the correct login and password.`,
      };

const PASSWORD_EXPIRED =
  `${loginProblemTexts.password_expired} ` +
  "Change it on the broker's site or in another terminal, then log in again with the new one.";

const NOT_SYNCHRONIZED =
  'The trading server let the account in and gave the terminal no complete data. The terminal keeps trying.';

const isIn = (login: LoginState, { login: name }: { login: string }): login is Authorized =>
  login.state === 'in' && login.login === name;

/** The server accepts a login whose password must be changed, again and again: only data shows that it works. */
const toAuthorizedLogin = (
  former: LoginState,
  { login, server, pingMs }: { login: string; server: string; pingMs: number | null },
): LoginState => {
  const isExpired = former.state === 'refused' && former.authorized?.login === login;
  return isExpired ? former : { state: 'in', login, server, pingMs };
};

/** A lost link does not make up for a password that must be changed. */
const toOfflineLogin = (former: LoginState, reason: string): LoginState =>
  former.state === 'refused' && former.authorized ? former : { state: 'offline', reason };

const toSynchronizedLogin = (former: LoginState, { login }: { login: string }): LoginState => {
  const authorized = former.state === 'offline' || former.state === 'refused' ? former.authorized : undefined;
  return authorized?.login === login ? authorized : former;
};

/** A terminal that closed itself is either about to come back or will be found dead. */
const toClosedLogin = (login: LoginState): LoginState =>
  login.state === 'in' || login.state === 'offline' ? { state: 'connecting', hasPassword: false } : login;

const WIPED = `${loginProblemTexts.wiped_password} because its folder was moved or copied. Log in again with the password.`;

/** The terminal reports this before its banner: its start does not end it. */
const isWiped = (login: LoginState): boolean => login.state === 'lacking' && login.reason === WIPED;

export const NO_SAVED_PASSWORD: LoginState = {
  state: 'lacking',
  reason: `${loginProblemTexts.no_password} Log in again with the password.`,
};

/** Nothing is saved because the account was refused: that stays the reason. @param refusal the reason of that */
export const toNotTriedAgain = (refusal: string): LoginState => ({
  state: 'lacking',
  reason: `${refusal} The refused password is not tried again.`,
});

export const SILENT: LoginState = {
  state: 'silent',
  reason: `${SERVER_UNKNOWN} Check the server name, or add the server with its address (host:port), then log in again. A base made by the broker's own installer knows its servers by name.`,
};

const toAccountTrading = ({ enabled, isInvestor }: { enabled: boolean; isInvestor: boolean }) => {
  if (enabled) return 'allowed';
  return isInvestor ? 'investor_password' : 'account';
};

/** What was there before a gap in the journal may have changed within it. */
const toIncomplete = (view: TerminalView, bytes: number): TerminalView => ({
  ...view,
  ...createRoster(view.chartsAt),
  algoTrading: null,
  accountTrading: null,
  skippedBytes: view.skippedBytes + bytes,
});

/** For a person. @param bytes left out of the journal; more than none */
export const toSkippedText = (bytes: number): string =>
  `The terminal writes more into its journal than is read (${Math.ceil(bytes / 1_000_000)} MB skipped), so what it ` +
  'does is not known. Remove the program that writes without end, or start the terminal again.';

export const applyEvent = (view: TerminalView, event: JournalEvent): TerminalView => {
  switch (event.kind) {
    case 'started': {
      const isFirst = view.build === null;
      const isKept = view.login.state === 'none' || isWiped(view.login);
      const login: LoginState = isKept ? view.login : { state: 'connecting', hasPassword: false };
      const next = createView(isFirst ? view.login : login, view.chartsAt);
      // The EAs' log may have been read first.
      return { ...next, failedExperts: isFirst ? view.failedExperts : [], build: event.build };
    }
    case 'config_rejected':
      return { ...view, configError: event.text };
    case 'authorized':
      return { ...view, login: toAuthorizedLogin(view.login, event), accountTrading: null };
    case 'synchronized':
      return { ...view, login: toSynchronizedLogin(view.login, event) };
    case 'not_synchronized':
      return isIn(view.login, event)
        ? { ...view, login: { state: 'offline', reason: NOT_SYNCHRONIZED, authorized: view.login } }
        : view;
    case 'password_expired':
      return isIn(view.login, event)
        ? { ...view, login: { state: 'refused', reason: PASSWORD_EXPIRED, authorized: view.login } }
        : view;
    case 'ping':
      return view.login.state === 'in' ? { ...view, login: { ...view.login, pingMs: event.pingMs } } : view;
    case 'authorization_failed':
      return { ...view, login: toRefusedLogin(event) };
    case 'no_connection':
      return { ...view, login: toOfflineLogin(view.login, `No connection to ${event.server}.`) };
    case 'connection_lost':
      return { ...view, login: toOfflineLogin(view.login, `The connection to ${event.server} was lost.`) };
    case 'accounts_deleted':
      return view.login.state === 'connecting' && !view.login.hasPassword
        ? { ...view, login: { state: 'lacking', reason: WIPED } }
        : view;
    case 'account_trading':
      return { ...view, accountTrading: toAccountTrading(event) };
    case 'demo_opened':
      return { ...view, openedDemos: withLast(view.openedDemos, event.login) };
    case 'expert_loaded':
      return withLoaded(view, event);
    case 'expert_removed':
      return withRemoved(view, event);
    case 'expert_failed':
      // Its removal follows.
      return withRefused(view, event);
    case 'program_crashed':
      return withCrashed(view, event);
    case 'experts_log_skipped':
      return { ...view, isExpertsLogCut: true };
    case 'algo_trading':
      return { ...view, algoTrading: event.enabled };
    case 'script_removed':
      return { ...view, finishedScripts: withLast(view.finishedScripts, event.name) };
    case 'update_announced':
      return { ...view, isUpdating: true };
    case 'update_failed':
      return { ...view, isUpdating: false };
    case 'shutdown':
      return { ...view, hasShutDown: true, login: toClosedLogin(view.login) };
    case 'skipped':
      return toIncomplete(view, event.bytes);
    case 'script_loaded':
      return view;
  }
};

/**
 * How long a terminal that ended may take to come back by itself: only one that announced that it closes, or updates
 * itself, does. Pure.
 */
export const toSettleMs = (
  { isUpdating, hasShutDown }: Pick<TerminalView, 'isUpdating' | 'hasShutDown'>,
  { exitSettleMs, updateSettleMs }: Pick<EditionTiming, 'exitSettleMs' | 'updateSettleMs'>,
): number => {
  if (!isUpdating && !hasShutDown) return 0;
  return isUpdating && hasShutDown ? updateSettleMs : exitSettleMs;
};
