import { IniText } from './ini.ts';
import { encodeText } from './text-file.ts';

export interface Credentials {
  login: string;
  password: string;
  /** Name of the trading server, or its `host:port`. */
  server: string;
}

export interface StartFile {
  /** Without a password, the terminal uses the one that it saved. */
  credentials?: Omit<Credentials, 'password'> & { password?: string };
  allowsAlgoTrading: boolean;
  /**
   * A script to run once, relative to the folder of scripts, without its extension: on a new chart of the symbol, or on
   * the first chart.
   */
  script?: { name: string; symbol?: string };
}

/** How one program of the family is instructed at a start. */
export interface StartFileForm {
  /** Whether a start without a file would lack the account and the Algo Trading switch: no other file has them. */
  isAlwaysNeeded: boolean;
  toText(file: StartFile): string;
  /** Contains no instructions, so that everything stays as the terminal saved it. */
  withoutSecrets: string;
  /** The arguments of a start. @param path the start file's path for the terminal, if there is one */
  toArguments(path: string | undefined): string[];
}

/** The options that a start file and `common.ini` share: EAs stay on when the account or the profile changes. */
export const toExpertOptions = (allowsAlgoTrading: boolean): Record<string, number> => ({
  AllowLiveTrading: Number(allowsAlgoTrading),
  Enabled: Number(allowsAlgoTrading),
  Account: 0,
  Profile: 0,
});

const TAKEN_OUT = '; The account was taken out after the login.\r\n';

/** The file of a `/config:` argument. KeepPrivate lets the terminal save the password in its own encrypted store. */
export const mt5StartFile: StartFileForm = {
  isAlwaysNeeded: false,
  toText: ({ credentials, allowsAlgoTrading, script }) => {
    const ini = new IniText('');
    if (credentials) {
      ini.set('Common', 'Login', credentials.login);
      if (credentials.password !== undefined) ini.set('Common', 'Password', credentials.password);
      ini.set('Common', 'Server', credentials.server);
      ini.set('Common', 'KeepPrivate', 1);
    }
    for (const [key, value] of Object.entries(toExpertOptions(allowsAlgoTrading))) ini.set('Experts', key, value);
    if (script) ini.set('StartUp', 'Script', script.name);
    if (script?.symbol !== undefined) ini.set('StartUp', 'Symbol', script.symbol);
    return ini.toString();
  },
  withoutSecrets: `${TAKEN_OUT}[Common]\r\nKeepPrivate=1\r\n`,
  toArguments: (path) => ['/portable', ...(path === undefined ? [] : [`/config:${path}`])],
};

/** A list of keys without sections, given by the first argument that is not an option. */
export const mt4StartFile: StartFileForm = {
  isAlwaysNeeded: true,
  toText: ({ credentials, allowsAlgoTrading, script }) => {
    const ini = new IniText('');
    if (credentials) {
      ini.set('', 'Login', credentials.login);
      if (credentials.password !== undefined) ini.set('', 'Password', credentials.password);
      ini.set('', 'Server', credentials.server);
    }
    for (const key of ['ExpertsEnable', 'ExpertsTrades']) ini.set('', key, String(allowsAlgoTrading));
    if (script) ini.set('', 'Script', script.name);
    if (script?.symbol !== undefined) ini.set('', 'Symbol', script.symbol);
    return ini.toString();
  },
  withoutSecrets: TAKEN_OUT,
  toArguments: (path) => [...(path === undefined ? [] : [path]), '/portable'],
};

/** ASCII is written as it is, because every build reads that; anything else needs a UTF-16 byte order mark. */
export const encodeStartFile = (form: StartFileForm, file: StartFile): Buffer => {
  const text = form.toText(file);
  const isAscii = Buffer.byteLength(text, 'utf8') === text.length;
  return encodeText({ text, encoding: isAscii ? 'utf8' : 'utf16le' });
};
