import type { Platform } from '@berth/contract';

/** Identifies a process beyond the reuse of its PID. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, as the kernel states it. */
  startTicks: string;
  /** Folder in which the process runs. */
  path: string;
}

/**
 * How long things take where the terminal runs. A wait ends with its event; these are what is allowed before the driver
 * concludes something from silence, so they are generous where a real terminal is slow.
 */
export interface LauncherTiming {
  /** From the start of the process to `started for` in the journal. */
  startMs: number;
  /** From the start to a word about the login; after it the server's name counts as unknown. */
  loginSilenceMs: number;
  /** From the start to an expert's `loaded successfully`. */
  expertLoadMs: number;
  /** How long a loaded expert is watched for a failure before it counts as running. */
  expertSettleMs: number;
  /** From the login to the end of a helper script. */
  scriptMs: number;
  /** From a change on the screen to its line in the journal. */
  toggleMs: number;
  /** How long a polite stop may take before the process is killed. */
  politeStopMs: number;
  /** After an exit that nobody asked for: how long to look for a successor. */
  exitSettleMs: number;
  /** The same after the journal announced an update. */
  updateSettleMs: number;
}

/** The folders of one terminal on the host. */
export interface TerminalHome {
  /** Everything of this terminal; removing it removes the terminal. */
  folder: string;
  /** The terminal's installation, which is also its data folder (it runs with /portable). */
  root: string;
  /** The start file: where we write it, and what the terminal calls the same file. */
  startFile: { path: string; windowsPath: string };
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

export interface PictureRequest {
  width: number;
  height: number;
  /** A chart's file, to be brought to the front; null for the whole window. */
  chart: string | null;
}

/** What the person at the screen did not get to do: the window is hidden behind a dialog, or does not answer. */
export class ScreenError extends Error {
  override readonly name = 'ScreenError';
}

/**
 * A way to run terminals on this host: as plain processes, under Wine, on a Windows desktop. It knows processes, screens
 * and paths; what the terminal reads and writes is the driver's business.
 */
export interface Launcher {
  readonly platform: Platform;
  readonly timing: LauncherTiming;
  /** The folders of a terminal whose home is the given folder. Pure. */
  toHome(folder: string): TerminalHome;
  /** Makes sure that the host has a fresh installation to copy from. @returns its folder. Concurrent calls share the work. */
  ensureBase(): Promise<string>;
  /** Starts the terminal detached, so that it outlives this program. The process may still end at once: watch the journal. */
  start(home: TerminalHome, args: readonly string[]): Promise<ProcessIdentity>;
  /** Whether exactly this process still runs. */
  isRunning(identity: ProcessIdentity): boolean;
  /** The terminal that runs in the home's folder, whoever started it. */
  findRunning(home: TerminalHome): Promise<ProcessIdentity | undefined>;
  /** Asks the terminal to close its window, so that it saves charts and options. */
  close(identity: ProcessIdentity): void;
  kill(identity: ProcessIdentity): void;
  /** @returns a PNG. Throws a ScreenError. */
  captureScreen(home: TerminalHome, request: PictureRequest): Promise<Buffer>;
  /** Fills in the form "Open an Account". Throws a ScreenError when nobody knows what became of it. */
  openDemo(home: TerminalHome, form: DemoForm): Promise<DemoResult>;
  /** The URLs that experts may call, read from the options dialog. */
  listWebRequestUrls(home: TerminalHome): Promise<string[]>;
  /** Replaces the whole list. */
  setWebRequestUrls(home: TerminalHome, urls: readonly string[]): Promise<void>;
  /** Presses the Algo Trading button. @returns false where this launcher has no keyboard. */
  toggleAlgoTrading(home: TerminalHome): Promise<boolean>;
  /** The compiled helper script that shows all symbols; undefined where this host has none. */
  findShowAllSymbols(home: TerminalHome): Promise<Buffer | undefined>;
  /** Where the terminal reaches its broker, for measuring latency. */
  findBrokerEndpoint(home: TerminalHome): Promise<{ host: string; port: number } | undefined>;
  /** Drops what belongs to the terminal outside its home (a display, a socket). */
  release(home: TerminalHome): Promise<void>;
}
