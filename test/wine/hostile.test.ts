// @module-tag wine
// @module-tag open-checkout
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '@berth/testing';
import { type BoxFiles, type ControlGroup, writeBoxFiles } from '@berth/testing/isolation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BoxSurroundings } from './support/box-surroundings.ts';
import type { TestBox } from './support/test-box.ts';
import { buildWindowsPrograms } from './support/windows-programs.ts';
import {
  attackInBox,
  makeWineFolder,
  startNotepad,
  toListener,
  type Loot,
  type WineFolder,
} from './support/wine-test-box.ts';

const isRoot = process.getuid?.() === 0;
const MIB = 1024 * 1024;
/** Where MetaTrader's built-in MCP server listens, which can trade. */
const MCP_PORT = 22_346;
const [ATTACKER, NEIGHBOUR] = isRoot ? [729_980, 729_981] : [];
const LIMITS = { memoryBytes: 500 * MIB, processes: 150, cpuPercent: 100 };
const surroundings = new BoxSurroundings();
const CANARY = surroundings.canary;
const folder = mkdtempSync('/var/tmp/berth-hostile-');
const credential = join(folder, 'agent/credential');

let files: BoxFiles;
let attacker: WineFolder;
let attackerGroup: ControlGroup;
let neighbour: TestBox;
let neighbourFolder: WineFolder;
let ports: { loopback: number; everywhere: number };

const openGroup = (name: string) => surroundings.openGroup(name, LIMITS);

const beats = () => (neighbour.output().match(/beat/g) ?? []).length;
/** The neighbour's notepad lives, and its window answered once more since now. */
const expectNeighbour = async () => {
  const before = beats();
  await waitFor(() => beats() > before + 1, { what: "an answer of the neighbour's window" });
};

const attack = (...attacks: string[][]): Promise<Loot[]> => attackBeside('', attacks);

/** @param before what the attacker's box runs besides */
const attackBeside = async (before: string, attacks: readonly string[][]): Promise<Loot[]> => {
  const { joinFiles } = attackerGroup;
  const limits = { fileSizeBytes: 64 * MIB, openFiles: 4096, processes: 150 };
  const bounds = joinFiles.length > 0 ? limits : { ...limits, dataBytes: 500 * MIB };
  return attackInBox(attacks, attacker, { files, joinFiles, limits: bounds }, before);
};

/** A call of the host itself; whether anybody answers is for others to say. */
const callHost = async (port: number): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  socket.destroy();
};

beforeAll(async () => {
  buildWindowsPrograms('window', 'hostile');
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'agent'));
  writeFileSync(credential, CANARY, { mode: 0o644 });
  process.env.BERTH_CANARY = CANARY;
  files = await writeBoxFiles(join(folder, 'run'), { privateNetworks: [] });
  ports = { loopback: await surroundings.listen('127.0.0.1'), everywhere: await surroundings.listen('0.0.0.0') };
  attacker = await makeWineFolder(join(folder, 'attacker'), ATTACKER);
  neighbourFolder = await makeWineFolder(join(folder, 'neighbour'), NEIGHBOUR);
  writeFileSync(join(neighbourFolder.driveC, 'accounts.dat'), CANARY, { mode: 0o666 });
  attackerGroup = await openGroup('attacker');
  const group = await openGroup('neighbour');
  neighbour = startNotepad(neighbourFolder, { files, joinFiles: group.joinFiles }, toListener(MCP_PORT));
  await neighbour.waitForOutput(/beat/);
});

afterAll(async () => {
  await neighbour?.close();
  await surroundings.close();
  rmSync(folder, { recursive: true, force: true });
});

it("a hostile program in a box of Wine reads nothing of the host: neither by Windows' paths, nor past them, nor by calls of its own", async () => {
  const outside = ['/etc/shadow', '/root/.bashrc', credential, join(neighbourFolder.driveC, 'accounts.dat')];
  const byWindows = outside.flatMap((path) => [
    ['read', `\\\\?\\unix${path.replaceAll('/', '\\')}`],
    ['read', `Z:${path.replaceAll('/', '\\')}`],
  ]);
  const loot = await attack(
    ...byWindows,
    ...outside.map((path) => ['raw-read', path]),
    ['raw-list', '/var/tmp'],
    ['read', 'C:\\hostile.exe'],
  );
  const [own, list] = [loot.at(-1), loot.at(-2)];
  expect(loot.slice(0, -2).map(({ got }) => got)).toEqual(Array(12).fill(false));
  expect(JSON.stringify(list)).not.toContain('berth-hostile');
  // It does run, and does read what is its own.
  expect(own?.got).toBe(true);
  await expectNeighbour();
});

