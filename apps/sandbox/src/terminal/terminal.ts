import { existsSync } from 'node:fs';
import { resolveOnDisk } from '../files/folder.ts';
import { Seal } from '../files/sealed.ts';
import { hasTrouble } from '../wire/server-names.ts';
import { AccountLogin } from './account/account-login.ts';
import { SavedAccounts } from './account/saved-accounts.ts';
import { TradingDesk } from './account/trading-desk.ts';
import { Experts } from './charts/experts.ts';
import { MarketWatch } from './charts/market-watch.ts';
import { Profile } from './charts/profile.ts';
import { Exchange } from './exchange/exchange.ts';
import { Journal } from './journal.ts';
import type { CommandLine } from './platform/command-line.ts';
import { mt4 } from './platform/mt4.ts';
import { mt5 } from './platform/mt5.ts';
import { OptionsFile } from './platform/options-file.ts';
import type { Platform } from './platform/platform.ts';
import type { Settings } from './platform/settings.ts';
import type { StartFile } from './platform/start-file.ts';
import { printBanner } from './screen/banner.ts';
import type { WindowCommands } from './screen/display.ts';
import { createWindowCommands, LOGIN_DIALOG, WIZARD } from './screen/window-commands.ts';
import type { Faults } from './start/faults.ts';
import { Drive, readStartFile } from './start/read-start-file.ts';
import { prepareStartUp, runScript } from './start/start-up.ts';
import type { Workspace } from './workspace.ts';

export interface TerminalOptions {
  /** The folder of the terminal's programs, which it was started in. */
  installFolder: string;
  /** The folder of its data: the same with /portable. */
  root: string;
  /** The unix folder that `C:\` maps to. */
  driveC: string;
  networkFile: string | undefined;
  commandLine: CommandLine;
  faults: Faults;
  /** Called when the terminal closes by itself, after its script. */
  onClosed: () => void;
}

export interface Terminal {
  commands: WindowCommands;
  /** Stops cleanly: EAs removed, options and charts rewritten, the journal ended. */
  close: () => void;
  /** Prints the messages of an update, and closes for it. */
  closeForUpdate: () => void;
}

/** A folder with MetaTrader 4's program is MetaTrader 4's. */
const findPlatform = (installFolder: string): Platform =>
  existsSync(resolveOnDisk(installFolder, mt4.programFile)) ? mt4 : mt5;

const openJournals = ({ root, faults }: TerminalOptions, platform: Platform) => {
  const { toJournalText: toText, journalEncoding: encoding, layout } = platform;
  const terms = { root, encoding, toText, flushMs: faults.flushMs, partialLines: faults.partialLines };
  return {
    journal: new Journal({ ...terms, folder: layout.journal }),
    expertsJournal: new Journal({ ...terms, folder: layout.expertsJournal }),
  };
};

const changeProfile = (settings: Settings, profile: Profile, journal: Journal): void => {
  const hasChanged = settings.profile.toLowerCase() !== profile.name.toLowerCase();
  settings.profile = profile.name;
  if (!hasChanged || !settings.offOnProfileChange || !settings.algoTrading) return;
  settings.algoTrading = false;
  journal.print('Experts', 'automated trading is disabled because the profile has been changed');
};

type Journals = ReturnType<typeof openJournals>;

const endJournals = ({ journal, expertsJournal }: Journals, message: string): void => {
  journal.print('Terminal', message);
  journal.close();
  expertsJournal.close();
};

const toSeal = ({ driveC, root }: TerminalOptions): Seal => new Seal(driveC, new Drive(driveC).toWindowsPath(root));

/** Problems with the saved accounts are reported before anything else. */
const loadAccounts = (options: TerminalOptions, platform: Platform, journal: Journal): SavedAccounts => {
  const savedAccounts = new SavedAccounts(options.root, platform.layout.accounts, toSeal(options));
  if (!savedAccounts.load({ wipe: options.faults.wipeAccounts })) platform.texts.printAccountsDeleted(journal);
  return savedAccounts;
};

