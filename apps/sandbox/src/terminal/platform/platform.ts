import type { Ini } from '../../files/ini.ts';
import type { TextEncoding } from '../../files/text-file.ts';
import type { Journal, JournalLine, Level } from '../journal.ts';
import type { Block } from './chart-file.ts';
import type { CommandLine } from './command-line.ts';
import type { Period } from './period.ts';
import type { Settings } from './settings.ts';
import type { StartFile } from './start-file.ts';

/** Where a platform keeps its files, relative to the terminal's folder. */
export interface Layout {
  settings: string;
  accounts: string;
  journal: string;
  expertsJournal: string;
  /** The folder below which an expert's `path` lies. */
  programs: string;
  experts: string;
  scripts: string;
  presets: string;
  profiles: string;
  templates: string;
  /** Data of each server; the folder of a server's Market Watch selection. */
  marketWatch: (serverFolder: string, login: string) => string;
}

/** The journal's texts that differ from platform to platform. `chart` is `SYMBOL,PERIOD`. */
export interface Texts {
  authorized: (login: string, server: string, accessPoint: string, pingMs: string, build: number) => string;
  authorizationFailed: (login: string, server: string, reason: string) => string;
  noConnection: (login: string, server: string) => string;
  connectionLost: (login: string, server: string) => string;
  expertLoaded: (name: string, chart: string) => string;
  expertRemoved: (name: string, chart: string) => string;
  expertFailed: (name: string, chart: string, reason: string) => string;
  scriptLoaded: (name: string, chart: string) => string;
  scriptRemoved: (name: string, chart: string) => string;
  /** The source column of a program's own lines. */
  programSource: (name: string, chart: string) => string;
  /** A program's own line. */
  programLine: (name: string, chart: string, message: string) => string;
  /** The level of a line about an error that ends a program. */
  errorLevel: Level;
  /** What a program's journal contains about its inputs, each `name=value`, when it starts. */
  programStarted: (name: string, chart: string, inputs: string[]) => string[];
  /** What a program's journal contains at the end, when the terminal closes. */
  programEnded: (name: string, chart: string) => string[];
  /** Prints that the saved accounts were deleted. */
  printAccountsDeleted: (journal: Journal) => void;
  /** What the terminal prints about the account after the login. */
  afterLogin: boolean;
}

/** All differences between MetaTrader 5 and MetaTrader 4, as far as the sandbox imitates them. */
export interface Platform {
  name: 'mt5' | 'mt4';
  programFile: string;
  layout: Layout;
  texts: Texts;
  journalEncoding: TextEncoding;
  chartEncoding: TextEncoding;
  toJournalText: (line: JournalLine) => string;
  findStartPath: (commandLine: CommandLine) => string | undefined;
  parseStartFile: (ini: Ini) => StartFile;
  readSettings: (ini: Ini) => Settings;
  writeSettings: (ini: Ini, settings: Settings) => void;
  readPeriod: (chart: Block) => Period;
  writePeriod: (chart: Block, period: Period) => void;
  /** The program file of a chart's expert, relative to the terminal's folder. */
  toExpertFile: (expert: Block) => string;
  newExpert: (name: string) => Block;
  mayTrade: (expert: Block) => boolean;
  /** Extension of compiled programs, with the dot. */
  programEnding: string;
}
