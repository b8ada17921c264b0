/** What the terminal remembers in its settings file from one run to the next. */
export interface Settings {
  login: string;
  server: string;
  profile: string;
  /** The Algo Trading button. */
  algoTrading: boolean;
  allowDll: boolean;
  /** Switch Algo Trading off when the account, the profile changes. */
  offOnAccountChange: boolean;
  offOnProfileChange: boolean;
  webRequest: boolean;
  /** The sealed list of allowed addresses, as upper-case hex. */
  webRequestUrl: string;
}

export const toFlag = (value: string | undefined, fallback: boolean): boolean => {
  if (value === undefined || value === '') return fallback;
  return value === '1' || value.toLowerCase() === 'true';
};

/** A flag that a start file may leave open. */
export const findFlag = (value: string | undefined): boolean | undefined =>
  value === undefined || value === '' ? undefined : toFlag(value, false);
