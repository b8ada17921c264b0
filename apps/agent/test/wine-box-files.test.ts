/** What a launcher for Wine reads from a box: files, screenshots and answers that a hostile program may have written. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { lstat, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvReader } from '@berth/kit';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { toBoxPaths, toWineBox } from '../src/launchers/wine/box-paths.ts';
import { emptyTree, removeTree } from '../src/launchers/wine/host-tools.ts';
import { toScript } from '../src/launchers/wine/keeper.ts';
import { findBase, installPrefix, prepareMountPoints } from '../src/launchers/wine/prefix.ts';
import { findSmallFile, writeToFifo, writeNewFile } from '../src/launchers/wine/run-folder.ts';
import { readWineSettings } from '../src/launchers/wine/settings.ts';
import { findMainWindow, listMainWindows, toWindows } from '../src/launchers/wine/visible-windows.ts';
import { isProgram32 } from '../src/launchers/wine/wine-programs.ts';
import { findPixels, encodePng } from '../src/launchers/wine/frame-buffer.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

const makeFifo = (path: string): void => void execFileSync('mkfifo', [path]);

it('a file of a box is read where it is a small regular file', async () => {
  const path = join(folder, 'answer');
  writeFileSync(path, 'yes');
  expect((await findSmallFile(path, 3))?.toString()).toBe('yes');
  expect(await findSmallFile(path, 2)).toBeUndefined();
  expect(await findSmallFile(join(folder, 'none'), 3)).toBeUndefined();
});

it('a file of a box is none where it is a link, a folder, a FIFO, a device or endless', async () => {
  const path = (name: string) => join(folder, name);
  writeFileSync(path('secret'), 'secret');
  symlinkSync(path('secret'), path('link'));
  symlinkSync('/dev/zero', path('device'));
  mkdirSync(path('folder'));
  makeFifo(path('fifo'));
  writeFileSync(path('sparse'), '');
  truncateSync(path('sparse'), 10 * 1024 ** 3);
  for (const name of ['link', 'device', 'folder', 'fifo', 'sparse']) {
    expect(await findSmallFile(path(name), 1024)).toBeUndefined();
    expect(await findPixels(path(name))).toBeUndefined();
    expect(await isProgram32(path(name))).toBe(false);
  }
  expect(await findSmallFile('/dev/zero', 1024)).toBeUndefined();
});

it('a file of a box is written only where nothing is', async () => {
  const path = join(folder, 'request');
  symlinkSync(join(folder, 'elsewhere'), path);
  await expect(writeNewFile(path, 'x')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readdir(folder)).toEqual(['request']);
  await writeNewFile(join(folder, 'other'), 'x');
  expect((await lstat(join(folder, 'other'))).mode & 0o777).toBe(0o600);
});

it('a file of a box takes no command where nobody listens, or where it is no FIFO', async () => {
  const path = join(folder, 'commands');
  expect(await writeToFifo(path, 'a1')).toBe(false);
  makeFifo(path);
  expect(await writeToFifo(path, 'a1')).toBe(false);
  writeFileSync(join(folder, 'file'), '');
  expect(await writeToFifo(join(folder, 'file'), 'a1')).toBe(false);
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('');
});

it('a file of a box is removed whatever its name, depth and permissions', async () => {
  const root = join(folder, 'hostile');
  mkdirSync(root);
  const deep = `for (let i = 0; i < 400; i += 1) { fs.mkdirSync('d'.repeat(100)); process.chdir('d'.repeat(100)); }`;
  const odd = `fs.mkdirSync(Buffer.from([0xff, 0xfe])); fs.writeFileSync(Buffer.from([0xff, 0xfe, 0x2f, 0x80]), '');`;
  for (const script of [deep, odd]) execFileSync(process.execPath, ['-e', script], { cwd: root });
  mkdirSync(join(root, 'closed/inner'), { recursive: true });
  chmodSync(join(root, 'closed'), 0);
  symlinkSync('/etc', join(root, 'etc'));
  await emptyTree(root);
  expect(await readdir(root)).toEqual([]);
  await removeTree(root);
  await expect(lstat(root)).rejects.toThrow('ENOENT');
  expect(await readdir('/etc')).toContain('passwd');
});

/** A screen as Xvfb keeps it, of one colour. */
const toScreen = (width: number, height: number, changes: Record<number, number> = {}): Buffer => {
  const header = Buffer.alloc(160);
  const fields = { 0: 160, 4: 7, 8: 2, 12: 24, 16: width, 20: height, 44: 32, 48: width * 4, 76: 256, ...changes };
  for (const [offset, value] of Object.entries(fields)) header.writeUInt32BE(value, Number(offset));
  const pixels = Buffer.alloc(Math.min(width * height * 4, 1_000_000), Buffer.from([1, 2, 3, 0]));
  return Buffer.concat([header, Buffer.alloc(256 * 12), pixels]);
};

