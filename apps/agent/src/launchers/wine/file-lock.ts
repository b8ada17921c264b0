/** File locks held by a shell: the kernel frees a lock when its holder ends, however it ends. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { LauncherError } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import { TOOL_PATH } from './host-tools.ts';

/** The work under a lock takes milliseconds; on a busy machine longer. */
const WAIT_SECONDS = 30;
/** The shell's exit code when the lock is taken. */
const TAKEN = 75;

export type LockHolder = ChildProcessByStdio<Writable, Readable, null>;

export interface LockOptions {
  waitSeconds: number;
  /** Run by the shell while it has the lock. Its first argument is the file, and descriptor 9 is the lock. */
  script: string;
  args?: readonly string[];
}

/**
 * Starts a shell that takes the lock of a file, which is created if missing, and then runs the script.
 * @returns the shell; without the lock its exit code, `TAKEN` where the lock is taken
 */
export const startUnderLock = async (
  path: string,
  { waitSeconds, script, args = [] }: LockOptions,
): Promise<LockHolder | number | null> => {
  const take = `exec 9>>"$1" || exit 74\nflock -w ${waitSeconds} 9 || exit ${TAKEN}\necho locked\n`;
  const holder = spawn('/bin/sh', ['-c', take + script, 'berth-box', path, ...args], {
    cwd: '/',
    // A signal to the agent's process group does not end it.
    detached: true,
    env: { PATH: TOOL_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await withLauncherErrors(() => once(holder, 'spawn'));
  holder.stdin.on('error', () => undefined);
  return new Promise((resolve) => {
    holder.stdout.once('data', () => resolve(holder));
    holder.once('exit', resolve);
  });
};

const toRefusal = (path: string, code: number | null): LauncherError =>
  code === TAKEN
    ? new LauncherError('stuck', `Another agent of this machine holds ${path}. Look whether it hangs, and end it.`)
    : new LauncherError('missing', `The agent cannot lock ${path} (${code}). Look at its rights and its disk.`);

/**
 * Runs one action at a time, among all agents of this machine that use the same file. Throws a LauncherError: `stuck`
 * when the lock is taken for half a minute, `missing` when locking does not work at all.
 */
export const withFileLock = async <Result>(path: string, act: () => Promise<Result>): Promise<Result> => {
  const holder = await startUnderLock(path, { waitSeconds: WAIT_SECONDS, script: 'exec cat' });
  if (holder === null || typeof holder === 'number') throw toRefusal(path, holder);
  const ended = once(holder, 'close');
  try {
    return await act();
  } finally {
    holder.stdin.end();
    await ended;
  }
};