it("a hostile program in a box of Wine sees no process but the box's, and nothing of the agent's environment and descriptors", async () => {
  const [identity, processes, descriptors] = await attack(['identity'], ['processes'], ['descriptors']);
  expect(identity).toMatchObject({ uid: 1000, gid: 1000, no_new_privileges: '1', seccomp: '2' });
  expect([identity?.capabilities, identity?.bounding].map(Number)).toEqual([0, 0]);
  expect(JSON.stringify([processes, descriptors])).not.toContain(CANARY);
  expect(JSON.stringify(processes)).not.toMatch(/notepad|vitest|node/);
  expect(JSON.stringify(descriptors)).not.toContain(folder);
});

it('a hostile program in a box of Wine writes neither system libraries, nor the host, nor its neighbour', async () => {
  const library = join(attacker.windows, 'system32/kernel32.dll');
  const before = readFileSync(library);
  const loot = await attack(
    ['write', 'C:\\windows\\system32\\kernel32.dll'],
    ['raw-write', '/prefix/drive_c/windows/system32/kernel32.dll'],
    ['raw-write', '/usr/bin/new'],
    ['raw-write', credential],
    ['raw-write', join(neighbourFolder.driveC, 'accounts.dat')],
  );
  expect(loot.map(({ got }) => got)).toEqual(Array(5).fill(false));
  expect(readFileSync(library).equals(before)).toBe(true);
  expect(readFileSync(credential, 'utf8')).toBe(CANARY);
});

it("a hostile program in a box of Wine connects to no port of the host, of its private networks, or of the agent's sockets", async () => {
  const targets = [
    ['127.0.0.1', ports.loopback],
    ['127.0.0.1', ports.everywhere],
    ['0.0.0.0', ports.everywhere],
    ['169.254.169.254', 80],
    ['10.0.0.1', ports.everywhere],
    ['192.168.1.1', 80],
  ].map((target) => target.map(String));
  const loot = await attack(
    ...targets.map((target) => ['connect', ...target]),
    ...targets.map((target) => ['raw-connect', ...target]),
    ['unix-socket', '/run/dbus/system_bus_socket'],
    ['unix-socket', '@/tmp/.X11-unix/X9'],
  );
  expect(loot).toHaveLength(14);
  expect(loot.map(({ got }) => got)).toEqual(Array(14).fill(false));
});

it("a hostile program in a box of Wine reaches MetaTrader's MCP server in its own box, and none in another one", async () => {
  const [, ...addresses] = (await neighbour.waitForOutput(/listens on [\d. ]+/)).match(/\d+(\.\d+){3}/g) ?? [];
  const ways = ['127.0.0.1', '0.0.0.0', ...addresses].flatMap((address) =>
    ['connect', 'raw-connect'].map((way) => [way, address, String(MCP_PORT)]),
  );
  const [others, own] = [await attack(...ways), await attackBeside(toListener(MCP_PORT), ways)];
  await callHost(MCP_PORT);
  expect(others.map(({ got }) => got)).toEqual(ways.map(() => false));
  // The neighbour's own call came through; no other one did, and none by the host.
  expect(neighbour.output().match(/a caller/g)).toHaveLength(1);
  expect(own.map(({ got }) => got)).toEqual(ways.map(() => true));
  await expectNeighbour();
});

it('a hostile program in a box of Wine is refused every call that leads out, by each of the three ways to the kernel', async () => {
  const loot = await attack(['system-calls'], ['narrow-calls']);
  expect(loot).toHaveLength(2);
  // A box's processes may look at each other: Wine does.
  for (const { attack: _attack, process_vm_readv: _allowed, ...calls } of loot) {
    const granted = Object.entries(calls).filter(([, result]) => typeof result === 'number' && result >= 0);
    expect(granted).toEqual([]);
  }
});

it('a hostile program in a box of Wine kills nobody but itself', async () => {
  const loot = await attack(['kill-all']);
  expect(loot[0]?.attack).toBe('kill-all');
  await expectNeighbour();
});

it('a hostile program in a box of Wine forks until it is refused, and disturbs nobody', async () => {
  const [loot] = await attack(['fork', '1000', '2']);
  expect(Number(loot?.made)).toBeLessThan(150);
  await expectNeighbour();
});

it('a hostile program in a box of Wine eats memory until it is ended, and disturbs nobody', async () => {
  const loot = await attack(['memory', '2000', '1']);
  expect(Math.max(...loot.map(({ megabytes }) => Number(megabytes)))).toBeLessThan(600);
  expect(loot.some(({ done }) => done === true)).toBe(false);
  await expectNeighbour();
});

it('a hostile program in a box of Wine fills one file to its limit, spins on all processors, and disturbs nobody', async () => {
  const [disk] = await attack(['disk', 'C:\\big.bin', '500'], ['spin', '4', '2']);
  expect(Number(disk?.megabytes ?? 0)).toBeLessThanOrEqual(64);
  await expectNeighbour();
});
