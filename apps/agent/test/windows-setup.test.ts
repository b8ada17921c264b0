import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvReader } from '@berth/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { carryOutStep, windowsSetup } from '../src/commands/windows-setup/windows-setup.ts';
import { readWindowsSettings } from '../src/launchers/windows/settings.ts';
import { toRemovalSteps, toServiceSid, toSetupSteps, type SetupStep } from '../src/launchers/windows/windows-setup.ts';

const setup = {
  root: 'C:\\berth',
  user: 'HOST\\trader',
  hosts: ['host', 'second'],
  node: 'C:\\Program Files\\nodejs\\node.exe',
  agent: 'C:\\berth-0.2\\apps\\agent\\dist\\main.js',
  programs: 'C:\\berth-0.2\\apps\\windows\\dist',
  settings: { BERTH_SERVER_URL: 'https://berth.example.com', BERTH_AGENT_HOSTS: '[{"name":"host"}]' },
};

const listCommands = (steps: readonly SetupStep[], file: string): string[][] =>
  steps.flatMap((step) => (step.kind === 'command' && step.command.file === file ? [[...step.command.args]] : []));

describe('the setup of a Windows host', () => {
  const steps = toSetupSteps(setup);
  const sid = toServiceSid('Berth');

  test('knows the account of a service before there is one, as Windows numbers it', () => {
    // The number of Windows' own installer is known everywhere.
    expect(toServiceSid('TrustedInstaller')).toBe('S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464');
    expect(sid).toMatch(/^S-1-5-80(-\d+){5}$/);
  });

  test('gives each folder to those who need it, and to nobody else', () => {
    const only = ['/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'];
    expect(listCommands(steps, 'icacls.exe')).toEqual([
      ['C:\\berth\\bin', ...only, `*${sid}:(OI)(CI)RX`, 'HOST\\trader:(OI)(CI)RX'],
      ['C:\\berth\\logs', ...only, `*${sid}:(OI)(CI)M`],
      ['C:\\berth\\session', ...only, `*${sid}:(OI)(CI)M`, 'HOST\\trader:(OI)(CI)M'],
      ['C:\\berth\\agent', ...only, `*${sid}:(OI)(CI)M`],
      ['C:\\berth\\agent\\host\\terminals', '/grant:r', 'HOST\\trader:(OI)(CI)M'],
      ['C:\\berth\\agent\\second\\terminals', '/grant:r', 'HOST\\trader:(OI)(CI)M'],
    ]);
  });

  test('makes a service with an account of its own, quoted where a path has a space', () => {
    const line =
      'C:\\berth\\bin\\berth-service.exe C:\\berth\\logs -- ' +
      '"C:\\Program Files\\nodejs\\node.exe" C:\\berth-0.2\\apps\\agent\\dist\\main.js';
    const how = ['binPath=', line, 'start=', 'delayed-auto', 'obj=', 'NT SERVICE\\Berth'];
    expect(listCommands(steps, 'sc.exe')).toEqual([
      ['create', 'Berth', ...how],
      ['config', 'Berth', ...how],
      ['description', 'Berth', 'Runs the agent of this Berth host.'],
      ['failure', 'Berth', 'reset=', '86400', 'actions=', 'restart/5000/restart/60000/restart/60000'],
      ['start', 'Berth'],
    ]);
    const environment = [
      'BERTH_SERVER_URL=https://berth.example.com',
      'BERTH_AGENT_HOSTS=[{"name":"host"}]',
      'BERTH_AGENT_DIR=C:\\berth\\agent',
      'BERTH_AGENT_SESSION_FOLDER=C:\\berth\\session',
    ];
    const key = 'HKLM\\SYSTEM\\CurrentControlSet\\Services\\Berth';
    expect(listCommands(steps, 'reg.exe')).toEqual([
      ['add', key, '/v', 'Environment', '/t', 'REG_MULTI_SZ', '/d', environment.join('\\0'), '/f'],
    ]);
  });

  test('makes the task of the session helper, which the service may start', () => {
    const file = steps.find((step) => step.kind === 'file')!;
    const text = file.content.toString('utf16le');
    expect(text).toContain(`(A;;FRFX;;;${sid})`);
    expect(text).toContain('<Arguments>serve C:\\berth\\session</Arguments>');
    expect(listCommands(steps, 'schtasks.exe')).toEqual([
      ['/Create', '/TN', '\\Berth\\session', '/XML', 'C:\\berth\\bin\\session.xml', '/F'],
    ]);
  });

  test('refuses folders with spaces, and settings that are secret', () => {
    expect(() => toSetupSteps({ ...setup, root: 'C:\\My Berth' })).toThrow('without spaces');
    for (const name of ['BERTH_JOIN_TOKEN', 'BERTH_SECRET_KEY']) {
      expect(() => toSetupSteps({ ...setup, settings: { [name]: 'x' } })).toThrow('does not belong into the settings');
    }
  });

  test('is taken away again, whether or not it was there', () => {
    expect(listCommands(toRemovalSteps(), 'sc.exe')).toEqual([
      ['stop', 'Berth'],
      ['delete', 'Berth'],
    ]);
    expect(toRemovalSteps().every((step) => step.kind === 'command' && step.accepted.length > 0)).toBe(true);
  });
});

