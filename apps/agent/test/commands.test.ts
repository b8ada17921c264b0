import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandSummaries } from '../src/commands/command-names.ts';
import { addBase } from './support/base-records.ts';
import { bundle, run } from './support/programs.ts';
import { useFolder } from './support/use-folder.ts';

let programs: { folder: string; remove: () => void };
let directory: string;

beforeAll(async () => {
  programs = await bundle(['src/main.ts']);
});
afterAll(() => programs.remove());
useFolder((path) => (directory = path));

const call = async (args: string[], env: Record<string, string> = {}) => {
  const program = run(join(programs.folder, 'main.js'), { BERTH_AGENT_DIR: directory, ...env }, { args });
  const code = await program.ended;
  return { code, stdout: program.stdout(), output: program.output() };
};

const add = (platform: string, name: string) => addBase(join(directory, 'bases'), platform, name);

test.each(Object.keys(commandSummaries))(
  'the command %s says how it is used, with its exit codes, without any setting',
  async (name) => {
    const { code, stdout } = await call([name, '--help'], { BERTH_LOG_LEVEL: 'loud' });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`script[/\\\\]agent(\\.cmd)? ${name}`));
    expect(stdout).toContain('--json');
    expect(stdout).toMatch(/Exit codes: 0 .+, 1 .+, 2 /);
    expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
  },
);

test.each(Object.keys(commandSummaries))('the command %s refuses what it does not know, with code 2', async (name) => {
  const { code, output } = await call([name, '--colour', 'red']);
  expect(code).toBe(2);
  expect(output).toContain("Unknown option '--colour'.");
  expect(output).toContain(`script/agent ${name} --help`);
});

test('every command stands in the usage of the agent', async () => {
  const { stdout } = await call(['--help']);
  for (const [name, summary] of Object.entries(commandSummaries)) {
    expect(stdout).toContain(name);
    expect(stdout).toContain(summary);
  }
});

test('every command names mistakes of the settings, with code 78', async () => {
  const { code, output } = await call(['doctor'], { BERTH_SERVER_URL: 'berth.example.com' });
  expect(code).toBe(78);
  expect(output).toContain('BERTH_SERVER_URL');
});

test('the doctor looks at this machine, and changes nothing on it', async () => {
  const { code, stdout } = await call(['doctor', '--json']);
  const { ok, findings, offers } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  expect(findings.map(({ check }: { check: string }) => check)).toEqual(
    expect.arrayContaining(['processor', 'memory', 'disk', 'server']),
  );
  expect(offers.map(({ platform }: { platform: string }) => platform)).toEqual(['mt5', 'mt4']);
});

test('the doctor says the same to a person, without colours in a pipe', async () => {
  const { stdout } = await call(['doctor']);
  expect(stdout).toContain('This host can offer');
  expect(stdout).not.toContain('\u001b');
});

test('the doctor says that a server does not answer', async () => {
  const { stdout } = await call(['doctor'], { BERTH_SERVER_URL: 'http://127.0.0.1:1' });
  expect(stdout).toContain('http://127.0.0.1:1 does not answer');
});

test('the doctor refuses a platform that it does not know', async () => {
  const { code, output } = await call(['doctor', '--platform', 'mt6']);
  expect(code).toBe(2);
  expect(output).toContain('mt5 or mt4');
});

test('the command bases says how to get the first one', async () => {
  const { code, stdout } = await call(['bases']);
  expect(code).toBe(0);
  expect(stdout).toContain('prepare-base');
});

test('the command bases lists them, and chooses one for new terminals', async () => {
  await add('mt5', 'spring');
  await add('mt5', 'autumn');
  expect((await call(['bases', 'use', 'autumn'])).code).toBe(0);
  expect((await call(['bases'])).stdout).toMatch(/\* +mt5 +autumn +5836/);
  const { bases } = JSON.parse((await call(['bases', '--json'])).stdout);
  expect(bases.map(({ name, current }: { name: string; current: boolean }) => [name, current])).toEqual([
    ['autumn', true],
    ['spring', false],
  ]);
});

test('the command bases chooses none that does not exist, and asks which where two are meant', async () => {
  const none = await call(['bases', 'use', 'winter', '--json']);
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({ ok: false, error: expect.stringContaining('winter') });
  await add('mt5', 'same');
  await add('mt4', 'same');
  expect((await call(['bases', 'use', 'same'])).code).toBe(2);
  expect((await call(['bases', 'use', 'same', '--platform', 'mt4'])).code).toBe(0);
  expect((await call(['bases', 'use', '../same'])).code).toBe(2);
  expect((await call(['bases', 'drop', 'same'])).code).toBe(2);
});
