import { toNarrow, type CorpusFile } from './corpus-file.ts';

const toJournal = (name: string, lines: readonly (readonly [level: number, text: string])[]): CorpusFile => {
  const toTime = (at: number): string => new Date(68_556_742 + at * 1_042).toISOString().slice(11, 23);
  const text = lines.map(([level, message], at) => `${level}\t${toTime(at)}\t${message}\n`).join('');
  return { name, kind: 'journal', platform: 'mt4', bytes: toNarrow(text) };
};

const LOGIN = "'80000022'";
const PROGRAM = 'C:\\Program Files (x86)\\Example MetaTrader 4';

export const mt4Journals: readonly CorpusFile[] = [
  toJournal('mt4-1170-logins.log', [
    [0, 'MetaTrader build 1170 started (Example Group Limited)'],
    [0, 'Windows 10 Home x64, IE 11, UAC, 8 x CPU @ 2.60GHz, Memory: 12114 / 16268 Mb, Disk: 93 / 237 Gb, GMT-3'],
    [0, 'Data Folder: C:\\Users\\Andr\u00e9\\AppData\\Roaming\\MetaQuotes\\Terminal\\00112233445566778899AABBCCDDEEFF'],
    [0, `${LOGIN}: login datacenter on Example-Live16 through NY4 DC 1 (ping: 108.24 ms)`],
    [0, `${LOGIN}: previous successful authorization performed from 192.0.2.7`],
    [0, `${LOGIN}: login on Example-Live16 through NY4 DC 1 (ping: 108.24 ms)`],
    [0, `${LOGIN}: login on Example-Live16 through SYD_DC01 (ping: n/a)`],
    [0, `${LOGIN}: login datacenter on Example-Live16`],
    [0, `${LOGIN}: ping to current access point NY4 DC 1 is 117.71 ms`],
    [0, `${LOGIN}: auto connecting to a better access point Other DC (ping is 224.79 ms)`],
    [1, `${LOGIN}: ping failed`],
    [1, `${LOGIN}: datacenter connecting failed [6]`],
    [1, `${LOGIN}: connect failed [No connection]`],
    [1, `${LOGIN}: connect failed [Common error]`],
    [1, `${LOGIN}: connect failed [Invalid account]`],
    [1, `${LOGIN}: cannot login to: Example-Live16`],
    [1, `${LOGIN}: cannot change password [Invalid account]`],
    [1, `${LOGIN}: order buy 0.01 EURUSD opening at market sl: 0.00000 tp: 0.00000 failed [Not enough money]`],
    [0, 'System to be shutdown, request for close MetaTrader'],
    [3, 'LiveUpdate: timeout on stop'],
    [0, 'MetaTrader build 1170 stopped because system shutdown'],
  ]),
  toJournal('mt4-1350-update.log', [
    [0, 'Example Markets MT4 build 1350 started (Example Markets Plc)'],
    [0, `LiveUpdate: updater - started for '${PROGRAM}'`],
    [0, 'LiveUpdate: updater - start admin updater'],
    [0, `LiveUpdate: admin updater - started for '${PROGRAM}'`],
    [0, 'LiveUpdate: admin updater - try to close terminal'],
    [0, 'Example Markets MT4 build 1350 stopped'],
    [0, 'LiveUpdate: admin updater - files update started'],
    [0, `LiveUpdate: copied from 'C:\\WebInstall\\mt4clw\\terminal.exe' to '${PROGRAM}\\terminal.exe'`],
    [0, 'LiveUpdate: admin updater - files update finished'],
    [0, 'LiveUpdate: admin updater - clean obsolete data'],
    [0, `LiveUpdate: admin updater - finished for '${PROGRAM}'`],
    [0, 'LiveUpdate: updater - start terminal'],
    [0, `LiveUpdate: updater - finished for '${PROGRAM}'`],
    [0, `LiveUpdate: update ${PROGRAM}\\MQL4 folder started`],
    [0, `LiveUpdate: update ${PROGRAM}\\MQL4 folder finished`],
    [0, 'Example Markets MT4 build 1353 started (Example Markets Plc)'],
    [0, 'Sources recompilation started'],
    [0, 'Sources recompilation finished (28 compiled in 32125 msec)'],
  ]),
  toJournal('mt4-1440-experts.log', [
    [0, 'MetaTrader 4 build 1440 started (Example Capital Ltd)'],
    [0, 'Custom indicator Sessions EURUSD.x,H1: loaded successfully'],
    [0, 'Expert own\\rider_1_0 S&P.fs,M15: loaded successfully'],
    [0, 'own\\rider_1_0 S&P.fs,M15 inputs: Lots=0.1; Note=; '],
    [0, 'own\\rider_1_0 S&P.fs,M15: initialized'],
    [0, 'Automated trading enabled'],
    [0, 'Automated trading disabled because the account has been changed'],
    [0, 'own\\rider_1_0 S&P.fs,M15: uninit reason 9'],
    [0, 'Expert own\\rider_1_0 S&P.fs,M15: removed'],
    [0, 'Script ShowAllSymbols US 30#m,Daily: removed'],
    [0, "HistoryCenter: synchronize 'EURUSD.x5'"],
    [0, 'MetaTrader 4 build 1440 stopped'],
  ]),
];
