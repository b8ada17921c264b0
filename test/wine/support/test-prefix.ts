/** Wine prefixes for tests: one is built per checkout (a quarter of a minute), all others are clones of it. */
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@berth/testing';
import { getLoader } from './wine-tools.ts';
import { rootDir } from './windows-programs.ts';

const run = promisify(execFile);

const folder = `${rootDir}.build/wine`;

/** What Wine's programs get: nothing of the tests' own environment but the way to the programs. */
export const toWineEnvironment = (prefix: string, display?: string): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: prefix,
  LANG: 'C.UTF-8',
  WINEPREFIX: prefix,
  WINEARCH: 'win64',
  WINEDLLOVERRIDES: 'mscoree,mshtml=d;winemenubuilder.exe=d',
  ...(display === undefined ? {} : { DISPLAY: display }),
});

/** Debian's Wine makes a folder for each prefix's server, and names it in a file of the prefix. */
const SERVER_NAME = 'wineserver';

const removeServerFolder = (prefix: string): void => {
  const file = join(prefix, SERVER_NAME);
  const [name] = existsSync(file) ? (/^wine-\w{6}$/.exec(readFileSync(file, 'utf8')) ?? []) : [];
  if (name === undefined) return;
  rmSync(join('/tmp', name), { recursive: true, force: true });
  rmSync(file);
};

const build = async (prefix: string): Promise<void> => {
  const draft = `${prefix}.partial`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const options = { env: toWineEnvironment(draft), cwd: draft };
  await run('wineboot', ['-i'], options);
  await run('wineserver', ['-w'], options);
  await run(getLoader(), ['winecfg.exe', '-v', 'win10'], options);
  await run('wineserver', ['-w'], options);
  removeServerFolder(draft);
  renameSync(draft, prefix);
};

/**
 * The folder of the prefix that all others are copied from; nothing ever runs in it. Built under a lock by the first
 * user.
 */
export const ensureTestPrefix = async (): Promise<string> => {
  const version = execFileSync(getLoader(), ['--version'], { encoding: 'utf8' })
    .trim()
    .replaceAll(/[^\w.-]+/g, '-');
  const prefix = join(folder, version);
  mkdirSync(folder, { recursive: true });
  if (existsSync(prefix)) return prefix;
  // The kernel gives the lock back when its holder ends, however that happens.
  const lock = join(folder, 'lock');
  const holder = execFile('flock', [lock, 'sh', '-c', 'echo held; cat']);
  try {
    let isHeld = false;
    holder.stdout?.once('data', () => (isHeld = true));
    await waitFor(() => isHeld || holder.exitCode !== null, { what: 'the lock of the test prefix' });
    if (!existsSync(prefix)) await build(prefix);
  } finally {
    holder.stdin?.end();
  }
  return prefix;
};

/**
 * Makes a prefix of its own at `path`, which must not exist, with everything but `windows/`, which is a link to the base's.
 * Good for tests only: a hostile program could write through the link.
 */
export const clonePrefix = async (path: string): Promise<void> => {
  const base = await ensureTestPrefix();
  mkdirSync(join(path, 'drive_c'), { recursive: true });
  const copy = (from: string[], to: string): void => void execFileSync('cp', ['-a', '--reflink=auto', ...from, to]);
  copy(
    readdirSync(base)
      .filter((name) => name !== 'drive_c' && name !== SERVER_NAME)
      .map((name) => join(base, name)),
    path,
  );
  copy(
    readdirSync(join(base, 'drive_c'))
      .filter((name) => name !== 'windows')
      .map((name) => join(base, 'drive_c', name)),
    join(path, 'drive_c'),
  );
  symlinkSync(join(base, 'drive_c/windows'), join(path, 'drive_c/windows'));
};

/** Runs a program of the tests to its end, in a prefix of its own below the folder. */
export const runInPrefix = async (folder: string, program: string, ...args: string[]): Promise<void> => {
  const prefix = join(folder, 'prefix');
  await clonePrefix(prefix);
  await run(getLoader(), [program, ...args], { env: toWineEnvironment(prefix), cwd: folder });
  await endPrefix(prefix);
};

/** The processes that run in a prefix, by their environment. */
export const listPrefixProcesses = (prefix: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`WINEPREFIX=${prefix}`);
      } catch {
        return false;
      }
    });

/** Ends everything that runs in a prefix and waits until it is gone. */
export const endPrefix = async (prefix: string): Promise<void> => {
  await run('wineserver', ['-k'], { env: toWineEnvironment(prefix) }).catch(() => undefined);
  await waitFor(() => {
    const pids = listPrefixProcesses(prefix);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    return pids.length === 0;
  });
  removeServerFolder(prefix);
};

/** The folder that a process was started in. */
export const readFolder = (pid: number): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
};
