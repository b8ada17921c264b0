/** What the reason of a status starts with where one status has more than one meaning for people. */

/** LOGIN_FAILED: the terminal has no address for its trading server, so that it did not even try. */
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