/** Reads the terminal's own files and what the start file changes in them. */
const loadFiles = (options: TerminalOptions, platform: Platform, journal: Journal, start: StartFile | undefined) => {
  const { root, commandLine, faults } = options;
  const seal = toSeal(options);
  const optionsFile = new OptionsFile(root, platform, seal);
  if (start) optionsFile.apply(start);
  const { settings } = optionsFile;
  settings.algoTrading = faults.algoTrading ?? settings.algoTrading;
  const profile = Profile.open(root, platform, [commandLine.profile, start?.profile, settings.profile]);
  if (faults.switchLine) {
    journal.print('Experts', `automated trading is ${settings.algoTrading ? 'enabled' : 'disabled'}`);
  }
  changeProfile(settings, profile, journal);
  return { optionsFile, profile };
};

/** Builds the parts of a terminal around its files; nothing runs yet. */
const buildWorkspace = (
  options: TerminalOptions,
  platform: Platform,
  journals: Journals,
  savedAccounts: SavedAccounts,
  start: StartFile | undefined,
) => {
  const { root, faults, networkFile } = options;
  const files = loadFiles(options, platform, journals.journal, start);
  const marketWatch = new MarketWatch(root, platform);
  const { symbolTimeoutMs, pingEveryMs, authorizedAs } = faults;
  const experts = new Experts({ root, platform, ...journals, marketWatch, symbolTimeoutMs });
  const parts = { platform, ...journals, ...files, savedAccounts, marketWatch, experts };
  const login = new AccountLogin({ ...parts, networkFile, pingEveryMs, authorizedAs });
  const desk = new TradingDesk(login, files.optionsFile);
  experts.useTrader(desk);
  const exchange = new Exchange({
    root,
    programs: platform.layout.programs,
    desk,
    build: () => login.account?.build ?? 0,
    removeExperts: () => experts.closeCharts(files.profile.charts),
  });
  const workspace: Workspace = { ...parts, login, dialog: undefined, isSwitchStuck: faults.algoTrading !== undefined };
  void login.whenOnline().then(() => {
    if (hasTrouble(login.account?.server ?? '', 'Dialog')) workspace.dialog = LOGIN_DIALOG;
  });
  return { workspace, exchange };
};

/**
 * Starts a terminal: its first journal lines are written, its login is in progress. Undefined when its start file
 * cannot be loaded.
 */
export const startTerminal = (options: TerminalOptions): Terminal | undefined => {
  const { root, faults, commandLine } = options;
  const platform = findPlatform(options.installFolder);
  const drive = new Drive(options.driveC);
  const journals = openJournals(options, platform);
  const { journal } = journals;

  const savedAccounts = loadAccounts(options, platform, journal);
  printBanner(journal, drive.toWindowsPath(root));
  const start = readStartFile(platform, drive, root, commandLine, journal);
  if (start === 'failed') {
    journal.print('Terminal', 'initialization failed [10015]', 2);
    endJournals(journals, 'stopped with 10015');
    return undefined;
  }

  const { workspace, exchange } = buildWorkspace(options, platform, journals, savedAccounts, start);
  const { profile, experts, login, optionsFile, marketWatch } = workspace;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    exchange.close();
    login.connection.close();
    experts.removeAll();
    profile.save();
    optionsFile.save();
    marketWatch.save();
    endJournals(journals, 'shutdown with 0');
  };

  const script = start && !faults.skipStartUp ? prepareStartUp(root, platform, profile, start.startUp) : undefined;
  for (const chart of profile.charts) experts.load(chart);
  if (script) {
    void runScript(script, { ...workspace, ...journals, online: login.whenOnline() }).then(() => {
      login.watchSymbols();
      if (!start?.startUp.shutdownTerminal || isClosed) return;
      close();
      options.onClosed();
    });
  }
  const credentials = login.findCredentials(start, commandLine.login);
  if (credentials) login.use(credentials, { keepPassword: start?.keepPassword ?? false });
  else if (faults.wizard) workspace.dialog = WIZARD;

  const closeForUpdate = (): void => {
    journal.print('LiveUpdate', 'new version is available');
    journal.print('LiveUpdate', 'downloaded successfully');
    close();
  };
  return { commands: createWindowCommands(workspace), close, closeForUpdate };
};
