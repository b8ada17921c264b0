/**
 * Only one box of a terminal runs, whoever starts it: its starter holds a lock on a file in the terminal's folder for
 * as long as anything of the box exists. The kernel frees the lock when the starter ends, however it ends. Once it has
 * the lock, the starter waits for a message, so that the folder is prepared under the lock; if the agent that owes the
 * message ends, so does the starter.
 */
import { LauncherError } from '../launcher.ts';
import type { BoxPaths } from './box-paths.ts';
import { startUnderLock } from './file-lock.ts';

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
