/** File locks held by a shell: the kernel frees a lock when its holder ends, however it ends. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { LauncherError } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import { TOOL_PATH } from './host-tools.ts';
import type { BoxPaths } from './box-paths.ts';

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

/** Keeps the first error messages of the box's start; the rest is read and discarded. */
const STARTER = `log=$2
shift 3
read -r word || exit 0
[ "$word" = start ] || exit 0
exec </dev/null >/dev/null 2>&1
"$@" 2>&1 9>&- | { head -c 4096 >"$log"; exec cat >/dev/null; } 9>&-
`;

export interface Starter {
  /** Starts the box. */
  go(): void;
  /** Releases the lock without starting anything. */
  abandon(): void;
  /** Whether the starter, and so the box, has ended. */
  hasEnded(): boolean;
}

/**
 * Only one box of a terminal runs, whoever starts it: its starter holds a lock on a file in the terminal's folder for
 * as long as anything of the box exists. The kernel frees the lock when the starter ends, however it ends. Once it has
 * the lock, the starter waits for a message, so that the folder is prepared under the lock; if the agent that owes the
 * message ends, so does the starter.
 *
 * Takes the lock of a box that is about to be started with the command. Throws a LauncherError (`stuck`) when it is
 * taken.
 * @param mark appears in the starter's command line
 */
export const lockBox = async (paths: BoxPaths, mark: string, command: readonly string[]): Promise<Starter> => {
  const args = [paths.log, mark, ...command];
  const child = await startUnderLock(paths.lock, { waitSeconds: 0, script: STARTER, args });
  if (child === null || typeof child === 'number') {
    throw new LauncherError(
      'stuck',
      'Something of this terminal still runs, or another agent starts it. Wait for its end.',
    );
  }
  child.unref();
  child.stdout.destroy();
  return {
    go: () => void child.stdin.end('start\n'),
    abandon: () => void child.stdin.end(),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  };
};
