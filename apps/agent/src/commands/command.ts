/** What the commands of a host have in common: how they are called, what they answer, how they end. */
import type { ParseArgsConfig } from 'node:util';
import type { HostSettings } from './host-settings.ts';
import type { RelayInput } from './shell/relay.ts';
import type { Page } from './text/page.ts';

/** How a command ends: as it should; with a failure, or with something that keeps the host from its work; not understood. */
export const EXIT = { fine: 0, failed: 1, misused: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where the caller sits: at a terminal window, or behind pipes. */
export interface CallerWindow {
  isTTY: boolean;
  rows: number;
  columns: number;
  /** What the environment says that the window is: TERM. */
  term: string | undefined;
  input: RelayInput;
  /** Writes to stdout as it is. @returns false when nobody reads any more */
  deliver: (chunk: Buffer) => Promise<boolean>;
}

/** How a command was called, with what was understood of its arguments. */
export interface CommandCall {
  options: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
  settings: HostSettings;
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
  json: object;
}

export interface Command {
  /** What `--help` prints; it states the exit codes. */
  usage: string;
  /** Beside `--help` and `--json`, which all have. */
  options: NonNullable<ParseArgsConfig['options']>;
  /** How many arguments it takes that are no options. */
  positionals: { min: number; max: number };
  run(call: CommandCall): Promise<CommandAnswer>;
}

/** An expected failure: its message tells a person what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Arguments that make no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
