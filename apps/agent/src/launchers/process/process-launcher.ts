import { constants } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@berth/kit';
import { toHomeBox, type Box, type Launcher } from '../launcher.ts';
import { withLauncherErrors } from './launcher-errors.ts';
import { PlainProcesses, PROCESS_LAUNCHER } from './plain-processes.ts';
import { removeSocket, SocketScreen } from './socket-screen.ts';

/** The terminal's drive C, as it would be under Wine: passed to it in its environment. */
const HOME = 'drive_c';

const toBox = (folder: string): Box => toHomeBox(folder, join(folder, HOME));

/** Where the file system can, the copy shares its blocks with the base. */
const install = ({ home }: Box, base: string): Promise<void> =>
  withLauncherErrors(async () => {
    const draft = `${home}.partial`;
    await removeTree(draft);
    await cp(base, draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
    await removeTree(home);
    await rename(draft, home);
  });

/**
 * Runs terminals as plain processes of this host: only their folders separate them, and they draw their own screens.
 * For Berth's own programs.
 */
export const createProcessLauncher = (): Launcher => ({
  name: PROCESS_LAUNCHER,
  toBox,
  install,
  remove: async (box) => {
    await removeTree(box.folder);
    await removeSocket(box);
  },
  processes: (_box, program) => new PlainProcesses(program),
  screen: (box) => new SocketScreen(box),
});
