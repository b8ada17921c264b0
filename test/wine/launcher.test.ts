// @module-tag wine
/** Real Windows programs through the launcher for Wine, from their installation to their removal. */
import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  findScreenSocket,
  listClaimedUsers,
  listControlGroups,
  listMountsOf,
  listTracesOf,
} from './support/box-traces.ts';
import { bundle } from './support/bundle.ts';
import {
  createLauncherFolder,
  prepareLauncher,
  programFolder,
  removeLauncherFolder,
} from './support/launcher-folder.ts';
import { install, liveThrough, makeBase, openLauncher, openTerminal, start } from '@berth/testing/wine-terminals';

const run = promisify(execFile);
const isRoot = process.geteuid?.() === 0;
/** A user that owns nothing else on this machine. */
const PLAIN_USER = 65_333;

let prefix: string;
beforeAll(async () => void (prefix = await prepareLauncher()));

let folder: string;
beforeEach(async () => void (folder = await createLauncherFolder()));
afterEach(() => removeLauncherFolder(folder));

const toSize = (picture: Buffer) => [picture.readUInt32BE(16), picture.readUInt32BE(20)];

describe.each([
  ['in a box', 'full'],
  ['without a box', 'none'],
])('a terminal %s', (_title, isolation) => {
  it.each(['notepad.exe', 'winemine.exe'])(
    'is installed, started, pictured, found by the next agent, closed and removed: %s',
    async (name) => {
      const place = { folder, programFolder, environment: { BERTH_AGENT_ISOLATION: isolation } };
      const picture = await liveThrough(place, await makeBase(folder, prefix), name);
      if (name === 'notepad.exe') expect(toSize(picture)).toEqual([640, 480]);
      expect(listTracesOf(folder)).toEqual([]);
      expect(listControlGroups(join(folder, 'terminal'))).toEqual([]);
      if (isolation === 'full' && isRoot) expect(listClaimedUsers(folder)).toEqual([]);
    },
  );

  it('has no mount on the host, and takes the socket of its screen along', async () => {
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

/** Lets the user have a network in its boxes, as most systems do, without changing this one. */
const AS_PLAIN_USER = `mount -t tmpfs -o mode=755,size=16k none /dev/net && mknod -m 666 /dev/net/tun c 10 200
exec setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all -- env -i "$2" "$3" "$4" "$5" "$6" "$7" "$8"`;

describe('an agent of a plain user', () => {
  it.runIf(isRoot).each(['full', 'none'])('runs terminals, too, with isolation %s', async (isolation) => {
    const program = join(folder, 'plain-user-main.mjs');
    await bundle('plain-user-main.ts', program);
    await chown(folder, PLAIN_USER, PLAIN_USER);
    const words = [process.execPath, program, folder, prefix, programFolder, isolation, 'notepad.exe'];
    const own = ['--mount', '--propagation', 'private', '--', '/bin/sh', '-c', AS_PLAIN_USER, 'plain-user'];
    const { stdout } = await run('unshare', [...own, String(PLAIN_USER), ...words]);
    expect(stdout).toBe(`${PLAIN_USER} 640x480\n`);
    expect(listTracesOf(folder)).toEqual([]);
  });
});
