/** What is the process itself: programs that take no arguments and run until they are stopped, and single commands. */
import { constants } from 'node:os';
import { ConfigError } from '@berth/kit';
import { EXIT } from './command.ts';
import { runCommand, type CommandRun } from './run-command.ts';

/** When given `--help`, or any argument, the program prints its usage and exits. */
export const refuseArguments = (usage: string, given: readonly string[]): void => {
  const [first] = given;
  if (first === undefined) return;
  if (given.includes('--help') || given.includes('-h')) {
    process.stdout.write(usage);
    process.exit(EXIT.fine);
  }
  process.stderr.write(`berth: ${first.startsWith('-') ? 'unknown option' : 'unknown command'} ${first}\n\n${usage}`);
  process.exit(EXIT.misused);
};

/** Prints on stderr why the program ends, and exits with the error's code. */
export const fail = (error: unknown): never => {
  process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof ConfigError ? EXIT.misconfigured : EXIT.failed);
};

/**
 * Runs one command as this process, and exits with its exit code. The first SIGINT or SIGTERM aborts the command, which
 * then cleans up after itself; a second one ends it immediately.
 */
export const runProcessCommand = async <Settings>(
  run: Omit<CommandRun<Settings>, 'stdin' | 'stdout' | 'stderr' | 'signal'>,
): Promise<never> => {
  const stopping = new AbortController();
  let interruptedCode: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    const code = 128 + constants.signals[signal];
    if (interruptedCode !== undefined) process.exit(code);
    interruptedCode = code;
    stopping.abort(new Error(`interrupted by ${signal}`));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const { stdin, stdout, stderr } = process;
  // A reader of our output may stop reading, as `head` does.
  stdout.on('error', () => process.exit(128 + constants.signals.SIGPIPE));
  const code = await runCommand({ ...run, stdin, stdout, stderr, signal: stopping.signal });
  // A reader may be slower than we are, and an exit drops what was not written yet.
  await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  process.exit(interruptedCode ?? code);
};
