/** Platforms of terminals: MetaTrader 5, MetaTrader 4, or the simulated one. */
export const platforms = ['mt5', 'mt4', 'sandbox'] as const;
export type Platform = (typeof platforms)[number];

/**
 * Statuses of terminals; the numbers are part of the API. A page that only needs their names does not load the machine.
 */
export const TerminalStatus = {
  PENDING: 0,
  INSTALLING: 1,
  CONNECTING: 2,
  ACTIVE: 3,
  DISCONNECTED: 4,
  STOPPED: 5,
  LOGIN_FAILED: 6,
  FAILED: 7,
  DESTROYING: 8,
  DESTROYED: 9,
  UNREACHABLE: 10,
} as const;
export type TerminalStatusName = keyof typeof TerminalStatus;
export type TerminalStatus = (typeof TerminalStatus)[TerminalStatusName];

export const terminalStatuses = Object.values(TerminalStatus);
export const terminalStatusNames = Object.keys(TerminalStatus) as TerminalStatusName[];

const names = Object.fromEntries(Object.entries(TerminalStatus).map(([name, status]) => [status, name]));
/**
 * The name of a status.
 * @example
 * import { toTerminalStatusName } from '@berth/contract/values';
 * toTerminalStatusName(3); // => 'ACTIVE'
 */
export const toTerminalStatusName = (status: TerminalStatus): TerminalStatusName => names[status] as TerminalStatusName;

/** What `status_reason` starts with. LOGIN_FAILED: the terminal has no address for its trading server, so that it did not even try. */
export const SERVER_UNKNOWN = 'The terminal does not know the trading server: it did not try to connect.';

/**
 * Whether the reason of a status says that the trading server is unknown.
 * @param reason `status_reason` of a terminal
 */
export const isServerUnknown = (reason: string | null | undefined): boolean =>
  reason?.startsWith(SERVER_UNKNOWN) ?? false;

/** DISCONNECTED: the terminal's program is not running, although it should. */
export const NOT_RUNNING = 'The terminal is not running';

/**
 * Whether the reason of a status says that the terminal's program is not running, although it should.
 * @param reason `status_reason` of a terminal
 */
export const isNotRunning = (reason: string | null | undefined): boolean => reason?.startsWith(NOT_RUNNING) ?? false;

/** STOPPED: its account was logged out; without this, the terminal was just stopped. */
export const LOGGED_OUT = 'logged out';

/** DISCONNECTED: the trading server refuses every login for now, as when the broker is closed; the terminal tries again. */
export const REFUSED_FOR_NOW = 'refused the login for now';

/** LOGIN_FAILED, by what its reason contains. The agent writes these texts; `unclear` is for those of other versions. */
export const loginProblemTexts = {
  server_unknown: SERVER_UNKNOWN,
  password_expired: 'The trading server wants the password of this account to be changed first.',
  no_password: 'The terminal has no saved password.',
  wiped_password: 'The terminal deleted its saved accounts',
  no_account: 'The terminal has no account.',
  other_account: 'Another account is logged in',
  refused: 'refused the login (',
} as const;

export type LoginProblem = keyof typeof loginProblemTexts | 'unclear';

/**
 * Why a login failed.
 * @param reason `status_reason` of a terminal that is LOGIN_FAILED
 */
export const toLoginProblem = (reason: string | null): LoginProblem =>
  (Object.keys(loginProblemTexts) as (keyof typeof loginProblemTexts)[]).find((name) =>
    reason?.includes(loginProblemTexts[name]),
  ) ?? 'unclear';

/** Why EAs may not trade; the first condition that is not met. */
export const tradingReasons = ['terminal_switch', 'expert_permission', 'investor_password', 'account'] as const;
export type TradingReason = (typeof tradingReasons)[number];

/** Whether EAs may trade, as far as it is known: true, false with the first condition that is not met, or null. */
export interface TradingState {
  trading_allowed: boolean | null;
  trading_reason: TradingReason | null;
}

/**
 * The state of an EA. `running`: the terminal's journal says that it was loaded; `failed`: it was refused, or an error
 * of its code ended it; `stopped`: it was removed, by itself or by hand, or the terminal does not run; `unknown`: the
 * journal has not mentioned it yet.
 */
export const expertStates = ['running', 'failed', 'stopped', 'unknown'] as const;
export type ExpertState = (typeof expertStates)[number];

/** Of a line that says why an EA failed. */
export const MAX_EXPERT_LINE = 255;

/** What has to be right for a terminal to run, in the order in which it is looked at. */
export const whyChecks = [
  'registration',
  'plan',
  'region',
  'place',
  'host',
  'box',
  'task',
  'journal',
  'login',
  'link',
  'experts',
] as const;
export type WhyCheckName = (typeof whyChecks)[number];

/** The first thing that is wrong, for programs. */
export const whyCauses = [
  'deleted',
  'account_suspended',
  'account_closed',
  'no_host',
  'hosts_offline',
  'no_slot',
  'moving',
  'host_never_connected',
  'host_offline',
  'host_retired',
  'host_back',
  'not_running',
  'installing',
  'deleting',
  'task_open',
  'stopped',
  'installation_failed',
  'task_failed',
  'locked',
  'connecting',
  'logged_out',
  'login_refused',
  'password_expired',
  'no_password',
  'no_account',
  'server_unknown',
  'other_account',
  'login_failed',
  'broker_closed',
  'no_connection',
  'expert_failed',
] as const;
export type WhyCause = (typeof whyCauses)[number];
