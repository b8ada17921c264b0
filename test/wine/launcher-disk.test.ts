// @module-tag wine
/** Boxes that are filled with more files than they may have. */
import { rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install, makeBase, openLauncher, openTerminal, start, until } from '@berth/testing/wine-terminals';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';

const MEBIBYTE = 1024 * 1024;

let prefix: string;
beforeAll(async () => void (prefix = await prepareLauncher()));

let folder: string;
beforeEach(async () => void (folder = await createLauncherFolder()));
afterEach(() => removeLauncherFolder(folder));

it('a terminal that takes more of the disk than it may is ended, and started again when there is room', async () => {
  const environment = { BERTH_AGENT_TERMINAL_DISK_MB: '64' };
  const terminal = openTerminal(openLauncher({ folder, programFolder, environment }), join(folder, 'terminal'));
  const { launcher, box, processes, program, screen } = terminal;
  await install(terminal, await makeBase(folder, prefix));
  const sparse = join(program.folder, 'sparse');
  await writeFile(sparse, '');
  await truncate(sparse, 1024 * MEBIBYTE);
  expect((await stat(sparse)).blocks).toBe(0);
  const large = join(program.folder, 'large');
  await writeFile(large, Buffer.alloc(70 * MEBIBYTE));
  await screen.open();
  const handle = await processes.start({ args: [], environment: {} });
  await until(async () => !(await processes.isRunning(handle)));
  await processes.clear();
  const refusal = await screen.open().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: 'disk', message: expect.stringContaining('of the 64 MB') as string });
  await rm(large);
  await start(terminal);
  await launcher.remove(box);
});
