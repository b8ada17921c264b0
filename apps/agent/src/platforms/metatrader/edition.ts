/**
 * What is specific to one program of the family (MetaTrader 5, MetaTrader 4, the sandbox): its source, its names, its
 * timing, and how a person operates its window. How it runs on the host is the launcher's business.
 */
import type { HostBase } from '@berth/contract/agent';
import type { Platform } from '@berth/contract/values';
import type { Box, Launcher, Program, Screen } from '../../launchers/launcher.ts';
import type { Dialect } from './dialect.ts';
import type { LinkProgram } from './link/link-form.ts';

/**
 * How long things take where the terminal runs. A wait ends with its event; these are the limits after which the driver
 * draws conclusions from silence, so they are generous where a real terminal is slow.
 */
export interface EditionTiming {
  /** From the start of the process to `started for` in the journal, and to a window. */
  startMs: number;
  /** From the start to a message about the login; after that the server's name counts as unknown. */
  loginSilenceMs: number;
  /** From the start to an expert's `loaded successfully`. */
  expertLoadMs: number;
  /** How long a loaded expert is watched for a failure before it counts as running. */
  expertSettleMs: number;
  /** The same for one that has written a line of its own: how late the line about a failure may be. */
  expertSpokenMs: number;
  /** From the login to the end of a helper script. */
  scriptMs: number;
  /** From a change on the screen to its line in the journal. */
  toggleMs: number;
  /** How long a polite stop may take before the process is killed. */
  politeStopMs: number;
  /** How long a lost connection to the trading server is not reported: most come back within seconds. */
  linkHoldMs: number;
  /** The time after a start within which an EA that is still on a chart would be loaded. */
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
  /** The chart to be brought to the front, by its file and its possible window captions; null for the whole window. */
  chart: { file: string; captions: readonly string[] } | null;
}

/** A dialog in front of the terminal's window, in its own words. */
export interface OpenDialog {
  title: string;
  text: string;
  /** It may show a password: no screenshot is taken of it. */
  isSecret: boolean;
}

/**
 * What a person does at the terminal's window. Everything throws a LauncherError (`screen`) where the window does not
 * respond.
 */
export interface MainWindow {
  /** @returns a PNG */
  capture(request: ScreenshotRequest): Promise<Buffer>;
  /** Fills in the form "Open an Account". Also throws when the outcome is unknown. */
  openDemo(form: DemoForm): Promise<DemoResult>;
  /** The URLs that EAs may call, read from the options dialog. */
  listWebRequestUrls(): Promise<string[]>;
  /** Replaces the whole list. */
  setWebRequestUrls(urls: readonly string[]): Promise<void>;
  /** Presses the Algo Trading button. @returns false where there is no keyboard */
  toggleAlgoTrading(): Promise<boolean>;
  /** Whether the window would take the key of that button: throws where it would not. Presses and closes nothing. */
  assertAnswers(): Promise<void>;
  /** Closes dialogs that are known to be harmless. @returns the unexpected ones that remain open */
  listDialogs(): Promise<OpenDialog[]>;
}

/** What a start needs besides the driver's own arguments. */
export interface Surroundings {
  box: Box;
  /** Where the program finds its screen. */
  screenAddress: string;
}

export interface Edition {
  readonly platform: Platform;
  /** The program of the family whose formats it uses. */
  readonly dialect: Dialect;
  readonly timing: EditionTiming;
  /** The folder of the installation within a box's home; it is the data folder too, because the terminal runs with /portable. */
  readonly folderName: string;
  /** Ensures that the host has a base to fill boxes from. @returns its folder. Concurrent calls share the work. */
  ensureBase(): Promise<string>;
  /** The bases that the host has, for its operator to see. */
  listBases?(): Promise<HostBase[]>;
  /** What runs in the installation with this folder. Pure. */
  toProgram(root: string): Program;
  /** The environment of a start. Pure. */
  toEnvironment(surroundings: Surroundings): Record<string, string>;
  window(screen: Screen): MainWindow;
  /** The compiled helper script that shows all symbols; undefined where this host has none. */
  findShowAllSymbols(): Promise<Buffer | undefined>;
  /** The compiled link program, of the newest version that this host has; undefined where it has none. */
  findLinkProgram?(): Promise<LinkProgram | undefined>;
  /** The address of the terminal's broker, for measuring latency; undefined where only the terminal itself knows it. */
  findBrokerEndpoint(): Promise<{ host: string; port: number } | undefined>;
  /** The build that the terminal in this box stays on; null where it may follow the vendor's updates. */
  findPinnedBuild(box: Box): Promise<number | null>;
}

/** What a host can run, and how: an edition through a launcher. */
export interface Offer {
  edition: Edition;
  launcher: Launcher;
}
