import { constants } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import type { Box, Launcher } from '../launcher.ts';
import { withLauncherErrors } from '../process/launcher-errors.ts';
import { SessionHelper, type JobLimits } from './windows-session.ts';
import { toWindowsBox, type ToWindowsPath } from './windows-box.ts';
import { findMachineCodePage, runCommand, toKill, toStartSessionHelper, type RunCommand } from './windows-commands.ts';
import { assertTerminalFolder } from './windows-paths.ts';
import { WINDOWS_LAUNCHER, WindowsProcesses } from './windows-processes.ts';
import { WindowsScreen } from './windows-screen.ts';

export interface WindowsLauncherOptions {
  /** The request folder of the signed-in user's session helper, as a path of the host. */
  sessionFolder: string;
  limits: JobLimits;
  /** Converts a path of the host to one of Windows: on Windows, the same. */
  toWindowsPath?: ToWindowsPath;
  /** Runs Windows' own programs for the agent. */
  run?: RunCommand;
  /** As a Windows path. */
  systemFolder?: string;
  /** The code page of the machine. */
  findCodePage?: () => Promise<number | null | undefined>;
}

/** Windows neither renames nor removes a file while a virus scanner has it open. */
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
 * Runs terminals in the session of the user who is signed in to a Windows machine. Each has a folder and a job of its
 * own; docs/windows-hosts.md says what they share: the user, the session and the network.
 */
export const createWindowsLauncher = ({
  sessionFolder,
  limits,
  toWindowsPath = (path) => path,
  run = runCommand,
  systemFolder = 'C:\\Windows\\System32',
  findCodePage = findMachineCodePage,
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
    findCodePage,
  };
};

const installByCopy = async ({ home }: Box, base: string): Promise<void> => {
  const draft = `${home}.partial`;
  await rm(draft, { recursive: true, force: true, ...RETRIES });
  await cp(base, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await rm(home, { recursive: true, force: true, ...RETRIES });
  await renameWithRetry(draft, home);
};
