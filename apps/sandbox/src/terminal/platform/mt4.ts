import type { Ini } from '../../files/ini.ts';
import { toTimeOfDay } from '../journal.ts';
import { findValue, setValue, type Block } from './chart-file.ts';
import { toMinutes, toPeriod, toPeriodOfMinutes } from './period.ts';
import type { Platform, Texts } from './platform.ts';
import { findFlag, toFlag, type Settings } from './settings.ts';
import type { StartFile } from './start-file.ts';

/** The flag values that projects report for an expert that may trade; the bits of `flags` are not documented. */
const LIVE_TRADING_FLAG = 4;

/** Why a program ended, in MQL's list of reasons. */
const TERMINAL_CLOSE = 9;

/** The folder of a program below its root is only in the line that it was loaded. */
const withoutFolder = (name: string): string => name.replace(/^.*\\/, '');

const texts: Texts = {
  authorized: (login, server, accessPoint, pingMs) =>
    `'${login}': login on ${server} through ${accessPoint} (ping: ${pingMs} ms)`,
  authorizationFailed: (login, _server, reason) => `'${login}': connect failed [${reason}]`,
  noConnection: (login) => `'${login}': connect failed [No connection]`,
  connectionLost: (login) => `'${login}': connection lost`,
  expertLoaded: (name, chart) => `Expert ${name} ${chart}: loaded successfully`,
  expertRemoved: (name, chart) => `Expert ${withoutFolder(name)} ${chart}: removed`,
  expertFailed: (name, chart, reason) => `Expert ${withoutFolder(name)} ${chart}: initialization failed (${reason})`,
  scriptLoaded: (name, chart) => `Script ${name} ${chart}: loaded successfully`,
  scriptRemoved: (name, chart) => `Script ${name} ${chart}: removed`,
  programSource: () => '',
  errorLevel: 1,
  programLine: (name, chart, message) => `${withoutFolder(name)} ${chart}: ${message}`,
  programStarted: (name, chart, inputs) => [
    `${withoutFolder(name)} ${chart} inputs: ${inputs.map((input) => `${input}; `).join('')}`,
    `${withoutFolder(name)} ${chart}: initialized`,
  ],
  programEnded: (name, chart) => [`${withoutFolder(name)} ${chart}: uninit reason ${TERMINAL_CLOSE}`],
  printAccountsDeleted: (journal) => journal.print('', 'Accounts deleted due security reason', 2),
  afterLogin: false,
};

/** The start file is a flat list of keys; a `[Common]` header above it is read as well. */
const parseStartFile = (ini: Ini): StartFile => {
  const find = (key: string): string | undefined => ini.get('', key) ?? ini.get('Common', key);
  return {
    login: find('Login'),
    password: find('Password'),
    server: find('Server'),
    keepPassword: toFlag(find('KeepPrivate'), true),
    profile: find('Profile'),
    algoTrading: findFlag(find('ExpertsEnable')),
    allowDll: findFlag(find('ExpertsDllImport')),
    offOnAccountChange: undefined,
    offOnProfileChange: undefined,
    startUp: {
      expert: find('Expert'),
      expertParameters: find('ExpertParameters'),
      script: find('Script'),
      symbol: find('Symbol'),
      period: toPeriod(find('Period')),
      template: find('Template'),
      shutdownTerminal: false,
    },
  };
};

/** The real program keeps these in files of a proprietary format; its `terminal.ini` has none of them. */
const OWN = 'Sandbox';

const readSettings = (ini: Ini): Settings => ({
  login: ini.get(OWN, 'Login') ?? '',
  server: ini.get(OWN, 'Server') ?? '',
  profile: ini.get(OWN, 'Profile') ?? 'default',
  algoTrading: toFlag(ini.get(OWN, 'Experts'), false),
  allowDll: toFlag(ini.get(OWN, 'ExpertsDllImport'), false),
  offOnAccountChange: toFlag(ini.get(OWN, 'ExpertsDisableOnAccount'), false),
  offOnProfileChange: toFlag(ini.get(OWN, 'ExpertsDisableOnProfile'), false),
  webRequest: toFlag(ini.get(OWN, 'WebRequest'), false),
  webRequestUrl: ini.get(OWN, 'WebRequestUrl') ?? '',
});

const writeSettings = (ini: Ini, settings: Settings): void => {
  const toDigit = (flag: boolean): string => (flag ? '1' : '0');
  ini.set(OWN, 'Login', settings.login);
  ini.set(OWN, 'Server', settings.server);
  ini.set(OWN, 'Profile', settings.profile);
  ini.set(OWN, 'Experts', toDigit(settings.algoTrading));
  ini.set(OWN, 'ExpertsDllImport', toDigit(settings.allowDll));
  ini.set(OWN, 'ExpertsDisableOnAccount', toDigit(settings.offOnAccountChange));
  ini.set(OWN, 'ExpertsDisableOnProfile', toDigit(settings.offOnProfileChange));
  ini.set(OWN, 'WebRequest', toDigit(settings.webRequest));
  ini.set(OWN, 'WebRequestUrl', settings.webRequestUrl);
};

export const mt4: Platform = {
  name: 'mt4',
  programFile: 'terminal.exe',
  programEnding: '.ex4',
  layout: {
    settings: 'config/terminal.ini',
    accounts: 'config/accounts.ini',
    journal: 'logs',
    expertsJournal: 'MQL4/Logs',
    programs: 'MQL4',
    experts: 'MQL4/Experts',
    scripts: 'MQL4/Scripts',
    presets: 'MQL4/Presets',
    profiles: 'profiles',
    templates: 'templates',
    marketWatch: (serverFolder) => `history/${serverFolder}/symbols.sel`,
  },
  texts,
  journalEncoding: 'utf-8',
  chartEncoding: 'utf-8',
  toJournalText: ({ at, message, level }) => [level, toTimeOfDay(at), message].join('\t'),
  findStartPath: (commandLine) => commandLine.positional,
  parseStartFile,
  readSettings,
  writeSettings,
  readPeriod: (chart) => toPeriodOfMinutes(Number(findValue(chart, 'period'))),
  writePeriod: (chart, period) => setValue(chart, 'period', String(toMinutes(period))),
  toExpertFile: (expert) => `MQL4/Experts/${findValue(expert, 'name') ?? ''}.ex4`,
  newExpert: (name): Block => ({
    name: 'expert',
    parts: [
      { key: 'name', value: name },
      { key: 'flags', value: '343' },
      { key: 'window_num', value: '0' },
      { name: 'inputs', parts: [] },
    ],
  }),
  mayTrade: (expert) => (Number(findValue(expert, 'flags') ?? 0) & LIVE_TRADING_FLAG) !== 0,
};
