import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LauncherError } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import { TOOL_PATH } from './host-tools.ts';

/** What is done under a lock takes milliseconds; a busy machine takes longer. */
const WAIT_SECONDS = 30;

const HOLDER = `exec 9>>"$1" || exit 74
flock -w ${WAIT_SECONDS} 9 || exit 75
echo locked
exec cat
`;

/**
 * Runs one act at a time, among all agents of this machine that name the same file, which is made where it is missing. The
 * kernel frees the lock when its holder ends, and the holder ends with the agent, however that ends. Throws a LauncherError
 * (`stuck`) when others hold the lock for half a minute.
 */
export const withFileLock = async <Result>(path: string, act: () => Promise<Result>): Promise<Result> => {
  const holder = spawn('/bin/sh', ['-c', HOLDER, 'berth-lock', path], {
    cwd: '/',
    // A signal to the agent's group does not end it in the middle of the act.
    detached: true,
    env: { PATH: TOOL_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(holder, 'close');
  await withLauncherErrors(() => once(holder, 'spawn'));
  holder.stdin.on('error', () => undefined);
  try {
    const [word] = (await Promise.race([once(holder.stdout, 'data'), ended])) as unknown[];
    if (!Buffer.isBuffer(word)) throw toRefusal(path, word);
    return await act();
  } finally {
    holder.stdin.end();
    await ended;
  }
};

const toRefusal = (path: string, code: unknown): LauncherError =>
  code === 75
    ? new LauncherError('stuck', `Another agent of this machine holds ${path}. Look whether it hangs, and end it.`)
    : new LauncherError('missing', `The agent cannot lock ${path} (${String(code)}). Look at its rights and its disk.`);