const write = (content: Buffer): string => {
  const path = join(folder, 'Xvfb_screen0');
  writeFileSync(path, content);
  return path;
};

it('a screen of a box is read whole or in part, as far as the part lies on it', async () => {
  const path = write(toScreen(64, 32));
  const whole = await findPixels(path);
  expect([whole?.width, whole?.height, whole?.rgb.length]).toEqual([64, 32, 64 * 32 * 3]);
  expect([...whole!.rgb.subarray(0, 3)]).toEqual([3, 2, 1]);
  const part = await findPixels(path, { x: -4, y: 30, width: 10, height: 10 });
  expect([part?.width, part?.height, part?.rgb.length]).toEqual([6, 2, 36]);
  const outside = await findPixels(path, { x: 500, y: 0, width: 10, height: 10 });
  expect(outside?.width).toBe(64);
});

it('a screen of a box becomes a PNG with the same pixels', async () => {
  const screen = toScreen(3, 2);
  // The blue of the second pixel and of the last one.
  screen[screen.length - 5 * 4] = 40;
  screen[screen.length - 4] = 250;
  const png = PNG.sync.read(await encodePng((await findPixels(write(screen)))!));
  expect([png.width, png.height]).toEqual([3, 2]);
  const pixels = [...png.data].filter((_byte, index) => index % 4 !== 3);
  expect(pixels).toEqual([3, 2, 1, 3, 2, 40, 3, 2, 1, 3, 2, 1, 3, 2, 1, 3, 2, 250]);
});

it.each([
  ['is too short', toScreen(64, 32).subarray(0, 5000)],
  ['has no header', Buffer.alloc(50)],
  ['is larger than any screen', toScreen(100_000, 100_000)],
  ['has rows that overlap', toScreen(64, 32, { 48: 4 })],
  ['begins far behind its end', toScreen(64, 32, { 0: 0xffffffff })],
  ['has colours without end', toScreen(64, 32, { 76: 0xffffffff })],
  ['has no pixels', toScreen(0, 0)],
  ['is of another kind', toScreen(64, 32, { 44: 8 })],
])('a screen of a box is none where it %s', async (_title, content) => {
  expect(await findPixels(write(content))).toBeUndefined();
});

const window = { handle: '1', title: 'Main', owner: null, program: 'Terminal64.exe', rect: [0, 0, 100, 50] };

it('the windows of a box are taken for what they are, and nothing else is taken for a window', () => {
  const hostile = [null, 5, 'x', {}, { ...window, rect: 'x' }, { ...window, rect: [1, 2, 3] }, { ...window, title: 7 }];
  expect(toWindows([...hostile, window])).toHaveLength(1);
  for (const value of [undefined, null, {}, 'windows', 7]) expect(toWindows(value)).toEqual([]);
  expect(toWindows(Array.from({ length: 10_000 }, () => window)).length).toBeLessThanOrEqual(500);
});

it('the windows of a box have a main one: the largest with a title that belongs to no other, of the program itself', () => {
  const windows = toWindows([
    { ...window, handle: '2', owner: '1', rect: [0, 0, 900, 900] },
    { ...window, handle: '3', program: 'explorer.exe', rect: [0, 0, 900, 900] },
    { ...window, handle: '4', title: '', rect: [0, 0, 900, 900] },
    { ...window, handle: '5', rect: [0, 0, 10, 10] },
    window,
  ]);
  expect(findMainWindow(windows, 'terminal64.exe')?.handle).toBe('1');
  expect(listMainWindows(windows, 'terminal64.exe').map(({ handle }) => handle)).toEqual(['5', '1']);
  expect(findMainWindow(windows, 'other.exe')).toBeUndefined();
});

it('the script that a box runs keeps its words, whatever stands in them', () => {
  const words = ["it's", '$(touch x)', '`id`', 'a b', '', '\\', '"', '\n', '*', 'Grüße'];
  const script = toScript({ folder, environment: { WORD: "a'b $HOME" }, command: ['printf', '%s|', ...words] });
  const path = join(folder, 'run.sh');
  writeFileSync(path, script);
  expect(execFileSync('/bin/sh', [path], { encoding: 'utf8' })).toBe(`${words.join('|')}|`);
});

it('the script that a box runs cannot be cut off, and cannot name what is no variable', () => {
  expect(() => toScript({ folder, command: ['a\0b'] })).toThrow('zero byte');
  expect(() => toScript({ folder, environment: { 'A;B': 'x' }, command: ['a'] })).toThrow('variable');
});

const makeBase = (): string => {
  const base = join(folder, 'base');
  const drive = join(base, 'prefix/drive_c');
  for (const path of ['windows/temp', 'terminal', 'users/trader']) mkdirSync(join(drive, path), { recursive: true });
  mkdirSync(join(base, 'prefix/dosdevices'));
  mkdirSync(join(base, 'prefix/wine-AbC'));
  symlinkSync('/', join(base, 'prefix/dosdevices/z:'));
  symlinkSync('/root', join(drive, 'users/trader/Documents'));
  writeFileSync(join(drive, 'windows/system.ini'), 'base');
  writeFileSync(join(drive, 'terminal/terminal64.exe'), 'MZ');
  writeFileSync(join(base, 'prefix/system.reg'), 'WINE');
  writeFileSync(join(base, 'prefix/wineserver'), 'wine-AbC');
  writeFileSync(join(base, 'base.json'), '{"name":"one"}');
  return base;
};

