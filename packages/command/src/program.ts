/** Programs that take no arguments and run until they are stopped. */
import { ConfigError } from '@berth/kit';
import { EXIT } from './command.ts';

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
