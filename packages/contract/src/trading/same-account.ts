/** Which names mean one trading account. Experts of two terminals on one account trade twice. */

export interface AccountName {
  login: string;
  /** The name of the trading server, or its `host:port`. */
  server: string;
}

/** Whether a trading server is given by its address. */
export const isServerAddress = (server: string): boolean => /:\d+$/.test(server);

/** Logins are numbers: leading zeros do not count. */
export const isSameLogin = (one: string, other: string): boolean =>
  one.trim().replace(/^0+/, '') === other.trim().replace(/^0+/, '');

/** Whether two names of trading servers are equal, without regard to case. */
export const isSameServerName = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

/**
 * Whether two names mean the same account. Which server is behind an address is known to the terminal alone, so between
 * an address and a name the login decides.
 */
export const isSameAccount = (one: AccountName, other: AccountName): boolean =>
  isSameLogin(one.login, other.login) &&
  (isSameServerName(one.server, other.server) || isServerAddress(one.server) !== isServerAddress(other.server));
