import { constants } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import type { Box, Launcher } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import { SessionHelper, type JobLimits } from './windows-session.ts';
import { toWindowsBox, type ToWindowsPath } from './windows-box.ts';
import { runCommand, toKill, toStartSessionHelper, type RunCommand } from './windows-commands.ts';
import { assertTerminalFolder } from './windows-paths.ts';
import { WINDOWS_LAUNCHER, WindowsProcesses } from './windows-processes.ts';
import { WindowsScreen } from './windows-screen.ts';

export interface WindowsLauncherOptions {
  /** Where the session helper of the signed-in user takes its requests, as the host names it. */
  sessionFolder: string;
  limits: JobLimits;
  /** What Windows calls a path of the host: on Windows, the same. */
  toWindowsPath?: ToWindowsPath;
  /** How programs of Windows itself are run from the agent. */
  run?: RunCommand;
  /** As Windows names it. */
  systemFolder?: string;
}

/** What scanners of new files hold for a moment, Windows neither renames nor removes. */
const RETRIES = { maxRetries: 10, retryDelay: 200 };
const MAX_RENAMES = 20;
const RENAME_MS = 250;
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY']);

const renameWithRetry = async (from: string, to: string): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (tries === MAX_RENAMES || !HELD.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, RENAME_MS));
    }
  }
};

/**
 * Runs terminals in the session of the user who is signed in at a Windows machine. Each has a folder and a job of its own;
 * what they share is said in docs/windows-hosts.md: the user, the session and the network.
 */
export const createWindowsLauncher = ({
  sessionFolder,
  limits,
  toWindowsPath = (path) => path,
  run = runCommand,
  systemFolder = 'C:\\Windows\\System32',
}: WindowsLauncherOptions): Launcher => {
  const helper = new SessionHelper({
    folder: sessionFolder,
    toWindowsPath,
    startSessionHelper: () => run(toStartSessionHelper()),
  });
  const killByCommand = (pid: number): Promise<void> => run(toKill(pid));
  return {
    name: WINDOWS_LAUNCHER,
    isolation: 'none',
    ...(limits.memoryMb > 0 ? { terminalMemoryMb: limits.memoryMb } : {}),
    toBox: (folder) => toWindowsBox(folder, toWindowsPath),
    install: (box, base) =>
      withLauncherErrors(async () => {
        assertTerminalFolder(toWindowsPath(box.folder));
        await installByCopy(box, base);
      }),
    remove: (box) => rm(box.folder, { recursive: true, force: true, ...RETRIES }),
    processes: (box, program) =>
      new WindowsProcesses({ helper, box, program, limits, toWindowsPath, systemFolder, killByCommand }),
    screen: (box) => new WindowsScreen(helper, box, toWindowsPath),
  };
};

const installByCopy = async ({ home }: Box, base: string): Promise<void> => {
  const draft = `${home}.partial`;
  await rm(draft, { recursive: true, force: true, ...RETRIES });
  await cp(base, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await rm(home, { recursive: true, force: true, ...RETRIES });
  await renameWithRetry(draft, home);
};
