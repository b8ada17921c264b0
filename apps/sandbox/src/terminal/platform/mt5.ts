import { createHash } from 'node:crypto';
import type { Ini } from '../../files/ini.ts';
import { toTimeOfDay, type JournalLine } from '../journal.ts';
import { findValue, setValue, type Block } from './chart-file.ts';
import { toPeriod, toPeriodOfTypeAndSize, toTypeAndSize } from './period.ts';
import type { Platform, Texts } from './platform.ts';
import { findFlag, toFlag, type Settings } from './settings.ts';
import type { StartFile } from './start-file.ts';

/** Algo trading allowed, as newer builds write it. */
const EXPERT_MODE = '33';

const texts: Texts = {
  authorized: (login, server, accessPoint, pingMs, build) =>
    `'${login}': authorized on ${server} through ${accessPoint} (ping: ${pingMs} ms, build ${build})`,
  authorizationFailed: (login, server, reason) => `'${login}': authorization on ${server} failed (${reason})`,
  noConnection: (login, server) => `'${login}': no connection to ${server}`,
  connectionLost: (login, server) => `'${login}': connection to ${server} lost`,
  expertLoaded: (name, chart) => `expert ${name} (${chart}) loaded successfully`,
  expertRemoved: (name, chart) => `expert ${name} (${chart}) removed`,
  expertFailed: (name, chart, reason) => `initializing of ${name} (${chart}) failed with code 0 (${reason})`,
  scriptLoaded: (name, chart) => `script ${name} (${chart}) loaded successfully`,
  scriptRemoved: (name, chart) => `script ${name} (${chart}) removed`,
  programSource: (name, chart) => `${name} (${chart})`,
  programLine: (_name, _chart, message) => message,
  errorLevel: 2,
  programStarted: (_name, _chart, inputs) => [`inputs: ${inputs.join('; ')}`],
  programEnded: () => [],
  printAccountsDeleted: (journal) => journal.print('Accounts', 'deleted due security reason', 2),
  afterLogin: true,
};

/** Two letters that look random, a severity, the time, the source, the message. */
const toJournalText = ({ at, source, message, level }: JournalLine): string => {
  const time = toTimeOfDay(at);
  const hash = createHash('md5').update(`${time}${message}`).digest();
  const mark = String.fromCharCode(65 + ((hash[0] ?? 0) % 26), 65 + ((hash[1] ?? 0) % 26));
  return [mark, level, time, source, message].join('\t');
};

const parseStartFile = (ini: Ini): StartFile => ({
  login: ini.get('Common', 'Login'),
  password: ini.get('Common', 'Password'),
  server: ini.get('Common', 'Server'),
  keepPassword: toFlag(ini.get('Common', 'KeepPrivate'), false),
  profile: ini.get('Charts', 'ProfileLast'),
  algoTrading: findFlag(ini.get('Experts', 'Enabled')) ?? findFlag(ini.get('Experts', 'AllowLiveTrading')),
  allowDll: findFlag(ini.get('Experts', 'AllowDllImport')),
  offOnAccountChange: findFlag(ini.get('Experts', 'Account')),
  offOnProfileChange: findFlag(ini.get('Experts', 'Profile')),
  startUp: {
    expert: ini.get('StartUp', 'Expert'),
    expertParameters: ini.get('StartUp', 'ExpertParameters'),
    script: ini.get('StartUp', 'Script'),
    symbol: ini.get('StartUp', 'Symbol'),
    period: toPeriod(ini.get('StartUp', 'Period')),
    template: ini.get('StartUp', 'Template'),
    shutdownTerminal: toFlag(ini.get('StartUp', 'ShutdownTerminal'), false),
  },
});

