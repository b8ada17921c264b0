/**
 * What the journal has said since the terminal's last start, folded into a state. Pure.
 *
 *   login:  none ─(started with an account)─▶ connecting ─▶ in ─ connection lost ─▶ offline ─▶ in …
 *                                                 ├─▶ offline   no connection; the terminal keeps trying
 *                                                 ├─▶ refused   the server answered no; it does not try again
 *                                                 └─▶ silent    nobody said anything in time (set by a timer, not here)
 */
import { SERVER_UNKNOWN } from '@berth/contract/values';
import type { JournalEvent } from '../journal/journal-events.ts';

export interface ExpertPlace {
  name: string;
  symbol: string;
  period: string;
}

export type LoginState =
  | { state: 'none' }
  /** `hasPassword`: the start brought the password along, so that wiped accounts do no harm. */
  | { state: 'connecting'; hasPassword: boolean }
  | { state: 'in'; login: string; server: string; pingMs: number | null }
  /** In to another account than the terminal's own (set by the account, not here: see own-account.ts). */
  | { state: 'elsewhere'; login: string; server: string; reason: string }
  | { state: 'offline'; reason: string }
  | { state: 'refused'; reason: string }
  | { state: 'silent'; reason: string };

export interface TerminalView {
  /** null until the journal says `started for`. */
  build: number | null;
  configError: string | null;
  login: LoginState;
  /** Loaded experts; a place once for each load line without a removal. */
  experts: readonly ExpertPlace[];
  failedExperts: readonly (ExpertPlace & { reason: string })[];
  /** The terminal's switch; null until the journal speaks of it. */
  algoTrading: boolean | null;
  /** What the account allows, since its last login; null until the journal says it. */
  accountTrading: 'allowed' | 'investor_password' | 'account' | null;
  finishedScripts: readonly string[];
  openedDemos: readonly string[];
  /** The journal announced an update: the terminal will end and come back by itself. */
  isUpdating: boolean;
  hasShutDown: boolean;
}

export const createView = (login: LoginState): TerminalView => ({
  build: null,
  configError: null,
  login,
  experts: [],
  failedExperts: [],
  algoTrading: null,
  accountTrading: null,
  finishedScripts: [],
  openedDemos: [],
  isUpdating: false,
  hasShutDown: false,
});

/**
 * Equal for equal places. MetaTrader 4 parts name and symbol by a blank, which both may hold, so where one ends and the other
 * begins is not compared.
 */
export const toPlaceKey = ({ name, symbol, period }: ExpertPlace): string => `${name} ${symbol},${period}`;

export const isSamePlace = (a: ExpertPlace, b: ExpertPlace): boolean => toPlaceKey(a) === toPlaceKey(b);

/** More than any terminal has charts; what says more is not believed, and does not grow without end. */
const MAX_REMEMBERED = 500;

/** The list with one more at its end; of too many the oldest is let go of. */
const withLast = <Item>(items: readonly Item[], item: Item): readonly Item[] => [
  ...items.slice(1 - MAX_REMEMBERED),
  item,
];

const withoutFirst = (experts: readonly ExpertPlace[], place: ExpertPlace): readonly ExpertPlace[] => {
  const at = experts.findIndex((expert) => isSamePlace(expert, place));
  return at < 0 ? experts : experts.toSpliced(at, 1);
};

/** Refusals that say nothing about the password and may pass. */
const PASSING_REFUSAL = /service is not available|common error|timeout|no connection/i;

const toRefusedLogin = ({ server, reason }: { server: string; reason: string }): LoginState =>
  PASSING_REFUSAL.test(reason)
    ? { state: 'offline', reason: `${server} refused the login for now (${reason}).` }
    : {
        state: 'refused',
        reason: `${server} refused the login (${reason}). Log in again with the correct login and password.`,
      };

/** A terminal that closed itself is either about to come back or will be seen to be dead. */
const toClosedLogin = (login: LoginState): LoginState =>
  login.state === 'in' || login.state === 'offline' ? { state: 'connecting', hasPassword: false } : login;

const WIPED =
  'The terminal deleted its saved accounts because its folder was moved or copied. Log in again with the password.';

/** The terminal says so before its banner: its start does not end it. */
const isWiped = (login: LoginState): boolean => login.state === 'refused' && login.reason === WIPED;

export const NO_SAVED_PASSWORD: LoginState = {
  state: 'refused',
  reason: 'The terminal has no saved password. Log in again with the password.',
};

export const SILENT: LoginState = {
  state: 'silent',
  reason: `${SERVER_UNKNOWN} Check the server name, or add the server with its address, then log in again.`,
};

const toAccountTrading = ({ enabled, isInvestor }: { enabled: boolean; isInvestor: boolean }) => {
  if (enabled) return 'allowed';
  return isInvestor ? 'investor_password' : 'account';
};

export const applyEvent = (view: TerminalView, event: JournalEvent): TerminalView => {
  switch (event.kind) {
    case 'started': {
      const isFirst = view.build === null;
      const isKept = view.login.state === 'none' || isWiped(view.login);
      const login: LoginState = isKept ? view.login : { state: 'connecting', hasPassword: false };
      return { ...createView(isFirst ? view.login : login), build: event.build };
    }
    case 'config_rejected':
      return { ...view, configError: event.text };
    case 'authorized':
      return {
        ...view,
        login: { state: 'in', login: event.login, server: event.server, pingMs: event.pingMs },
        accountTrading: null,
      };
    case 'ping':
      return view.login.state === 'in' ? { ...view, login: { ...view.login, pingMs: event.pingMs } } : view;
    case 'authorization_failed':
      return { ...view, login: toRefusedLogin(event) };
    case 'no_connection':
      return { ...view, login: { state: 'offline', reason: `No connection to ${event.server}.` } };
    case 'connection_lost':
      return { ...view, login: { state: 'offline', reason: `The connection to ${event.server} was lost.` } };
    case 'accounts_deleted':
      return view.login.state === 'connecting' && !view.login.hasPassword
        ? { ...view, login: { state: 'refused', reason: WIPED } }
        : view;
    case 'account_trading':
      return { ...view, accountTrading: toAccountTrading(event) };
    case 'demo_opened':
      return { ...view, openedDemos: withLast(view.openedDemos, event.login) };
    case 'expert_loaded':
      return { ...view, experts: withLast(view.experts, toPlace(event)) };
    case 'expert_removed':
      return { ...view, experts: withoutFirst(view.experts, event) };
    case 'expert_failed':
      return {
        ...view,
        experts: withoutFirst(view.experts, event),
        failedExperts: withLast(view.failedExperts, { ...toPlace(event), reason: event.reason }),
      };
    case 'algo_trading':
      return { ...view, algoTrading: event.enabled };
    case 'script_removed':
      return { ...view, finishedScripts: withLast(view.finishedScripts, event.name) };
    case 'update_announced':
      return { ...view, isUpdating: true };
    case 'shutdown':
      return { ...view, hasShutDown: true, login: toClosedLogin(view.login) };
    case 'synchronized':
    case 'script_loaded':
      return view;
  }
};

const toPlace = ({ name, symbol, period }: ExpertPlace): ExpertPlace => ({ name, symbol, period });
