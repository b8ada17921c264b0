/** Why a login failed, where the status LOGIN_FAILED has more than one meaning for people. */

/** How the reason starts where the terminal has no address for its trading server, so that it did not even try. */
export const SERVER_UNKNOWN = 'The terminal does not know the trading server: it did not try to connect.';

/**
 * Whether the reason of a status says that the trading server is unknown.
 * @param reason `status_reason` of a terminal
 */
export const isServerUnknown = (reason: string | null | undefined): boolean =>
  reason?.startsWith(SERVER_UNKNOWN) ?? false;
