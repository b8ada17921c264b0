// @module-tag wine
/** Boxes that are filled: with a prefix that is made in them, and with more files than they may have. */
import { access, rm, stat, truncate, writeFile } from 'node:fs/promises';
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

it('a box without a base takes a prefix that is made in it', async () => {
  const launcher = openLauncher({ folder, programFolder });
  const box = launcher.toBox(join(folder, 'draft'));
  const environment = { WINEARCH: 'win64', WINEDLLOVERRIDES: 'mscoree,mshtml=d;winemenubuilder.exe=d' };
  const command = ['wineboot.exe', '-i'] as const;
  expect(await launcher.run(box, { command, environment, timeoutMs: 120_000 })).toEqual({ exitCode: 0 });
  await access(join(box.home, 'windows/system32/notepad.exe'));
  await launcher.remove(box);
});
