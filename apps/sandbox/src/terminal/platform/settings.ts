/** What the terminal saves in its settings file between runs. */
export interface Settings {
  login: string;
  server: string;
  profile: string;
  /** The Algo Trading button. */
  algoTrading: boolean;
  allowDll: boolean;
  /** Turn Algo Trading off when the account, the profile changes. */
  offOnAccountChange: boolean;
  offOnProfileChange: boolean;
  webRequest: boolean;
  /** The encrypted list of allowed URLs, as upper-case hex. */
  webRequestUrl: string;
}

export const toFlag = (value: string | undefined, fallback: boolean): boolean => {
  if (value === undefined || value === '') return fallback;
  return value === '1' || value.toLowerCase() === 'true';
};

/** A flag that a start file may omit. */
export const findFlag = (value: string | undefined): boolean | undefined =>
  value === undefined || value === '' ? undefined : toFlag(value, false);
