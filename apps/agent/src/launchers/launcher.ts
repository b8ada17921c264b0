/**
 * The seam between what runs (a platform's driver) and how it runs on this host: as a plain process, under Wine, on a Windows
 * desktop, in a container. A launcher knows boxes, processes and screens; what stands in a terminal's files, and what its
 * windows mean, is the driver's business.
 *
 * Every call that looks at or touches a process may take its time and may fail: a box is asked by another program, a machine is
 * busy. Expected failures are LauncherErrors. A failure is never an answer: a terminal of which it is not known whether
 * it runs is not started a second time.
 */

/** Why a launcher could not do what it was asked to. */
export type LauncherErrorKind =
  /** The disk is full, or does not take the files. */
  | 'disk'
  /** No memory, no process, or no room within the box's limits is left. */
  | 'memory'
  /** Something that the host should have is not there; the message says what to install. */
  | 'missing'
  /** The screen does not do what is asked: it is hidden behind a dialog, or does not answer. */
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

/** What was asked at a screen was understood, and refused. */
export class ScreenRefusal extends LauncherError {
  /** In the words of the program that was asked; its driver may know them. */
  readonly reason: string;

  /** @param text the same for a person, where the program has words for it */
  constructor(reason: string, text = `${reason}.`) {
    super('screen', `The terminal's screen refused: ${text}`);
    this.reason = reason;
  }
}

export const isScreenError = (error: unknown): boolean => error instanceof LauncherError && error.kind === 'screen';

/** The part of the host that one terminal lives in. Known before anything of it exists. */
export interface Box {
  /** Everything of this terminal on the disk. Nothing else uses it. */
  readonly folder: string;
  /** The folder of the host in which the terminal's programs and files lie. A base is what stands in it at first. */
  readonly home: string;
  /** What the terminal calls a file of the host, such as `C:\berth.ini`. Throws for one outside of `home`. Pure. */
  toInside(path: string): string;
}

/** What runs in a box. */
export interface Program {
  /** The executable with its first arguments, as the host names them. */
  command: readonly [file: string, ...args: string[]];
  /** The folder of the host in which it runs; with `mark` it tells the terminal from any other process. */
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

/** What everything in a box takes right now. */
export interface ProcessLoad {
  memoryBytes: number;
  /** Processor time since whenever; it only grows while the same processes live. */
  cpuMs: number;
}

/** The processes of one terminal: the one that it is, and all that it needs or brought along. */
export interface Processes {
  /**
   * Starts the terminal so that it outlives the agent. Nothing of an earlier run is left: see `clear`. The terminal may still
   * end at once, or show nothing; its journal and its window are for the driver to watch.
   */
  start(options: StartOptions): Promise<ProcessHandle>;
  /** Whether this terminal lives: its process, and whatever it cannot live without. False for another launcher's handle. */
  isRunning(handle: ProcessHandle): Promise<boolean>;
  /** The terminal that runs in the box, whoever started it: an earlier agent, or the terminal itself after an update. */
  find(): Promise<ProcessHandle | undefined>;
  /** Asks the terminal to close its window, so that it saves charts and options. Resolves when it was asked. */
  close(handle: ProcessHandle): Promise<void>;
  /** Ends by force whatever runs in the box. Resolves when nothing is left; throws `stuck` when something is. */
  clear(): Promise<void>;
  /**
   * What the terminal takes, with all that it needs or brought along; undefined when nothing runs. Asked every few seconds,
   * whatever else is going on. Absent where nobody can tell.
   */
  measure?(): Promise<ProcessLoad | undefined>;
}

/** What a person could see of one terminal, and do at it. */
export interface Screen {
  /** Makes the screen where there is none. @returns the address by which a program finds it */
  open(): Promise<string>;
  /** Whether the terminal shows a window: a terminal may well run and write its journal without one. */
  hasWindow(): Promise<boolean>;
  /** The whole window. @returns a PNG */
  capture(size: { width: number; height: number }): Promise<Buffer>;
  /**
   * Asks what can see and press the terminal's windows to do one thing: the program itself where it draws its own screen, a
   * program beside it under Wine and on Windows. What may be asked is between the driver and that program, which may refuse
   * (ScreenRefusal).
   */
  ask(request: object, options?: { timeoutMs: number }): Promise<Record<string, unknown>>;
}

/** A way to run terminals on this host. What it returns for a box is made without touching the host. */
export interface Launcher {
  readonly name: string;
  /** What keeps its terminals from each other and from the host, in a word; `none` (or absent) where nothing does. */
  readonly isolation?: string;
  /** The memory that a host should have for each of its terminals. Absent: as much as a program of Berth's own takes. */
  readonly terminalMemoryMb?: number;
  /** The box of the terminal whose folder this is. */
  toBox(folder: string): Box;
  /** Fills the box's home from a base, whole or not at all: what a crash leaves half-copied is never taken for a terminal. */
  install(box: Box, base: string): Promise<void>;
  /** Removes the box, and what belongs to it outside of its folder (a screen, limits, a user). Nothing runs in it any more. */
  remove(box: Box): Promise<void>;
  processes(box: Box, program: Program): Processes;
  screen(box: Box): Screen;
}
