import { isAbsolute, join } from 'node:path';
import { existsSync, mkdirSync } from 'node:fs';
import { writeLines, type TextEncoding } from './files/text-file.ts';

const MARKER = [
  'This is not a MetaTrader program.',
  'It marks the folder of a Berth sandbox terminal, which imitates how a terminal starts, logs in and keeps its files.',
];

const MT5_FOLDERS = [
  'MQL5/Experts',
  'MQL5/Scripts',
  'MQL5/Presets',
  'MQL5/Files',
  'MQL5/Logs',
  'MQL5/Profiles/Charts/Default',
  'MQL5/Profiles/Templates',
  'config',
  'Bases',
  'logs',
];

const MT4_FOLDERS = [
  'MQL4/Experts',
  'MQL4/Scripts',
  'MQL4/Presets',
  'MQL4/Files',
  'MQL4/Logs',
  'profiles/default',
  'templates',
  'symbolsets',
  'config',
  'history',
  'logs',
];

/** An existing order file names somebody's charts: it is kept. */
const ensureEmptyProfile = (path: string, encoding: TextEncoding): void => {
  if (!existsSync(path)) writeLines(path, [], encoding);
};

const createFolders = (base: string, folders: readonly string[]): void => {
  for (const folder of folders) mkdirSync(join(base, folder), { recursive: true });
};

/**
 * Creates a folder as a fresh installation leaves it: an empty profile, no account. Running it again keeps what exists.
 */
export const createBaseFolder = (base: string, platform: 'mt5' | 'mt4'): void => {
  if (platform === 'mt5') {
    createFolders(base, MT5_FOLDERS);
    writeLines(join(base, 'terminal64.exe'), MARKER, 'utf-8');
    writeLines(join(base, 'config/servers.dat'), ['Berth sandbox: every server name is known.'], 'utf-8');
    ensureEmptyProfile(join(base, 'MQL5/Profiles/Charts/Default/order.wnd'), 'utf-16le');
  } else {
    createFolders(base, MT4_FOLDERS);
    writeLines(join(base, 'terminal.exe'), MARKER, 'utf-8');
    ensureEmptyProfile(join(base, 'profiles/default/order.wnd'), 'utf-8');
  }
};

const args = process.argv.slice(2);
const path = args.find((arg) => arg.toLowerCase().startsWith('/path:'))?.slice('/path:'.length);
const has = (name: string): boolean => args.some((arg) => arg.toLowerCase() === name);

if (!has('/auto') || !path || !isAbsolute(path)) {
  process.stderr.write('usage: node setup-main.js /auto /path:<absolute folder> [/mt4]\n');
  process.exit(2);
}
createBaseFolder(path, has('/mt4') ? 'mt4' : 'mt5');