const readSettings = (ini: Ini): Settings => ({
  login: ini.get('Common', 'Login') ?? '',
  server: ini.get('Common', 'Server') ?? '',
  profile: ini.get('Charts', 'ProfileLast') ?? 'Default',
  algoTrading: toFlag(ini.get('Experts', 'Enabled'), false),
  allowDll: toFlag(ini.get('Experts', 'AllowDllImport'), false),
  offOnAccountChange: toFlag(ini.get('Experts', 'Account'), true),
  offOnProfileChange: toFlag(ini.get('Experts', 'Profile'), false),
  webRequest: toFlag(ini.get('Experts', 'WebRequest'), false),
  webRequestUrl: ini.get('Experts', 'WebRequestUrl') ?? '',
});

/** Further keys of the real file; written once, then left as they are. */
const OTHER_KEYS: [section: string, key: string, value: string][] = [
  ['Common', 'ProxyEnable', '0'],
  ['Common', 'NewsEnable', '1'],
  ['Common', 'CertInstall', '0'],
  ['Charts', 'MaxBars', '100000'],
  ['Charts', 'PrintColor', '0'],
  ['Charts', 'SaveDeleted', '0'],
  ['Experts', 'Chart', '0'],
  ['Experts', 'Api', '0'],
];

const writeSettings = (ini: Ini, settings: Settings): void => {
  const toDigit = (flag: boolean): string => (flag ? '1' : '0');
  ini.set('Common', 'Login', settings.login);
  ini.set('Common', 'Server', settings.server);
  ini.set('Charts', 'ProfileLast', settings.profile);
  ini.set('Experts', 'AllowDllImport', toDigit(settings.allowDll));
  ini.set('Experts', 'Enabled', toDigit(settings.algoTrading));
  ini.set('Experts', 'Account', toDigit(settings.offOnAccountChange));
  ini.set('Experts', 'Profile', toDigit(settings.offOnProfileChange));
  ini.set('Experts', 'WebRequest', toDigit(settings.webRequest));
  ini.set('Experts', 'WebRequestUrl', settings.webRequestUrl);
  for (const [section, key, value] of OTHER_KEYS) {
    if (ini.get(section, key) === undefined) ini.set(section, key, value);
  }
};

export const mt5: Platform = {
  name: 'mt5',
  programFile: 'terminal64.exe',
  programEnding: '.ex5',
  layout: {
    settings: 'config/common.ini',
    accounts: 'config/accounts.dat',
    journal: 'logs',
    expertsJournal: 'MQL5/Logs',
    programs: 'MQL5',
    experts: 'MQL5/Experts',
    scripts: 'MQL5/Scripts',
    presets: 'MQL5/Presets',
    profiles: 'MQL5/Profiles/Charts',
    templates: 'MQL5/Profiles/Templates',
    marketWatch: (serverFolder, login) => `Bases/${serverFolder}/symbols/selected-${login}.dat`,
  },
  texts,
  journalEncoding: 'utf-16le',
  chartEncoding: 'utf-16le',
  toJournalText,
  findStartPath: (commandLine) => commandLine.config,
  parseStartFile,
  readSettings,
  writeSettings,
  readPeriod: (chart) =>
    toPeriodOfTypeAndSize(Number(findValue(chart, 'period_type') ?? 1), Number(findValue(chart, 'period_size') ?? 1)),
  writePeriod: (chart, period) => {
    const { type, size } = toTypeAndSize(period);
    setValue(chart, 'period_type', String(type));
    setValue(chart, 'period_size', String(size));
  },
  toExpertFile: (expert) => `MQL5/${findValue(expert, 'path') ?? `Experts\\${findValue(expert, 'name') ?? ''}.ex5`}`,
  newExpert: (name): Block => ({
    name: 'expert',
    parts: [
      { key: 'name', value: name.split('\\').at(-1) ?? name },
      { key: 'path', value: `Experts\\${name}.ex5` },
      { key: 'expertmode', value: EXPERT_MODE },
      { name: 'inputs', parts: [] },
    ],
  }),
  mayTrade: (expert) => (Number(findValue(expert, 'expertmode') ?? 0) & 1) === 1,
};
