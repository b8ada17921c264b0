/**
 * The interface between the agent's core (claim, journal, report, supervise) and a trading platform. The core never
 * looks into a terminal's folder; a driver never talks to the server.
 */
import type { DeliveredTask, HostBase, ProcessExit, TerminalChart } from '@berth/contract/agent';
import type { LinkState, ObservableStatus, Platform, ReportedEnd, TradingState } from '@berth/contract/values';
import type { ConfinedFiles, Logger } from '@berth/kit';

/** A terminal's state as observed by the host. */
export interface Observation {
  status: ObservableStatus;
  /** The reason, for a person; null where there is none. */
  reason: string | null;
  /** Installation folder, once there is one. */
  path?: string;
  /** Whether EAs may trade on it, as far as the platform reports it. */
  trading?: TradingState;
  /** How its program ended, where it is not running although it should. */
  exit?: ProcessExit;
}

/** A terminal's resource usage, and its connection to the trading server. Null means unknown. */
export interface TerminalLoad {
  link: LinkState;
  pingMs: number | null;
  memoryBytes: number | null;
  /** CPU time since an arbitrary start: two values make a share. */
  cpuMs: number | null;
  diskBytes: number | null;
  /** The running build; it changes when the terminal updates itself. Null where it is not reported. */
  build: number | null;
}

/** How an attempt ended, as far as a driver can tell. `secrets` never become part of a result. */
export type AttemptOutcome = Extract<ReportedEnd, { kind: 'completed' | 'failed' }> & {
  secrets?: { password?: string };
};

/** The server refuses to transfer a file, and would do so again. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
  /** As in the contract's table of errors; undefined where the server gave none. */
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * The files of one task, transferred over the agent's connection. When the server refuses, they reject with a
 * FileRefusedError.
 */
export interface TaskFiles {
  /** @returns the content; rejects also when its size exceeds 32 MiB. */
  download(fileId: string): Promise<Buffer>;
  /** @returns the server's data of the upload, for the step's `data.file` */
  upload(
    name: string,
    content: Buffer,
  ): Promise<{ id: string; url: string; sha256: string; size: number; type: string }>;
}

/** What could not be closed, and why. */
export interface LeftOpen {
  ticket: string;
  symbol: string;
  message: string;
}

/** A terminal's account, as far as a task needs it. */
export interface TaskAccount {
  /** Closes what a filter means. Rejects where there are no current numbers; returns soon after an abort. */
  close(
    filter: { symbols?: readonly string[] | undefined; magic?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ closed: number; total: number; left_open: LeftOpen[] }>;
  /** How many positions and orders that a filter means are open now; undefined where nobody knows. */
  countOpen(filter: { symbols?: readonly string[] | undefined; magic?: string | undefined }): number | undefined;
}

export interface AttemptContext {
  task: DeliveredTask;
  files: TaskFiles;
  /** Absent where the host reads no accounts. */
  account?: TaskAccount | undefined;
  /** Aborted at the attempt's deadline, when the server revokes the attempt, and when the agent must stop at once. */
  signal: AbortSignal;
  log: Logger;
}

/** The folder through which a terminal's link program says what its account has, and takes commands. */
export interface AccountExchange {
  files: Pick<ConfinedFiles, 'findFolder' | 'findBytes' | 'replaceFile' | 'removeFile'>;
  /** Its path for `files`. It need not exist. */
  folder: string;
  /** The account that the terminal is for; null: it has none. A server that is null may be any. */
  findAccount(): { login: string; server: string | null } | null;
}

/**
 * One terminal on this host. Its methods are called one at a time, except those that only look (`observe`,
 * `onObservation`, `shouldRun`, `isAlive`, `measure`, `lookAtCharts`, `checkSwitch`, `findExchange`), and `stop`, which
 * does not wait for an attempt that does not end.
 */
export interface TerminalDriver {
  readonly terminalId: string;
  /**
   * Carries out one attempt. Expected failures are outcomes; it rejects only because of a bug. After an abort it
   * returns soon.
   */
  carryOut(context: AttemptContext): Promise<AttemptOutcome>;
  /**
   * After a restart of the agent: finds the recorded process again and follows its journal from now on. @returns
   * whether it is alive
   */
  reattach(): Promise<boolean>;
  /** True while the terminal should run: installed, and neither stopped on purpose nor destroyed. */
  shouldRun(): boolean;
  isAlive(): boolean;
  /** Starts the terminal as it was (saved account, same charts); used after a crash. Rejects soon after an abort. */
  restart(signal?: AbortSignal): Promise<void>;
  /** The latest observation; undefined before installation. */
  observe(): Observation | undefined;
  /** Called at every change of the observation. @returns a function that removes the listener */
  onObservation(listener: (observation: Observation) => void): () => void;
  /**
   * Its current usage, undefined before installation; may be called at any time. Absent where it cannot be measured.
   */
  measure?(): Promise<TerminalLoad | undefined>;
  /**
   * Its charts and their EAs, undefined before installation; may be called at any time. Absent where the platform has
   * none.
   */
  lookAtCharts?(): Promise<TerminalChart[] | undefined>;
  /**
   * What would keep algo trading from being turned off at once, for a person; null: nothing. Switches nothing, and may be
   * called at any time. Absent where the platform has no such switch.
   */
  checkSwitch?(): Promise<string | null>;
  /** Where its account can be read; undefined before installation. Absent where the platform has no such folder. */
  findExchange?(): AccountExchange | undefined;
  /**
   * Stops the process cleanly, or by force; the folder stays. Used when the whole agent is asked to stop its
   * terminals, so it leaves `shouldRun` as it is: the next agent starts the terminal again.
   */
  stop(): Promise<void>;
  /** Releases watchers and timers without touching the process. */
  detach(): void;
}

/** A platform that a host offers, how it runs there, and what it is installed from. */
export interface OfferDescription {
  platform: Platform;
  launcher: string;
  isolation: string;
  /** The memory a host should have for each such terminal. */
  terminalMemoryMb: number;
  bases: HostBase[];
}

/** What one host can run. */
export interface PlatformRegistry {
  readonly platforms: readonly Platform[];
  /** For the operator, and to compute how many terminals fit. It may take a while. */
  describe?(): Promise<OfferDescription[]>;
  /** Opens the terminal's folder (it may not exist yet: then only TERMINAL_INSTALL and TERMINAL_DESTROY make sense). */
  open(terminal: { id: string; platform: Platform }): Promise<TerminalDriver>;
  /** Terminals with a folder on this host; known without the server, so that they are kept while it is down. */
  listInstalled(): Promise<{ id: string; platform: Platform }[]>;
}