it('a prefix is filled from a base, but for what it shares with it and what leads out of it', async () => {
  const paths = toBoxPaths(join(folder, 'terminal'));
  await installPrefix(paths, makeBase());
  expect((await readdir(paths.prefix)).sort()).toEqual(['dosdevices', 'drive_c', 'system.reg']);
  expect(await readdir(join(paths.prefix, 'drive_c'))).toEqual(['terminal', 'users']);
  expect(await readdir(join(paths.prefix, 'dosdevices'))).toEqual(['c:']);
  expect(await findBase(paths)).toBe(join(folder, 'base'));
  expect(JSON.parse(await readFile(join(paths.folder, 'base.json'), 'utf8'))).toEqual({ name: 'one' });
  await rm(join(folder, 'base'), { recursive: true });
  await expect(findBase(paths)).rejects.toMatchObject({ kind: 'missing', message: expect.stringContaining('base') });
});

it('a prefix is not filled in part: a base that is missing leaves what was there', async () => {
  const paths = toBoxPaths(join(folder, 'terminal'));
  await expect(installPrefix(paths, join(folder, 'none'))).rejects.toMatchObject({ kind: 'missing' });
  await expect(lstat(paths.prefix)).rejects.toThrow('ENOENT');
});

it('a prefix has a place for the windows of its base, whatever stood there before', async () => {
  const base = makeBase();
  const paths = toBoxPaths(join(folder, 'terminal'));
  await installPrefix(paths, base);
  const windows = join(paths.prefix, 'drive_c/windows');
  symlinkSync('/etc', windows);
  await prepareMountPoints(paths, { base, isolation: 'full' });
  expect((await lstat(windows)).isDirectory()).toBe(true);
  await prepareMountPoints(paths, { base, isolation: 'none' });
  expect(await readlink(windows)).toBe(join(base, 'prefix/drive_c/windows'));
  await rm(join(paths.prefix, 'drive_c'), { recursive: true });
  symlinkSync('/etc', join(paths.prefix, 'drive_c'));
  await expect(prepareMountPoints(paths, { base, isolation: 'full' })).rejects.toMatchObject({ kind: 'missing' });
});

it('a prefix names its files as the terminal does, and no others', () => {
  const box = toWineBox('/host/terminals/1');
  expect(box.toInside(join(box.home, 'mt5/config/common.ini'))).toBe('C:\\mt5\\config\\common.ini');
  for (const path of ['/host/terminals/1', box.home, '/etc/passwd', join(box.home, '../system.reg')]) {
    expect(() => box.toInside(path)).toThrow('not in the terminal');
  }
});

const read = (environment: Record<string, string>) => {
  const env = new EnvReader(environment);
  const settings = readWineSettings(env, { windowsDist: '/dist' });
  env.finish();
  return settings;
};

it('the settings of Wine have defaults', () => {
  expect(read({})).toMatchObject({
    isolation: 'full',
    limits: { memoryBytes: 1024 ** 3, processes: 256, cpuPercent: 100 },
    users: { first: 720_000, last: 729_999 },
    privateNetworks: [],
    hostPorts: [],
    screen: { width: 1920, height: 1200 },
    hasGlx: false,
    wineFolder: undefined,
    wineDebug: undefined,
    programFolder: '/dist',
  });
});

it('the settings of Wine are read', () => {
  const settings = read({
    BERTH_AGENT_BOX_UIDS: '2000-2009',
    BERTH_AGENT_PRIVATE_NETWORKS: '192.168.7.0/24, fd00::/8',
    BERTH_AGENT_HOST_PORTS: '8228,9001',
    BERTH_AGENT_SCREEN: '1280x1024',
  });
  expect(settings).toMatchObject({
    users: { first: 2000, last: 2009 },
    privateNetworks: ['192.168.7.0/24', 'fd00::/8'],
    hostPorts: [8228, 9001],
    screen: { width: 1280, height: 1024 },
  });
});

it.each([
  ['BERTH_AGENT_BOX_UIDS', '0-10'],
  ['BERTH_AGENT_BOX_UIDS', '2000'],
  ['BERTH_AGENT_PRIVATE_NETWORKS', 'home'],
  ['BERTH_AGENT_HOST_PORTS', '80,99999'],
  ['BERTH_AGENT_SCREEN', '99999x1'],
  ['BERTH_AGENT_ISOLATION', 'some'],
  ['BERTH_AGENT_GLX', 'yes'],
])('the settings of Wine are refused by name: %s=%s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
