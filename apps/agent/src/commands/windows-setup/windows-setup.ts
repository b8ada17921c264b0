import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { promisify } from 'node:util';
import { toCommandLine } from '../../launchers/windows/command-line.ts';
import { toRemovalSteps, toSetupSteps, type SetupStep } from '../../launchers/windows/windows-setup.ts';
import { CommandError, EXIT, UsageError } from '@berth/command';
import type { HostCommand, HostCall } from '../host-command.ts';

const usage = `Usage: script\\agent.cmd windows-setup --user MACHINE\\NAME [--root DIR] [--run] [--json]
       script\\agent.cmd windows-setup --remove [--run] [--json]

Makes a Windows machine a host: folders with their rights, the task by which the session helper runs in the session of
the user, and the service of the agent. Without --run it prints what it would do, and does nothing. Run it with
administrator rights, after the host was enrolled (docs/windows-hosts.md).

  --user    in whose session the terminals run; that user must stay signed in
  --root    folder of everything (C:\\berth)
  --run     carries it out, up to the first step that fails; it can be run again
  --remove  takes the service and the task away; the folder stays
  --json    for programs

The service gets BERTH_SERVER_URL, BERTH_AGENT_HOSTS and BERTH_AGENT_PLATFORMS as they are set now.

Exit codes: 0 fine, 1 a step failed, 2 wrong arguments, 78 wrong settings.
`;

const toText = (step: SetupStep): string => {
  switch (step.kind) {
    case 'folder':
      return `make the folder ${step.path}`;
    case 'copy':
      return `copy ${step.from} to ${step.to}`;
    case 'file':
      return `write ${step.path} (${step.content.length} bytes)`;
    case 'command':
      return toCommandLine(step.command.file, step.command.args);
  }
};

const readSteps = ({ options, settings }: HostCall): SetupStep[] => {
  if (options.remove === true) return toRemovalSteps();
  const { user, root } = options;
  if (typeof user !== 'string' || !/^[^\\]+\\[^\\]+$/.test(user)) {
    throw new UsageError('--user must name a user with the machine or domain, such as HOST\\trader.');
  }
  if (settings.serverUrl === undefined) throw new UsageError('BERTH_SERVER_URL must be set: the service needs it.');
  const platforms = (settings.platforms ?? ['mt5']).map((name) => `${name}:windows`);
  return toSetupSteps({
    root: typeof root === 'string' ? root : 'C:\\berth',
    user,
    hosts: settings.hosts,
    node: process.execPath,
    agent: process.argv[1] ?? '',
    programs: settings.windowProgramFolder,
    settings: {
      BERTH_SERVER_URL: settings.serverUrl,
      BERTH_AGENT_HOSTS: JSON.stringify(settings.hosts.map((name) => ({ name }))),
      BERTH_AGENT_PLATFORMS: platforms.join(','),
    },
  });
};

/** Copies a program of the release, if it matches the release's checksum. */
const copyProgram = async (from: string, to: string): Promise<void> => {
  const sum = createHash('sha256')
    .update(await readFile(from))
    .digest('hex');
  const expected = (await readFile(`${from}.sha256`, 'utf8')).split(' ')[0];
  if (sum !== expected)
    throw new Error(`${from} is not the program that its checksum names. Take it from the release anew.`);
  await copyFile(from, to).catch((cause: unknown) => {
    throw new Error(`${to} cannot be replaced while it runs. Take it away first: windows-setup --remove --run`, {
      cause,
    });
  });
};

const runCommand = async (file: string, args: readonly string[], accepted: readonly number[]): Promise<void> => {
  try {
    await promisify(execFile)(file, args, { windowsHide: true });
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === 'number' && accepted.includes(code)) return;
    throw new Error(`${stdout}${stderr}`.trim() || `it ended with ${String(code)}`, { cause: error });
  }
};

/** Carries out one step of the setup. Rejects with Windows' error message. */
export const carryOutStep = async (step: SetupStep): Promise<void> => {
  switch (step.kind) {
    case 'folder':
      return void (await mkdir(step.path, { recursive: true }));
    case 'copy':
      return copyProgram(step.from, step.to);
    case 'file':
      return writeFile(step.path, step.content);
    case 'command':
      return runCommand(step.command.file, step.command.args, step.accepted);
  }
};

const carryOut = async (steps: readonly SetupStep[], say: (line: string) => void): Promise<void> => {
  if (platform() !== 'win32')
    throw new CommandError('This is not Windows: only the plan can be had here, without --run.');
  for (const step of steps) {
    say(toText(step));
    await carryOutStep(step).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message.trim() : String(cause);
      throw new CommandError(`This step failed: ${toText(step)}\n${reason}`, { cause });
    });
  }
};

/** `script/agent windows-setup` */
export const windowsSetup: HostCommand = {
  usage,
  options: {
    user: { type: 'string' },
    root: { type: 'string' },
    run: { type: 'boolean' },
    remove: { type: 'boolean' },
  },
  positionals: { min: 0, max: 0 },
  async run(call) {
    const steps = readSteps(call);
    const isRun = call.options.run === true;
    if (isRun) await carryOut(steps, call.say);
    const lines = steps.map(toText);
    return {
      exitCode: EXIT.fine,
      text: isRun ? 'Done.\n' : `${lines.join('\n')}\n\nNothing was done yet: --run carries it out.\n`,
      json: { ok: true, done: isRun, steps: lines },
    };
  },
};
