import { IniText } from './ini.ts';
import { encodeText } from './text-file.ts';

export interface Credentials {
  login: string;
  password: string;
  /** Name of the trading server, or its `host:port`. */
  server: string;
}

export interface StartFile {
  credentials?: Credentials;
  allowsAlgoTrading: boolean;
  /** A script to run once, relative to MQL5\Scripts, without its ending: on a new chart of the symbol, or on the first chart. */
  script?: { name: string; symbol?: string };
}

/** The options that a start file and `common.ini` share: experts stay on when the account or the profile changes. */
export const toExpertOptions = (allowsAlgoTrading: boolean): Record<string, number> => ({
  AllowLiveTrading: Number(allowsAlgoTrading),
  Enabled: Number(allowsAlgoTrading),
  Account: 0,
  Profile: 0,
});

/**
 * The text of a `/config:` file. KeepPrivate lets the terminal save the password in its own sealed store, so that later
 * starts need none.
 */
export const toStartFileText = ({ credentials, allowsAlgoTrading, script }: StartFile): string => {
  const ini = new IniText('');
  if (credentials) {
    ini.set('Common', 'Login', credentials.login);
    ini.set('Common', 'Password', credentials.password);
    ini.set('Common', 'Server', credentials.server);
    ini.set('Common', 'KeepPrivate', 1);
  }
  for (const [key, value] of Object.entries(toExpertOptions(allowsAlgoTrading))) ini.set('Experts', key, value);
  if (script) ini.set('StartUp', 'Script', script.name);
  if (script?.symbol !== undefined) ini.set('StartUp', 'Symbol', script.symbol);
  return ini.toString();
};

/** ASCII stays plain, because every build reads that; anything else needs the mark of UTF-16. */
export const encodeStartFile = (file: StartFile): Buffer => {
  const text = toStartFileText(file);
  const isAscii = Buffer.byteLength(text, 'utf8') === text.length;
  return encodeText({ text, encoding: isAscii ? 'utf8' : 'utf16le' });
};
