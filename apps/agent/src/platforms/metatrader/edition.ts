/**
 * What one program of the family (MetaTrader 5, MetaTrader 4, the sandbox) has of its own: where it comes from, how it is
 * called, how long it takes, and how a person operates its window. How it runs on the host is the launcher's business.
 */
import type { HostBase } from '@berth/contract/agent';
import type { Platform } from '@berth/contract/values';
import type { Box, Launcher, Program, Screen } from '../../launchers/launcher.ts';
import type { Dialect } from './dialect.ts';

/**
 * How long things take where the terminal runs. A wait ends with its event; these are what is allowed before the driver
 * concludes something from silence, so they are generous where a real terminal is slow.
 */
export interface EditionTiming {
  /** From the start of the process to `started for` in the journal, and to a window. */
  startMs: number;
  /** From the start to a word about the login; after it the server's name counts as unknown. */
  loginSilenceMs: number;
  /** From the start to an expert's `loaded successfully`. */
  expertLoadMs: number;
  /** How long a loaded expert is watched for a failure before it counts as running. */
  expertSettleMs: number;
  /** The same of one that has written a line of its own: how late the line about a failure may be. */
  expertSpokenMs: number;
  /** From the login to the end of a helper script. */
  scriptMs: number;
  /** From a change on the screen to its line in the journal. */
  toggleMs: number;
  /** How long a polite stop may take before the process is killed. */
  politeStopMs: number;
  /** How long a lost link to the trading server is no news: most come back within seconds. */
  linkHoldMs: number;
  /** From the start, the time in which an expert that a chart still has would be loaded. */
  reloadMs: number;
  /** After an unexpected exit: how long to look for a successor. */
  exitSettleMs: number;
  /** The same after the journal announced an update. */
  updateSettleMs: number;
}

export interface DemoForm {
  server: string;
  name: string;
  email: string;
  balance?: number;
  leverage?: number;
  currency?: string;
}

export type DemoResult =
  { ok: true; login: string; password: string } | { ok: false; error: 'no_connection' | 'unknown_server' | 'refused' };

export interface ScreenshotRequest {
  width: number;
  height: number;
  /** The chart to be brought to the front, by its file and by what its window is called; null for the whole window. */
  chart: { file: string; captions: readonly string[] } | null;
}

/** A dialog in front of the terminal's window, in its own words. */
export interface OpenDialog {
  title: string;
  text: string;
  /** It may show a password: no screenshot is taken of it. */
  isSecret: boolean;
}

/** What a person does at the terminal's window. Everything throws a LauncherError (`screen`) where the window does not obey. */
export interface Operator {
  /** @returns a PNG */
  capture(request: ScreenshotRequest): Promise<Buffer>;
  /** Fills in the form "Open an Account". Throws also when it is not known what became of it. */
  openDemo(form: DemoForm): Promise<DemoResult>;
  /** The URLs that experts may call, read from the options dialog. */
  listWebRequestUrls(): Promise<string[]>;
  /** Replaces the whole list. */
  setWebRequestUrls(urls: readonly string[]): Promise<void>;
  /** Presses the Algo Trading button. @returns false where there is no keyboard */
  toggleAlgoTrading(): Promise<boolean>;
  /** Closes dialogs that are known to be harmless. @returns those that stand open and that nobody asked for */
  listDialogs(): Promise<OpenDialog[]>;
}

/** What a start needs besides the driver's own switches. */
export interface Surroundings {
  box: Box;
  /** Where the program finds its screen. */
  screenAddress: string;
}

export interface Edition {
  readonly platform: Platform;
  /** Which program of the family it speaks like. */
  readonly dialect: Dialect;
  readonly timing: EditionTiming;
  /** The folder of the installation within a box's home; it is the data folder too, because the terminal runs with /portable. */
  readonly folderName: string;
  /** Makes sure that the host has a base to fill boxes from. @returns its folder. Concurrent calls share the work. */
  ensureBase(): Promise<string>;
  /** The bases that the host has, for its operator to see. */
  listBases?(): Promise<HostBase[]>;
  /** What runs in the installation with this folder. Pure. */
  toProgram(root: string): Program;
  /** The environment of a start. Pure. */
  toEnvironment(surroundings: Surroundings): Record<string, string>;
  operate(screen: Screen): Operator;
  /** The compiled helper script that shows all symbols; undefined where this host has none. */
  findShowAllSymbols(): Promise<Buffer | undefined>;
  /** Where the terminal reaches its broker, for measuring latency; undefined where only the terminal itself knows. */
  findBrokerEndpoint(): Promise<{ host: string; port: number } | undefined>;
  /** The build that the terminal in this box shall stay on; null where it may follow the vendor's updates. */
  findPinnedBuild(box: Box): Promise<number | null>;
}

/** What a host can run, and how: an edition through a launcher. */
export interface Offer {
  edition: Edition;
  launcher: Launcher;
}
