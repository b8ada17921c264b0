/**
 * All differences between driving MetaTrader 4 and MetaTrader 5: where files are and how they are written, how a start
 * is requested, what the journal contains. What a person does at the window is up to the edition's window.
 */
import { mt4Charts } from './files/mt4-charts.ts';
import { mt5Charts } from './files/mt5-charts.ts';
import type { ChartForm } from './files/charts.ts';
import { mt4Options, mt5Options, type OptionsForm } from './files/options.ts';
import { mt4Profiles, mt5Profiles, type ProfileForm } from './files/profile-form.ts';
import { mt4ServerFile, mt5ServerFile, type ServerFileForm } from './files/server-file.ts';
import { mt4StartFile, mt5StartFile, type StartFileForm } from './files/start-file.ts';
import { mt4Journal, mt5Journal, type JournalForm } from './journal/journal-form.ts';
import { mt4Link, mt5Link, type LinkForm } from './link/link-form.ts';

/** Where one program of the family keeps the files that the driver reads and writes, below the terminal's folder. */
interface Layout {
  journal: string;
  /** What experts print. */
  expertsLog: string;
  /** The folder of all compiled programs; an EA's path is relative to it. */
  programs: string;
  /** The extension of compiled programs, with its dot. */
  programEnding: string;
}

const mt5Layout: Layout = {
  journal: 'logs',
  expertsLog: 'MQL5/Logs',
  programs: 'MQL5',
  programEnding: '.ex5',
};

const mt4Layout: Layout = {
  journal: 'logs',
  expertsLog: 'MQL4/Logs',
  programs: 'MQL4',
  programEnding: '.ex4',
};

export interface Dialect {
  /** The usual name of the program. */
  program: string;
  layout: Layout;
  options: OptionsForm;
  startFile: StartFileForm;
  charts: ChartForm;
  profiles: ProfileForm;
  servers: ServerFileForm;
  journal: JournalForm;
  link: LinkForm;
  /** Whether the journal says after each login what the account allows. */
  reportsAccountTrading: boolean;
  /**
   * Whether a saved password takes precedence over the one of a start file, so that for a new one the saved one must be
   * deleted.
   */
  prefersSavedPassword: boolean;
}

export const mt5Dialect: Dialect = {
  program: 'MetaTrader 5',
  layout: mt5Layout,
  options: mt5Options,
  startFile: mt5StartFile,
  charts: mt5Charts,
  profiles: mt5Profiles,
  servers: mt5ServerFile,
  journal: mt5Journal,
  link: mt5Link,
  reportsAccountTrading: true,
  prefersSavedPassword: false,
};

export const mt4Dialect: Dialect = {
  program: 'MetaTrader 4',
  layout: mt4Layout,
  options: mt4Options,
  startFile: mt4StartFile,
  charts: mt4Charts,
  profiles: mt4Profiles,
  servers: mt4ServerFile,
  journal: mt4Journal,
  link: mt4Link,
  reportsAccountTrading: false,
  prefersSavedPassword: true,
};
