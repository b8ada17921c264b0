// @module-tag wine
/** What the launcher for Wine does besides: a prefix made in a box, other programs, and other users without a box. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { liveThrough, makeBase, openLauncher } from '@berth/testing/wine-terminals';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { listTracesOf } from './support/box-traces.ts';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';
import { liveThroughAsPlainUser, PLAIN_USER } from './support/plain-user.ts';

let prefix: string;
beforeAll(async () => void (prefix = await prepareLauncher()));

let folder: string;
beforeEach(async () => void (folder = await createLauncherFolder()));
afterEach(() => removeLauncherFolder(folder));

it.each(['full', 'none'])('another program lives through the same with isolation %s', async (isolation) => {
  const place = { folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } };
  await liveThrough(place, await makeBase(folder, prefix), 'winemine.exe');
  expect(listTracesOf(folder)).toEqual([]);
});

it('an agent of a plain user runs terminals without a box, too', { tags: ['mount'] }, async () => {
  expect(await liveThroughAsPlainUser(folder, prefix, 'none')).toBe(`${PLAIN_USER} 640x480\n`);
  expect(listTracesOf(folder)).toEqual([]);
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
