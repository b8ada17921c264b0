import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError, type Environment } from '@berth/kit';
import {
  CommandError,
  EXIT,
  UsageError,
  type CallerWindow,
  type Command,
  type CommandCall,
  type CommandInput,
} from './command.ts';
import { toPage } from './page.ts';

/** Where a command writes. */
interface Output {
  write(text: string | Buffer, callback?: (error?: Error | null) => void): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface CommandRun<Settings> {
  /** As a person types it: `script/agent bases`. */
  name: string;
  command: Command<Settings>;
  /** What follows the command's name. */
  args: readonly string[];
  environment: Environment;
  /** Throws a ConfigError. Read late, so that `--help` needs no settings. */
  readSettings: () => Settings;
  /** Errors of which only the message is printed. For any other, which is a bug, the stack is printed. */
  expected?: readonly (abstract new (...args: never[]) => Error)[];
  stdin: CommandInput;
  stdout: Output;
  stderr: Output;
  signal: AbortSignal;
}

type Arguments = Pick<CommandCall<unknown>, 'options' | 'positionals'>;

/** The kinds of options used here determine the types of their values. */
const parse = (config: ParseArgsConfig): Arguments => {
  try {
    const { values, positionals } = parseArgs(config);
    return { options: values as Arguments['options'], positionals };
  } catch (error) {
    // Node explains a dash at length; its first sentence is enough.
    const [sentence = ''] = (error as Error).message.split('. ');
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`);
  }
};

const readArguments = <Settings>(command: Command<Settings>, args: readonly string[]): Arguments => {
  const { min, max } = command.positionals;
  const shared = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;
  const parsed = parse({ args: [...args], options: { ...command.options, ...shared }, allowPositionals: true });
  if (parsed.options.help === true) return parsed;
  const { length } = parsed.positionals;
  if (length > max) throw new UsageError(`There is one argument too many: "${parsed.positionals[max]}".`);
  if (length < min) throw new UsageError('An argument is missing.');
  return parsed;
};

const toWindow = <Settings>({ stdin, stdout, environment }: CommandRun<Settings>): CallerWindow => ({
  isTTY: stdin.isTTY === true && stdout.isTTY === true,
  rows: stdout.rows ?? 24,
  columns: stdout.columns ?? 80,
  term: environment.TERM,
  input: stdin,
  deliver: (chunk) => new Promise((resolve) => stdout.write(chunk, (error) => resolve(!error))),
});

const toExitCode = (error: unknown): number => {
  if (error instanceof UsageError) return EXIT.misused;
  return error instanceof ConfigError ? EXIT.misconfigured : EXIT.failed;
};

const toText = (error: unknown, expected: NonNullable<CommandRun<unknown>['expected']>): string => {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [CommandError, UsageError, ConfigError, ...expected].some((type) => error instanceof type);
  return isExpected ? error.message : (error.stack ?? error.message);
};

/** Runs one command to its end. The answer goes to stdout, everything else to stderr. @returns the exit code */
export const runCommand = async <Settings>(run: CommandRun<Settings>): Promise<number> => {
  const { name, command, args, stdout, stderr, signal, expected = [] } = run;
  // Everything after a double dash belongs to another command.
  const isJson = args.slice(0, [...args, '--'].indexOf('--')).includes('--json');
  try {
    const { options, positionals } = readArguments(command, args);
    if (options.help === true) {
      stdout.write(command.usage);
      return EXIT.fine;
    }
    const answer = await command.run({
      options,
      positionals,
      settings: run.readSettings(),
      isJson,
      page: toPage(stdout, run.environment),
      window: toWindow(run),
      say: (line) => void stderr.write(`${line}\n`),
      signal,
    });
    if (!isJson) stdout.write(answer.text);
    else if (answer.json) stdout.write(`${JSON.stringify(answer.json, null, 2)}\n`);
    return answer.exitCode;
  } catch (error) {
    const isInterrupted = signal.aborted && !(error instanceof CommandError);
    const message = isInterrupted ? (signal.reason as Error).message : toText(error, expected);
    if (isJson) stdout.write(`${JSON.stringify({ ok: false, error: message }, null, 2)}\n`);
    stderr.write(`berth: ${message}\n`);
    if (error instanceof UsageError) stderr.write(`${name} --help says how it is used.\n`);
    return toExitCode(error);
  }
};
