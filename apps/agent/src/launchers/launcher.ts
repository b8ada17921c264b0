/**
 * The interface between what runs (a platform's driver) and how it runs on this host: as a plain process, or under Wine.
 * A launcher knows boxes, processes and screens; the content of a terminal's files, and the meaning of its windows, is
 * the driver's business.
 *
 * Every call that inspects or touches a process may take its time and may fail: another program has to respond, a
 * machine is busy. Expected failures are LauncherErrors. A failure is never an answer: if it is unknown whether a
 * terminal runs, it is not started a second time.
 */
import { relative, sep } from 'node:path';
import type { ProcessExit } from '@berth/contract/agent';

/** Why a launcher could not do what it was asked to. */
export type LauncherErrorKind =
  /** The disk is full, or does not take the files. */
  | 'disk'
  /** No memory, no process, or no room within the box's limits is left. */
  | 'memory'
  /** Something is missing on the host; the message says what to install. */
  | 'missing'
  /** The screen does not respond as requested: it is hidden behind a dialog, or hangs. */
  | 'screen'
  /** Processes do not end, whatever is done. */
  | 'stuck';

/** An expected failure: its message says what to do, for a person. */
export class LauncherError extends Error {
  override readonly name = 'LauncherError';
  readonly kind: LauncherErrorKind;

  constructor(kind: LauncherErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A request to a screen that was understood, and refused. */
export class ScreenRefusal extends LauncherError {
  /** In the words of the program that refused; its driver may know them. */
  readonly reason: string;

  /** @param text the same for a person, where the program provides it */
  constructor(reason: string, text = `${reason}.`) {
    super('screen', `The terminal's screen refused: ${text}`);
    this.reason = reason;
  }
}

export const isScreenError = (error: unknown): boolean => error instanceof LauncherError && error.kind === 'screen';

/** The part of the host that one terminal lives in. Known before any of it exists. */
export interface Box {
  /** Everything of this terminal on the disk. Nothing else uses it. */
  readonly folder: string;
  /** The folder of the host with the terminal's programs and files. Its initial content is a base. */
  readonly home: string;
  /** The terminal's path of a file of the host, such as `C:\berth.ini`. Throws for one outside of `home`. Pure. */
  toInside(path: string): string;
}

/** What runs in a box. */
export interface Program {
  /** The executable with its first arguments, as paths of the host. */
  command: readonly [file: string, ...args: string[]];
  /** The host folder that it runs in; together with `mark` it tells the terminal from any other process. */
  folder: string;
  /** A text in the command line of every process of the terminal, whoever started it. */
  mark: string;
}

export interface StartOptions {
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/**
 * A running terminal, as its launcher knows it. It outlives the agent as JSON. Only its launcher reads `id`: it may
 * name a process, a process inside a box, or a container.
 */
export interface ProcessHandle {
  readonly launcher: string;
  readonly id: string;
}

/** What everything in a box uses right now. */
export interface ProcessLoad {
  memoryBytes: number;
  /** CPU time since an arbitrary start; it only grows while the same processes live. */
  cpuMs: number;
}

/** The processes of one terminal: the terminal itself, and everything it needs or has started. */
export interface Processes {
  /**
   * Starts the terminal so that it outlives the agent. Nothing of an earlier run is left: see `clear`. The terminal may
   * still end at once, or show nothing; watching its journal and its window is up to the driver.
   */
  start(options: StartOptions): Promise<ProcessHandle>;
  /**
   * Whether this terminal is alive: its process, and whatever it cannot live without. False for another launcher's
   * handle.
   */
  isRunning(handle: ProcessHandle): Promise<boolean>;
  /**
   * How a terminal ended that this object started; undefined where nobody saw it. Absent where it never is known.
   */
  findExit?(handle: ProcessHandle): Promise<ProcessExit | undefined>;
  /** The terminal that runs in the box, whoever started it: an earlier agent, or the terminal itself after an update. */
  find(): Promise<ProcessHandle | undefined>;
  /** Asks the terminal to close its window, so that it saves charts and options. Resolves once it was asked. */
  close(handle: ProcessHandle): Promise<void>;
  /** Ends by force whatever runs in the box. Resolves when nothing is left; throws `stuck` when something is. */
  clear(): Promise<void>;
  /**
   * What the terminal uses, with everything it needs or has started; undefined when nothing runs. Called every few
   * seconds, whatever else is going on. Absent where it cannot be measured.
   */
  measure?(): Promise<ProcessLoad | undefined>;
}

/** What a person could see of one terminal, and do with it. */
export interface Screen {
  /** Creates the screen where there is none. @returns the address by which a program finds it */
  open(): Promise<string>;
  /** Whether the terminal shows a window: a terminal may run and write its journal without one. */
  hasWindow(): Promise<boolean>;
  /** The whole window. @returns a PNG */
  capture(size: { width: number; height: number }): Promise<Buffer>;
  /**
   * Sends one request to whatever can see and press the terminal's windows: the program itself where it draws its own
   * screen, a helper program under Wine. The possible requests are between the driver and that program, which may
   * refuse (ScreenRefusal).
   */
  ask(request: object, options?: { timeoutMs: number }): Promise<Record<string, unknown>>;
}

/** A way to run terminals on this host. Creating its objects for a box does not touch the host. */
export interface Launcher {
  readonly name: string;
  /**
   * What isolates its terminals from each other and from the host, in a word; `none` (or absent) where nothing does.
   */
  readonly isolation?: string;
  /** The memory that a host should have for each of its terminals. Absent: as much as Berth's own program takes. */
  readonly terminalMemoryMb?: number;
  /** The box of the terminal whose folder this is. */
  toBox(folder: string): Box;
  /**
   * Fills the box's home from a base, whole or not at all: after a crash, a partial copy is never taken for a terminal.
   */
  install(box: Box, base: string): Promise<void>;
  /**
   * Removes the box, and what belongs to it outside of its folder (a screen, limits, a user). Nothing runs in it any
   * more.
   */
  remove(box: Box): Promise<void>;
  processes(box: Box, program: Program): Processes;
  screen(box: Box): Screen;
  /**
   * The number of Windows' code page for the programs of the box that have no Unicode; null where its Windows does not
   * say, undefined where it may say later.
   */
  findCodePage?(box: Box): Promise<number | null | undefined>;
}

/** A box whose home is one folder of the host, and drive C for the terminal. Pure. */
export const toHomeBox = (folder: string, home: string): Box => ({
  folder,
  home,
  toInside: (path) => {
    const inside = relative(home, path);
    if (inside === '' || inside.startsWith('..')) throw new Error(`${path} is not in the terminal's box`);
    return `C:\\${inside.replaceAll(sep, '\\')}`;
  },
});
