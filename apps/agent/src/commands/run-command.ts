import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError, type Environment } from '@berth/kit';
import {
  CommandError,
  EXIT,
  UsageError,
  type CallerWindow,
  type Command,
  type CommandCall,
  type ExitCode,
} from './command.ts';
import { LauncherError } from '../launchers/launcher.ts';
import type { CommandName } from './command-names.ts';
import type { HostSettings } from './host-settings.ts';
import type { RelayInput } from './shell/relay.ts';
import { toPage } from './text/page.ts';

/** Each is loaded when it is called for, and no other. */
const commands: Record<CommandName, () => Promise<Command>> = {
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  'prepare-base': async () => (await import('./prepare-base/prepare-base.ts')).prepareBase,
  probe: async () => (await import('./probe/probe.ts')).probe,
  shell: async () => (await import('./shell/shell.ts')).shell,
  screen: async () => (await import('./screen/screen.ts')).screen,
  bases: async () => (await import('./bases/bases-command.ts')).bases,
  'windows-setup': async () => (await import('./windows-setup/windows-setup.ts')).windowsSetup,
};

/** Where a command writes. */
interface Output {
  write(text: string | Buffer, callback?: (error?: Error | null) => void): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface CommandRun {
  name: CommandName;
  /** What follows the command's name. */
  args: readonly string[];
  environment: Environment;
  /** Throws a ConfigError. Read late, so that `--help` needs no settings. */
  readSettings: () => HostSettings;
  stdin: RelayInput;
  stdout: Output;
  stderr: Output;
  signal: AbortSignal;
}

type Arguments = Pick<CommandCall, 'options' | 'positionals'>;

/** The kinds of options that there are here say what their values are. */
const parse = (config: ParseArgsConfig): Arguments => {
  try {
    const { values, positionals } = parseArgs(config);
    return { options: values as Arguments['options'], positionals };
  } catch (error) {
    // Node explains a dash at length; its first sentence says what is wrong.
    const [sentence = ''] = (error as Error).message.split('. ');
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`);
  }
};

const readArguments = ({ options, positionals: { min, max } }: Command, args: readonly string[]): Arguments => {
  const shared = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;
  const parsed = parse({ args: [...args], options: { ...options, ...shared }, allowPositionals: true });
  if (parsed.options.help === true) return parsed;
  const { length } = parsed.positionals;
  if (length > max) throw new UsageError(`There is one argument too many: "${parsed.positionals[max]}".`);
  if (length < min) throw new UsageError('An argument is missing.');
  return parsed;
};

const toWindow = ({ stdin, stdout, environment }: CommandRun): CallerWindow => ({
  isTTY: stdin.isTTY === true && stdout.isTTY === true,
  rows: stdout.rows ?? 24,
  columns: stdout.columns ?? 80,
  term: environment.TERM,
  input: stdin,
  deliver: (chunk) => new Promise((resolve) => stdout.write(chunk, (error) => resolve(!error))),
});

const toExitCode = (error: unknown): ExitCode =>
  error instanceof UsageError || error instanceof ConfigError ? EXIT.misused : EXIT.failed;

/** Whatever else is thrown is a defect, and its stack says where. */
const toText = (error: unknown): string => {
  const isExpected = error instanceof CommandError || error instanceof LauncherError;
  if (isExpected || error instanceof UsageError || error instanceof ConfigError) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** Runs one command to its end. The answer goes to stdout, everything else to stderr. @returns the exit code */
export const runCommand = async (run: CommandRun): Promise<number> => {
  const { name, args, stdout, stderr } = run;
  const command = await commands[name]();
  // What follows a double dash is another command's.
  const isJson = args.slice(0, [...args, '--'].indexOf('--')).includes('--json');
  try {
    const { options, positionals } = readArguments(command, args);
    if (options.help === true) {
      stdout.write(command.usage);
      return EXIT.fine;
    }
    const page = toPage(stdout, run.environment);
    const tell = (line: string): void => void stderr.write(`${line}\n`);
    const { signal } = run;
    const answer = await command.run({
      options,
      positionals,
      settings: run.readSettings(),
      page,
      window: toWindow(run),
      tell,
      signal,
    });
    stdout.write(isJson ? `${JSON.stringify(answer.json, null, 2)}\n` : answer.text);
    return answer.exitCode;
  } catch (error) {
    const message = toText(error);
    if (isJson) stdout.write(`${JSON.stringify({ ok: false, error: message }, null, 2)}\n`);
    stderr.write(`berth: ${message}\n`);
    if (error instanceof UsageError) stderr.write(`script/agent ${name} --help says how it is used.\n`);
    return toExitCode(error);
  }
};
