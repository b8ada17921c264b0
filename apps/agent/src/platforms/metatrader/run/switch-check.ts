import { LauncherError } from '../../../launchers/launcher.ts';
import type { MainWindow } from '../edition.ts';

interface CheckedParts {
  record: { get(): { isInstalled: boolean; shouldRun: boolean } };
  live: { isAlive(): boolean; algoTrading: boolean | null; view: { skippedBytes: number } };
  window: Pick<MainWindow, 'assertAnswers'>;
}

/** @returns null when the window would take the key */
const findWindowProblem = async (window: CheckedParts['window']): Promise<string | null> => {
  try {
    await window.assertAnswers();
    return null;
  } catch (error) {
    if (error instanceof LauncherError && error.kind === 'screen') return error.message;
    throw error;
  }
};

/**
 * What would keep OPTIONS_AUTO_TRADE from turning algo trading off at once, for a person; null: nothing. Where a
 * terminal is stopped on purpose, its settings are written, which always is possible.
 */
export const checkSwitch = async ({ record, live, window }: CheckedParts): Promise<string | null> => {
  const { isInstalled, shouldRun } = record.get();
  if (!isInstalled) return 'The terminal is not installed.';
  if (!live.isAlive()) {
    return shouldRun ? 'The terminal is not running: algo trading would be off only from its next start.' : null;
  }
  if (live.algoTrading === false) return null;
  if (live.algoTrading === null || live.view.skippedBytes > 0) {
    return 'Whether algo trading is on is not known, so the terminal would have to be restarted to turn it off.';
  }
  return findWindowProblem(window);
};
