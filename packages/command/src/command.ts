/** Shared by all commands for people: how they are called, what they return, how they end. */
import type { ParseArgsConfig } from 'node:util';
import type { Page } from './page.ts';

/**
 * How a command ends: success; failed, or something prevented its work; wrong arguments; an error in the configuration
 * (EX_CONFIG of sysexits.h). When interrupted by a signal, it ends with 128 plus the number of the signal.
 */
export const EXIT = { fine: 0, failed: 1, misused: 2, misconfigured: 78 } as const;

/** Whether the input comes from a terminal or from a program. */
export interface CommandInput extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
}

/** The caller's surroundings: a terminal window, or pipes. */
export interface CallerWindow {
  isTTY: boolean;
  rows: number;
  columns: number;
  /** The window's type according to the environment: TERM. */
  term: string | undefined;
  input: CommandInput;
  /** Writes to stdout unchanged. @returns false when nobody reads any more */
  deliver: (chunk: Buffer | string) => Promise<boolean>;
}

/** How a command was called, with its parsed arguments. */
export interface CommandCall<Settings> {
  options: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
  settings: Settings;
  /** The caller asked for JSON. */
  isJson: boolean;
  /** The output device that the answer's text is formatted for. */
  page: Page;
  window: CallerWindow;
  /** Reports progress on stderr: stdout is for the answer only. */
  say: (line: string) => void;
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}

/** A command's answer: the same for a person and for a program. */
export interface CommandAnswer {
  /** One of `EXIT`, or that of a command which was run on the caller's behalf. */
  exitCode: number;
  text: string;
  /** Undefined where the command has already written its JSON. */
  json: object | undefined;
}

export interface Command<Settings> {
  /** What `--help` prints; it states the exit codes. */
  usage: string;
  /** In addition to `--help` and `--json`, which all commands have. */
  options: NonNullable<ParseArgsConfig['options']>;
  /** The number of positional arguments. */
  positionals: { min: number; max: number };
  /** Rejects when it was aborted before it was done. */
  run(call: CommandCall<Settings>): Promise<CommandAnswer>;
}

/** An expected failure: its message tells a person what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Invalid arguments. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