describe('the command windows-setup', () => {
  const call = (options: Record<string, string | boolean>, serverUrl: string | undefined) => ({
    options,
    positionals: [],
    settings: {
      directory: 'C:\\berth\\agent',
      basesFolder: 'C:\\berth\\agent\\bases',
      serverUrl,
      hosts: ['host'],
      platforms: ['mt5'],
      isolation: 'full' as const,
      terminalMemoryBytes: 2 ** 30,
      windowProgramFolder: 'C:\\berth-0.2\\apps\\windows\\dist',
      version: '0',
    },
    page: { columns: 80, hasColours: false },
    say: () => undefined,
    signal: new AbortController().signal,
  });
  const url = 'https://berth.example.com';

  test('prints what it would do, and does it only on request, and on Windows', async () => {
    const answer = await windowsSetup.run(call({ user: 'HOST\\trader' }, url) as never);
    expect(answer.text).toContain('make the folder C:\\berth\\session\n');
    expect(answer.text).toContain('schtasks.exe /Create /TN \\Berth\\session');
    expect(answer.text).toContain('BERTH_AGENT_PLATFORMS=mt5:windows');
    expect(answer.text).toContain('Nothing was done yet');
    const run = windowsSetup.run(call({ user: 'HOST\\trader', run: true }, url) as never);
    await expect(run).rejects.toThrow('This is not Windows');
  });

  test.each([
    [{}, url, '--user must name'],
    [{ user: 'trader' }, url, '--user must name'],
    [{ user: 'HOST\\trader' }, undefined, 'BERTH_SERVER_URL must be set'],
    [{ user: 'HOST\\trader', root: 'C:\\a b' }, url, 'without spaces'],
  ])('refuses %j of %s: %s', async (options, serverUrl, text) => {
    await expect(windowsSetup.run(call(options as Record<string, string>, serverUrl) as never)).rejects.toThrow(text);
  });
});

describe('a step of the setup', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-setup-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('copies a program only if it is the one that was released', async () => {
    const [from, to] = [join(folder, 'a.exe'), join(folder, 'b.exe')];
    await writeFile(from, 'program');
    const sum = createHash('sha256').update('program').digest('hex');
    await writeFile(`${from}.sha256`, `${sum}  a.exe\n`);
    await carryOutStep({ kind: 'copy', from, to });
    expect(await readFile(to, 'utf8')).toBe('program');
    await writeFile(from, 'another');
    await expect(carryOutStep({ kind: 'copy', from, to })).rejects.toThrow('not the program that its checksum names');
    expect(await readFile(to, 'utf8')).toBe('program');
  });

  test('may have been done before, and otherwise reports the error message', async () => {
    const command = { file: process.execPath, args: ['-e', 'console.log("in use"); process.exit(73)'] };
    await carryOutStep({ kind: 'command', command, accepted: [73] });
    await expect(carryOutStep({ kind: 'command', command, accepted: [] })).rejects.toThrow('in use');
  });
});

describe('the settings of a Windows host', () => {
  const read = (environment: Record<string, string>, directory = 'C:\\berth\\agent') => {
    const env = new EnvReader(environment);
    const settings = readWindowsSettings(env, directory);
    env.finish();
    return settings;
  };

  test('have defaults', () => {
    expect(read({})).toEqual({
      sessionFolder: 'C:\\berth\\session',
      limits: { memoryMb: 1024, processes: 256, cpuPercent: 100 },
    });
  });

  test('can lift each limit', () => {
    const names = ['MEMORY_MB', 'PROCESSES', 'CPU_PERCENT'].map((name) => `BERTH_AGENT_TERMINAL_${name}`);
    const { limits } = read(Object.fromEntries(names.map((name) => [name, '0'])));
    expect(limits).toEqual({ memoryMb: 0, processes: 0, cpuPercent: 0 });
  });

  test('name a folder that terminals cannot live in', () => {
    expect(() => read({}, 'C:\\Program Files\\berth')).toThrow('BERTH_AGENT_DIR');
  });
});
