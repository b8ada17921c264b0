/** Programs that take no arguments and run until they are stopped. */
import { ConfigError } from '@berth/kit';
import { EXIT } from './command.ts';

/** Asked for help, or given any argument, the program prints how it is used and ends. */
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

/** Says on stderr why the program ends, and ends it with the code that goes with the error. */
export const fail = (error: unknown): never => {
  process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof ConfigError ? EXIT.misconfigured : EXIT.failed);
};
