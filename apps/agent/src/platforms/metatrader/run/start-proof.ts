import { sleep } from '@berth/kit';
import type { Screen } from '../../../launchers/launcher.ts';
import { StepFailure } from '../step-failure.ts';
import { toEnded } from './view-waiters.ts';

const WINDOW_POLL_MS = 10;

export interface WindowWait {
  isAlive: () => boolean;
  /** By `performance.now()`. */
  deadlineMs: number;
  signal: AbortSignal | undefined;
}

/**
 * A terminal whose display refused it writes its journal like any other, but could never be operated: a start only
 * counts with a window. @returns false when there was none in time. Throws when the terminal ended, or the signal
 * aborts.
 */
export const waitForWindow = async (screen: Screen, wait: WindowWait): Promise<boolean> => {
  const { isAlive, deadlineMs, signal } = wait;
  while (!(await screen.hasWindow())) {
    signal?.throwIfAborted();
    if (!isAlive()) throw toEnded();
    if (performance.now() >= deadlineMs) return false;
    await sleep(WINDOW_POLL_MS, signal);
  }
  return true;
};

const DIALOG = 'A dialog may block it, such as "A debugger has been found running in your system"';

/** Why a terminal that was started does not count as started. */
export const toStartFailure = (
  { build, configError }: { build: number | null; configError: string | null },
  startMs: number,
): StepFailure => {
  const seconds = `${startMs / 1000} s`;
  if (configError !== null && /already started/.test(configError)) {
    const text = 'The terminal runs already, in a process that was not found. Restart its host, then repeat the task.';
    return new StepFailure('E_NOT_RUNNING', text);
  }
  if (configError !== null) {
    return new StepFailure('E_NOT_RUNNING', `The terminal did not accept its start file: ${configError}.`);
  }
  const what =
    build === null
      ? `The terminal was started but wrote nothing to its journal within ${seconds}. ${DIALOG}; take a look at its screen.`
      : `The terminal was started but showed no window within ${seconds}. Look whether its display works on the host.`;
  return new StepFailure('E_NOT_RUNNING', what);
};
