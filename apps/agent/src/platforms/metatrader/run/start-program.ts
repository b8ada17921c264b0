import type { Logger } from '@berth/kit';
import {
  LauncherError,
  type Box,
  type Launcher,
  type ProcessHandle,
  type Processes,
  type Screen,
} from '../../../launchers/launcher.ts';
import type { Edition } from '../edition.ts';
import type { Obstacle } from '../step-failure.ts';

interface StartedBy {
  box: Box;
  edition: Edition;
  launcher: Pick<Launcher, 'isolation'>;
  log: Logger;
}

/** Starts the terminal's program on its screen. If the host does not isolate it, every start logs that. */
export const startProgram = async (
  { box, edition, launcher, log }: StartedBy,
  { processes, screen, args }: { processes: Processes; screen: Screen; args: string[] },
): Promise<ProcessHandle> => {
  if (launcher.isolation === 'none') {
    log.warn('the terminal starts without a box: it can read and do whatever this user can (BERTH_AGENT_ISOLATION)');
  }
  const environment = edition.toEnvironment({ box, screenAddress: await screen.open() });
  return processes.start({ args, environment });
};

/** The message of a start step, with a warning about the host if the user should know it. Pure. */
export const toStartMessage = (message: string, { isolation }: Pick<Launcher, 'isolation'>): string =>
  isolation === 'none'
    ? `${message} It runs without a box: it can read and change whatever its host's agent can, other terminals included.`
    : message;

/** What the host lacks, where a start failed for that reason. It is reported until a start succeeds. */
export const findHostObstacle = (error: unknown): Obstacle | undefined =>
  error instanceof LauncherError ? { text: error.message, screenshot: undefined } : undefined;
