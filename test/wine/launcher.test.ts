// @module-tag wine
/** Real Windows programs through the launcher for Wine, from their installation to their removal. */
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  findScreenSocket,
  listClaimedUsers,
  listControlGroups,
  listMountsOf,
  listTracesOf,
} from './support/box-traces.ts';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';
import { isRoot, liveThroughAsPlainUser, PLAIN_USER } from './support/plain-user.ts';
import { install, liveThrough, makeBase, openLauncher, openTerminal, start } from '@berth/testing/wine-terminals';

let prefix: string;
beforeAll(async () => void (prefix = await prepareLauncher()));

let folder: string;
beforeEach(async () => void (folder = await createLauncherFolder()));
afterEach(() => removeLauncherFolder(folder));

const toSize = (screenshot: Buffer) => [screenshot.readUInt32BE(16), screenshot.readUInt32BE(20)];

describe.each([
  ['in a box', 'full'],
  ['without a box', 'none'],
])('a terminal %s', (_title, isolation) => {
  it('a terminal is installed, started, captured, found by the next agent, closed and removed', async () => {
    const place = { folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } };
    const screenshot = await liveThrough(place, await makeBase(folder, prefix), 'notepad.exe');
    expect(toSize(screenshot)).toEqual([640, 480]);
    expect(listTracesOf(folder)).toEqual([]);
    expect(listControlGroups(join(folder, 'terminal'))).toEqual([]);
    if (isolation === 'full' && isRoot) expect(listClaimedUsers(folder)).toEqual([]);
  });

  it('a terminal has no mount on the host, and takes the socket of its screen along', async () => {
    const environment = { BERTH_AGENT_ISOLATION: isolation };
    const terminal = openTerminal(openLauncher({ folder, programFolder, environment }), join(folder, 'terminal'));
    await install(terminal, await makeBase(folder, prefix));
    await start(terminal);
    const display = await terminal.screen.open();
    const socket = findScreenSocket(display);
    // A box has a /tmp of its own. Nobody locks a screen whose number the server chose itself.
    if (isolation === 'none') expect(socket).toBeDefined();
    expect(listMountsOf(folder)).toEqual([]);
    await terminal.launcher.remove(terminal.box);
    if (isolation === 'none') expect(findScreenSocket(display)).not.toBe(socket);
    expect(listMountsOf(folder)).toEqual([]);
  });
});

it('an agent of a plain user runs terminals in boxes, too', { tags: ['mount', 'open-checkout'] }, async () => {
  expect(await liveThroughAsPlainUser(folder, prefix, 'full')).toBe(`${PLAIN_USER} 640x480\n`);
  expect(listTracesOf(folder)).toEqual([]);
});
