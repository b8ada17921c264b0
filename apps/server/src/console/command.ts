/** What the commands of a person share: arguments, signals, the exit code. Texts go to stdout, mistakes to stderr. */
import { constants } from 'node:os';
import { ConfigError } from '@berth/kit';

/** Exit codes: wrong arguments; a mistake in the configuration (sysexits.h). */
const MISUSED = 2;
const MISCONFIGURED = 78;

export interface Usage {
  /** What `--help` prints. */
  text: string;
  /** How many arguments the command takes. */
  min: number;
  max: number;
}

/** Those of the process. Asked for help, or given what it does not know, it says how it is used and ends. */
export const readArguments = ({ text, min, max }: Usage, given = process.argv.slice(2)): string[] => {
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(text);
    process.exit(0);
  }
  const unknown = given.find((argument) => argument.startsWith('-'));
  if (unknown === undefined && given.length >= min && given.length <= max) return given;
  const count = min === max ? String(min) : `${min} to ${max}`;
  const mistake =
    unknown === undefined
      ? `it takes ${max === 0 ? 'no arguments' : `${count} argument(s)`}, not ${given.length}`
      : `there is no option ${unknown}`;
  process.stderr.write(`berth: ${mistake}\n\n${text}`);
  process.exit(MISUSED);
};

const toText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says why on stderr, and ends with the code that goes with it. */
export const fail = (error: unknown): never => {
  process.stderr.write(`berth: ${toText(error)}\n`);
  process.exit(error instanceof ConfigError ? MISCONFIGURED : 1);
};

/**
 * Runs a command to its end and prints what it returns. The first SIGINT or SIGTERM aborts it, and it clears up after itself;
 * a second one ends it where it is. @param run rejects when it was aborted before it had done its work
 */
export const runCommand = async (run: (signal: AbortSignal) => Promise<string>): Promise<void> => {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    const code = 128 + constants.signals[signal];
    if (stopping.signal.aborted) process.exit(code);
    process.exitCode = code;
    stopping.abort(new Error(`interrupted by ${signal}; nothing was left behind`));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    process.stdout.write(await run(stopping.signal));
    process.exit(0);
  } catch (error) {
    if (!stopping.signal.aborted) fail(error);
    process.stderr.write(`berth: ${toText(stopping.signal.reason)}\n`);
    process.exit();
  }
};
