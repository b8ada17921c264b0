import { IniText } from './ini.ts';
import { encodeText } from './text-file.ts';

export interface Credentials {
  login: string;
  password: string;
  /** Name of the trading server, or its `host:port`. */
  server: string;
}

export interface StartFile {
  /** Without a password, the terminal takes the one that it saved. */
  credentials?: Omit<Credentials, 'password'> & { password?: string };
  allowsAlgoTrading: boolean;
  /** A script to run once, relative to the folder of scripts, without its ending: on a new chart of the symbol, or on the first chart. */
  script?: { name: string; symbol?: string };
}

/** How one program of the family is told what to do at a start. */
export interface StartFileForm {
  /** Whether a start without a file would not know the account and the switch for algo trading: no other file names them. */
  isAlwaysNeeded: boolean;
  toText(file: StartFile): string;
  /** Asks for nothing, so that everything stays as the terminal saved it. */
  withoutSecrets: string;
  /** The switches of a start. @param path what the terminal calls its start file, where there is one */
  toArguments(path: string | undefined): string[];
}

/** The options that a start file and `common.ini` share: experts stay on when the account or the profile changes. */
export const toExpertOptions = (allowsAlgoTrading: boolean): Record<string, number> => ({
  AllowLiveTrading: Number(allowsAlgoTrading),
  Enabled: Number(allowsAlgoTrading),
  Account: 0,
  Profile: 0,
});

const TAKEN_OUT = '; The account was taken out after the login.\r\n';

/** The file of a `/config:` switch. KeepPrivate lets the terminal save the password in its own sealed store. */
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

/** A list of keys without sections, named by the first argument that is no switch. */
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

/** ASCII stays plain, because every build reads that; anything else needs the mark of UTF-16. */
export const encodeStartFile = (form: StartFileForm, file: StartFile): Buffer => {
  const text = form.toText(file);
  const isAscii = Buffer.byteLength(text, 'utf8') === text.length;
  return encodeText({ text, encoding: isAscii ? 'utf8' : 'utf16le' });
};
