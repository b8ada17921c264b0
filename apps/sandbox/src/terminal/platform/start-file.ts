import type { Period } from './period.ts';

/** The settings of a start file; a key that it lacks is undefined and leaves the terminal's own setting alone. */
export interface StartFile {
  login: string | undefined;
  password: string | undefined;
  server: string | undefined;
  keepPassword: boolean;
  profile: string | undefined;
  algoTrading: boolean | undefined;
  allowDll: boolean | undefined;
  offOnAccountChange: boolean | undefined;
  offOnProfileChange: boolean | undefined;
  startUp: StartUp;
}

export interface StartUp {
  expert: string | undefined;
  expertParameters: string | undefined;
  script: string | undefined;
  symbol: string | undefined;
  period: Period;
  template: string | undefined;
  /** Close the terminal after the script. */
  shutdownTerminal: boolean;
}
