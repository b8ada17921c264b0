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
