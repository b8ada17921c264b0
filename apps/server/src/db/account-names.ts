/** SQL: which names mean one trading account, as `isSameAccount` of the contract says. */

/** What the index of terminals by their account holds of a login. */
export const toLoginKey = (login: string): string => `ltrim(${login}, '0')`;

export const isSameLogin = (one: string, other: string): string => `${toLoginKey(one)} = ${toLoginKey(other)}`;

const isAddress = (server: string): string => `(${server} ~ ':[0-9]+$')`;

/** Of accounts whose logins are equal. */
export const isSameServer = (one: string, other: string): string =>
  `(lower(${one}) = lower(${other}) or ${isAddress(one)} <> ${isAddress(other)})`;
