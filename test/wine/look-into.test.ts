// @module-tag wine
/** `script/agent shell` and `screen`: the commands as processes, on a terminal that runs under Wine. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  install,
  makeBase,
  openAgentLauncher,
  openTerminal,
  start,
  type WineTerminal,
} from '@berth/testing/wine-terminals';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureTestPrefix } from './support/test-prefix.ts';
import { buildWindowsPrograms, rootDir, windowProgram } from './support/windows-programs.ts';

const ID = '1f0c8a52-7d1e-4c0b-9a54-0c6f4b1d2e3f';
const main = join(rootDir, 'apps/agent/dist/main.js');

let folder: string;
let terminal: WineTerminal | undefined;

const runProgram = (file: string, args: readonly string[], input = '') =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH, BERTH_AGENT_DIR: folder, TERM: 'xterm' };
    const child = execFile(file, args, { env, cwd: folder, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end(input);
  });

const call = (args: readonly string[], input?: string) => runProgram(process.execPath, [main, ...args], input);

beforeAll(async () => {
  buildWindowsPrograms('window');
  folder = mkdtempSync(join(rootDir, '.build/look-into-'));
  const place = join(folder, 'host/terminals', ID);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'terminal.json'), JSON.stringify({ version: 1, platform: 'mt5' }));
  const launcher = openAgentLauncher(folder, dirname(windowProgram));
  terminal = openTerminal(launcher, place, 'winemine.exe');
  await install(terminal, await makeBase(folder, await ensureTestPrefix()));
  await start(terminal);
});
afterAll(async () => {
  await terminal?.launcher.remove(terminal.box);
  rmSync(folder, { recursive: true, force: true });
});

test('the command screen writes a screenshot of the whole screen, for its owner alone', async () => {
  const file = join(folder, 'screenshot.png');
  const { code, stdout } = await call(['screen', ID.slice(0, 4), '--to', file, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, id: ID, file, width: 1920, height: 1200 });
  expect(readFileSync(file).toString('latin1', 1, 4)).toBe('PNG');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // A screen with nothing on it is a few kilobytes of black.
  expect(statSync(file).size).toBeGreaterThan(8_000);
});

test('the command screen overwrites no file, and says which name it takes', async () => {
  const file = join(folder, 'kept');
  writeFileSync(file, 'mine');
  const { code, stderr } = await call(['screen', ID, '--to', file]);
  expect(code).toBe(1);
  expect(stderr).toContain('--to');
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('the command screen knows no other terminal', async () => {
  expect((await call(['screen', 'ffff'])).code).toBe(1);
  expect((await call(['screen', '1f'])).code).toBe(2);
  expect((await call(['screen', '../..'])).code).toBe(2);
});

test('the command shell runs a command inside of the isolation, and ends as it does', async () => {
  const script = 'pwd; grep -E "^(Seccomp|NoNewPrivs|CapBnd):" /proc/self/status; cat /etc/shadow; exit 9';
  const { code, stdout } = await call(['shell', ID, '--', 'sh', '-c', script]);
  expect(code).toBe(9);
  expect(stdout).toContain('/prefix/drive_c\n');
  expect(stdout).toMatch(/CapBnd:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n/);
  expect(stdout).toContain('/etc/shadow: No such file');
});

test('the command shell gives a program the output, up to a bound', async () => {
  const { stdout } = await call(['shell', ID, '--json', '--', 'echo', 'one', '--json']);
  expect(JSON.parse(stdout)).toEqual({ ok: true, exit_code: 0, output: 'one --json\n' });
  const endless = await call(['shell', ID, '--json', '--', 'yes']);
  expect((JSON.parse(endless.stdout) as { output: string }).output).toHaveLength(1024 * 1024);
});

test('the command shell takes what is piped into it', async () => {
  const { code, stdout } = await call(['shell', ID], 'echo piped into $PWD\n');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'piped into /prefix/drive_c\n' });
});

test('the command shell hands out no descriptor of the caller', async () => {
  const { stdout } = await call(['shell', ID], 'for one in /proc/$$/fd/*; do readlink $one; done\n');
  expect(stdout.split('\n').filter((line) => line !== '' && !/^\/berth\/shell-|^pipe:/.test(line))).toEqual([]);
});

test('the command shell is a window of the same size, on a pseudo terminal of the box', async () => {
  const command = `stty rows 33 cols 101; ${process.execPath} ${main} shell ${ID}`;
  const input = 'tty\nstty size\necho "$TERM"\nexit\n';
  const { code, stdout } = await runProgram('script', ['-qec', command, '/dev/null'], input);
  expect(code).toBe(0);
  expect(stdout).toContain('/dev/pts/0');
  expect(stdout).toContain('33 101');
  expect(stdout).toContain('xterm');
});
