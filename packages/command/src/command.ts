/** What the commands of a person have in common: how they are called, what they answer, how they end. */
import type { ParseArgsConfig } from 'node:util';
import type { Page } from './page.ts';

/**
 * How a command ends: done; failed, or something keeps it from its work; wrong arguments; a mistake in the configuration
 * (EX_CONFIG of sysexits.h). Interrupted by a signal, it ends with 128 and the number of the signal.
 */
export const EXIT = { fine: 0, failed: 1, misused: 2, misconfigured: 78 } as const;

/** Where a person sits, or a program. */
export interface CommandInput extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?: (isRaw: boolean) => unknown;
}

/** Where the caller sits: at a terminal window, or behind pipes. */
export interface CallerWindow {
  isTTY: boolean;
  rows: number;
  columns: number;
  /** What the environment says that the window is: TERM. */
  term: string | undefined;
  input: CommandInput;
  /** Writes to stdout as it is. @returns false when nobody reads any more */
  deliver: (chunk: Buffer | string) => Promise<boolean>;
}

/** How a command was called, with what was understood of its arguments. */
export interface CommandCall<Settings> {
  options: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
  settings: Settings;
  /** The caller asked for JSON. */
  isJson: boolean;
  /** For whom the answer's text is written. */
  page: Page;
  window: CallerWindow;
  /** Says what happens meanwhile, on stderr: stdout is the answer's alone. */
  tell: (line: string) => void;
  /** Aborted by the first SIGINT or SIGTERM. */
  signal: AbortSignal;
}

/** What a command answers: the same to a person and to a program. */
export interface CommandAnswer {
  /** One of `EXIT`, or that of a command which was run for the caller. */
  exitCode: number;
  text: string;
  /** Undefined where the command has delivered its JSON already. */
  json: object | undefined;
}

export interface Command<Settings> {
  /** What `--help` prints; it states the exit codes. */
  usage: string;
  /** Beside `--help` and `--json`, which all have. */
  options: NonNullable<ParseArgsConfig['options']>;
  /** How many arguments it takes that are no options. */
  positionals: { min: number; max: number };
  /** Rejects when it was aborted before it had done its work. */
  run(call: CommandCall<Settings>): Promise<CommandAnswer>;
}

/** An expected failure: its message tells a person what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Arguments that make no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
