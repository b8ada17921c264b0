import { toWide, type CorpusFile } from './corpus-file.ts';

/** `level source text`, a line of a journal each; the time goes on by some milliseconds from line to line. */
const toJournal = (
  name: string,
  lines: readonly (readonly [level: number, source: string, text: string])[],
): CorpusFile => {
  const toTime = (at: number): string => new Date(69_600_000 + at * 1_042).toISOString().slice(11, 23);
  const toMark = (at: number): string => String.fromCharCode(65 + ((at * 7) % 26), 65 + ((at * 11) % 26));
  const text = lines.map(([level, source, message], at) => [toMark(at), level, toTime(at), source, message].join('\t'));
  return { name, kind: 'journal', platform: 'mt5', bytes: toWide(text.map((line) => `${line}\n`).join('')) };
};

const DATA = 'C:\\Users\\somebody\\AppData\\Roaming\\MetaQuotes\\Terminal\\00112233445566778899AABBCCDDEEFF';
const LOGIN = "'70000011'";
const enabled = [0, 'Network', `${LOGIN}: trading has been enabled - hedging mode`] as const;
const previous = [
  0,
  'Network',
  `${LOGIN}: previous successful authorization performed from 192.0.2.7 on 2018.10.14 14:04:43`,
] as const;

export const mt5Journals: readonly CorpusFile[] = [
  toJournal('mt5-1835-demo-allocated.log', [
    [2, 'Terminal', 'terminal process already started'],
    [0, 'Terminal', 'exit initiated'],
    [0, 'Terminal', 'stopped'],
    [0, 'LiveUpdate', 'updating...'],
    [0, 'LiveUpdate', "'C:\\Program Files\\MetaTrader 5\\terminal64.exe' updated"],
    [0, 'LiveUpdate', 'updated successfully'],
    [0, 'Terminal', `update ${DATA}\\MQL5 folder started`],
    [0, 'Terminal', `${DATA}\\MQL5\\Include\\Arrays\\Array.mqh updated`],
    [0, 'Terminal', `update ${DATA}\\MQL5 folder finished`],
    [2, 'Accounts', 'deleted due security reason'],
    [0, 'Terminal', 'MetaTrader 5 x64 build 1835 started (MetaQuotes Software Corp.)'],
    [
      0,
      'Terminal',
      'Windows 10 (build 17134) x64, IE 11, UAC, 8 x CPU @ 1.80GHz, Memory: 12254 / 16268 Mb, Disk: 93 / 237 Gb',
    ],
    [0, 'Terminal', DATA],
    [0, 'Network', "demo account '70000011' was allocated on Example-Demo"],
    [0, 'LiveUpdate', 'new version build 1910 (IDE: 1910, Tester: 1910) is available'],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo`],
    previous,
    [0, 'Network', `${LOGIN}: terminal synchronized with Example Markets Ltd`],
    enabled,
    [0, 'Network', `${LOGIN}: scanning network for access points`],
    [0, 'Network', `${LOGIN}: scanning network finished`],
    [0, 'Network', `${LOGIN}: auto connecting to a better access point with 83 % quality (previous: 0 %)`],
    [1, 'Network', `${LOGIN}: connection to Example-Demo lost`],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo through Access Point HK (ping: 233.91 ms)`],
    [0, 'Compiler', 'full recompilation has been started'],
    [0, 'Compiler', 'full recompilation has been finished:  86 file(s) compiled'],
    [0, 'LiveUpdate', "'mt5clw64' downloaded (24859 kb)"],
    [0, 'LiveUpdate', 'downloaded successfully'],
  ]),
  toJournal('mt5-1730-demo-replaced.log', [
    [0, 'Terminal', 'MetaTrader 5 x64 build 1730 started (MetaQuotes Software Corp.)'],
    [1, 'Network', "current demo account '70000011' on Example-Demo was deleted, new demo will be allocated"],
    [0, 'Network', "demo account '70000099' was allocated on Example-Demo"],
    [0, 'Network', "'70000099': authorized on Example-Demo"],
    [3, 'Experts', 'automated trading is disabled because the account has been changed'],
  ]),
  toJournal('mt5-5200-losses.log', [
    [0, 'Terminal', 'MetaTrader 5 x64 build 5200 started for MetaQuotes Ltd.'],
    [0, 'Terminal', 'Windows 11 build 22631, 16 x CPU, AVX2, 7 / 15 Gb memory, 205 / 223 Gb disk, UAC, GMT+5'],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo through PR2-P (ping: 206.87 ms, build 5200)`],
    [
      0,
      'Network',
      `${LOGIN}: terminal synchronized with Example Group Limited: 0 positions, 0 orders, 1718 symbols, 0 spreads`,
    ],
    enabled,
    [1, 'Network', `${LOGIN}: connection to Example-Demo lost`],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo through PR2-P (ping: 206.87 ms, build 5200)`],
    [1, 'Network', `${LOGIN}: deals synchronization failed`],
    [0, 'Experts', 'automated trading is enabled'],
    [2, 'Experts', 'initializing of Range Rider (EURUSD,H1) failed with code 1'],
    [0, 'Network', `${LOGIN}: synchronization timeout`],
    [2, 'Network', `${LOGIN}: authorization on Example-Demo failed (Invalid account)`],
    [0, 'Accounts', "account 'Example-Demo' - '70000011' has been deleted"],
    [1, 'Example-Demo', `${LOGIN}: master password must be changed`],
    [0, 'Terminal', 'exit with code 0'],
    [0, 'Network', `${LOGIN}: disconnected from Example-Demo`],
    [0, 'Terminal', 'stopped with 0'],
    [0, 'Terminal', 'shutdown with 0'],
    [
      0,
      'LiveUpdate',
      `start "${DATA}\\liveupdate\\terminal64.exe" 1234 /update /path:"C:\\Program Files\\MetaTrader 5"`,
    ],
  ]),
  toJournal('mt5-5200-password-expired.log', [
    [0, 'Terminal', 'MetaTrader 5 x64 build 5200 started for MetaQuotes Ltd.'],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo through PR2-P (ping: 206.87 ms, build 5200)`],
    [1, 'Example-Demo', `${LOGIN}: master password must be changed`],
    [1, 'Network', `${LOGIN}: connection to Example-Demo lost`],
    [0, 'Network', `${LOGIN}: authorized on Example-Demo through PR2-P (ping: 206.87 ms, build 5200)`],
    [1, 'Example-Demo', `${LOGIN}: master password must be changed`],
  ]),
  toJournal('mt5-5430-experts.log', [
    [0, 'Terminal', 'Example Markets MT5 x64 build 5430 started for Example Markets Ltd'],
    [0, 'Experts', 'expert Range Rider (b) (Volatility 75 (1s) Index,M1) loaded successfully'],
    [0, 'Experts', 'expert Range Rider (b) (Volatility 75 (1s) Index,M1) loaded successfully'],
    [0, 'Experts', 'expert Range Rider (US 30.r_i,Daily) loaded successfully'],
    [0, 'Indicators', 'custom indicator Range Rider (US 30.r_i,Daily) loaded succesfully'],
    [2, 'Experts', 'initializing of Range Rider (EURUSDm,M1) failed with code 0 (execution canceled)'],
    [2, 'Experts', 'initializing of Range Rider (EURUSDm,M1) failed with code 0 (symbol synchronization timeout)'],
    [0, 'Experts', 'expert Range Rider (US 30.r_i,Daily) removed'],
    [0, 'Scripts', 'script ShowAllSymbols (S&P#1.fs,Weekly) removed'],
    [2, 'Network', `${LOGIN}: no connection to Example-Demo`],
  ]),
];
