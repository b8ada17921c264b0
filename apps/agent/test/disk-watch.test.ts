/** Terminals that fill a volume: the one that grows most is ended, and is not started while there is no room. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, EnvReader } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, expect, test } from 'vitest';
import { MARK_VARIABLE, toMark } from '../src/launchers/wine/box-walk.ts';
import { DiskWatch, toLeastGrowth, type DiskLimits, type WatchedFolder } from '../src/launchers/wine/disk-watch.ts';
import { readWineSettings } from '../src/launchers/wine/settings.ts';
import { WineHost } from '../src/launchers/wine/wine-host.ts';
import { useFolder } from './support/use-folder.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
let log: string;
const boxes: ChildProcess[] = [];
useFolder((created) => {
  folder = created;
  log = '';
});
afterEach(async () => {
  for (const box of boxes.splice(0)) await endBox(box);
});

const createLog = () => createLogger({ name: 'disk', destination: { write: (line) => void (log += line) } });
const createWatch = (limits: DiskLimits): DiskWatch => new DiskWatch({ limits, lookMs: 0, log: createLog() });

/** Terminals with a folder each; `ended` has the names of those that were ended. */
const createTerminals = (...names: string[]) => {
  const ended: string[] = [];
  const terminals = names.map((name): WatchedFolder => {
    mkdirSync(join(folder, name));
    return { folder: join(folder, name), end: async () => void ended.push(name) };
  });
  return { terminals, ended };
};
const grow = ({ folder: path }: WatchedFolder, megabytes: number) =>
  writeFileSync(join(path, 'large'), Buffer.alloc(megabytes * MEGABYTE, 1));

/** No disk has this much: it is always nearly full. */
const MOST = { bytes: 1024 * MEGABYTE, entries: 100 };
const FULL = { most: MOST, leastFree: { bytes: Number.MAX_SAFE_INTEGER, entries: 0 } };
const ROOM = { most: MOST, leastFree: { bytes: 0, entries: 0 } };

/** Measures every terminal again. Looks are taken one after another, and are only visible by what they end. */
const look = async (watch: DiskWatch, terminals: readonly WatchedFolder[], times: number, running = terminals) => {
  for (let round = 0; round < times; round += 1) {
    for (const terminal of terminals) {
      watch.note(terminal, () => running);
      await waitFor(() => !watch.isMeasuring);
    }
  }
};

test('on a full volume the terminal that grows most is ended, and no other', async () => {
  const { terminals, ended } = createTerminals('still', 'slow', 'fast');
  const [, slow, fast] = terminals;
  const watch = createWatch(FULL);
  await look(watch, terminals, 1);
  expect(ended).toEqual([]);
  grow(slow!, 65);
  grow(fast!, 80);
  // At its own turn it is the only one that is known to grow.
  await look(watch, [slow!], 1);
  expect(ended.splice(0)).toEqual(['slow']);
  await look(watch, [fast!], 1);
  expect(ended).toEqual(['fast']);
});

test('on a full volume a terminal that was ended is refused its start, and the others are not', async () => {
  const { terminals, ended } = createTerminals('still', 'fast');
  const [still, fast] = terminals;
  const watch = createWatch(FULL);
  await look(watch, terminals, 1);
  grow(fast!, 65);
  await look(watch, [fast!], 1);
  expect(ended).toEqual(['fast']);
  await expect(watch.assertRoom(fast!.folder)).rejects.toMatchObject({ kind: 'disk' });
  await expect(watch.assertRoom(fast!.folder)).rejects.toThrow('grew most. Free some space');
  await watch.assertRoom(still!.folder);
  // There is room again: it may start, and what was noted is gone.
  await createWatch(ROOM).assertRoom(fast!.folder);
  await watch.assertRoom(fast!.folder);
});

test('a host logs which terminal it ends for its disk, and that one could not be ended', async () => {
  const env = new EnvReader({ BERTH_AGENT_ISOLATION: 'none', BERTH_AGENT_TERMINAL_DISK_MB: '64' });
  const settings = readWineSettings(env, { windowsDist: folder });
  const host = new WineHost({ settings, folder, log: createLog() });
  const { terminals } = createTerminals('large');
  grow(terminals[0]!, 65);
  const watched = { ...terminals[0]!, end: () => Promise.reject(new Error('its processes do not end')) };
  await look(host.disk, [watched], 1);
  expect(log).toContain(JSON.stringify(watched.folder));
  expect(log).toContain('because it took more than it may have');
  expect(log).toContain('its processes do not end');
});

const fill = ({ folder: path }: WatchedFolder, count: number) => {
  for (let index = 0; index < count; index += 1) writeFileSync(join(path, `empty-${index}`), '');
};

test('a terminal that has too many files is ended, however small they are', async () => {
  const { terminals, ended } = createTerminals('still', 'busy');
  const [, busy] = terminals;
  const watch = createWatch(ROOM);
  fill(busy!, 101);
  await look(watch, terminals, 1);
  expect(ended).toEqual(['busy']);
  await expect(watch.assertRoom(busy!.folder)).rejects.toThrow('of the 100 that it may have');
  rmSync(join(busy!.folder, 'empty-0'));
  rmSync(join(busy!.folder, 'empty-1'));
  rmSync(join(busy!.folder, 'empty-2'));
  await watch.assertRoom(busy!.folder);
});

test('on a volume that has no place for another file, the terminal that makes most is ended', async () => {
  const { terminals, ended } = createTerminals('large', 'busy');
  const [large, busy] = terminals;
  const watch = createWatch({
    most: { ...MOST, entries: 10_000 },
    leastFree: { bytes: 0, entries: Number.MAX_SAFE_INTEGER },
  });
  grow(large!, 1);
  await look(watch, terminals, 1);
  fill(busy!, 1000);
  await look(watch, [busy!], 1);
  expect(ended).toEqual(['busy']);
  grow(large!, 80);
  await look(watch, [large!], 1);
  expect(ended).toEqual(['busy']);
});

test('on a full volume a terminal that was ended is not ended again for what it grew before', async () => {
  const { terminals, ended } = createTerminals('fast', 'slow');
  const [fast, slow] = terminals;
  const watch = createWatch(FULL);
  await look(watch, terminals, 1);
  grow(fast!, 80);
  await look(watch, [fast!], 1, terminals);
  grow(slow!, 65);
  await look(watch, [slow!], 1, terminals);
  expect(ended).toEqual(['fast', 'slow']);
});

test('on a full volume nobody is ended for a line of a log, and the operator is told once', async () => {
  const { terminals, ended } = createTerminals('one', 'other');
  const watch = createWatch(FULL);
  await look(watch, terminals, 1);
  for (const terminal of terminals) writeFileSync(join(terminal.folder, 'log'), 'a line\n');
  await look(watch, terminals, 2);
  expect(ended).toEqual([]);
  expect(log.match(/short of space/g)).toHaveLength(1);
});

test('a terminal explains a shortage by a quarter of what is missing, but never by a few blocks', () => {
  expect(toLeastGrowth('bytes', 1)).toBe(MEGABYTE);
  expect(toLeastGrowth('bytes', 40 * MEGABYTE)).toBe(10 * MEGABYTE);
  expect(toLeastGrowth('bytes', 1024 * MEGABYTE)).toBe(64 * MEGABYTE);
  expect(toLeastGrowth('entries', 1)).toBe(100);
  expect(toLeastGrowth('entries', 20_000)).toBe(1000);
});

/** A process in the box of a terminal, which runs until the end of the test. Resolves when it has said something. */
const startBox = async (terminal: WatchedFolder, script: string): Promise<ChildProcess> => {
  const run = join(terminal.folder, 'run');
  mkdirSync(run);
  const env = { PATH: '/usr/bin:/bin', [MARK_VARIABLE]: toMark(lstatSync(run, { bigint: true })) };
  const stdio = ['pipe', 'pipe', 'inherit'] as const;
  const box = spawn('bash', ['-c', script], { env, cwd: terminal.folder, stdio: [...stdio], detached: true });
  boxes.push(box);
  await once(box.stdout, 'data');
  return box;
};

const endBox = async (box: ChildProcess): Promise<void> => {
  if (box.exitCode !== null || box.signalCode !== null) return;
  process.kill(-box.pid!, 'SIGKILL');
  await once(box, 'close');
};

const HIDE = `exec 9>hidden; rm hidden; echo open; read -r _; head -c ${80 * MEGABYTE} /dev/zero >&9; echo full; exec sleep 600`;

test('on a full volume the terminal that grows by a deleted file is ended, and not one that writes a line', async () => {
  const { terminals, ended } = createTerminals('innocent', 'hiding');
  const [innocent, hiding] = terminals;
  const box = await startBox(hiding!, HIDE);
  const watch = createWatch(FULL);
  await look(watch, terminals, 1);
  box.stdin!.write('go\n');
  await once(box.stdout!, 'data');
  writeFileSync(join(innocent!.folder, 'log'), 'a line\n');
  await look(watch, terminals, 1);
  expect(ended).toEqual(['hiding']);
});

test('a terminal takes what its deleted files take, until they are closed', async () => {
  const { terminals, ended } = createTerminals('hiding');
  const [hiding] = terminals;
  const box = await startBox(hiding!, HIDE);
  box.stdin!.write('go\n');
  await once(box.stdout!, 'data');
  const watch = createWatch({ ...ROOM, most: { bytes: 64 * MEGABYTE, entries: 100 } });
  await look(watch, terminals, 1);
  expect(ended).toEqual(['hiding']);
  await expect(watch.assertRoom(hiding!.folder)).rejects.toThrow('take 80 MB of the 64 MB');
  await endBox(box);
  await watch.assertRoom(hiding!.folder);
});

/** Holds a deleted file of 80 MB, and ends its first thread. */
const HEADLESS = `
  #include <fcntl.h>
  #include <pthread.h>
  #include <stdlib.h>
  #include <unistd.h>
  void *hold(void *) { for (;;) pause(); }
  int main() {
    pthread_t thread;
    int file = open("hidden", O_CREAT | O_RDWR, 0600);
    unlink("hidden");
    if (posix_fallocate(file, 0, 80 << 20) != 0 || pthread_create(&thread, NULL, hold, NULL) != 0) return 1;
    if (write(1, "open", 4) != 4) return 1;
    pthread_exit(NULL);
  }
`;

test('a terminal takes what a process holds whose first thread has ended', { tags: ['gxx'] }, async () => {
  const { terminals, ended } = createTerminals('hiding');
  const program = join(folder, 'headless');
  execFileSync('g++', ['-x', 'c++', '-pthread', '-o', program, '-'], { input: HEADLESS });
  const box = await startBox(terminals[0]!, `exec ${program}`);
  const isHeadless = () => readFileSync(`/proc/${box.pid}/stat`, 'latin1').includes(') Z ');
  await waitFor(isHeadless, { what: 'the end of the first thread' });
  await look(createWatch({ ...ROOM, most: { bytes: 64 * MEGABYTE, entries: 100 } }), terminals, 1);
  expect(ended).toEqual(['hiding']);
});

/** More descriptors than anybody looks at. */
const CROWD =
  'for i in {1..3900}; do exec {fd}</dev/null; done; for i in {1..17}; do sleep 600 & done; echo open; wait';

test('a terminal that cannot be measured three times in a row is ended, and refused until it can be', async () => {
  const { terminals, ended } = createTerminals('still', 'veiled');
  const [, veiled] = terminals;
  const box = await startBox(veiled!, CROWD);
  const watch = createWatch(ROOM);
  await look(watch, terminals, 2);
  expect(ended).toEqual([]);
  await look(watch, terminals, 1);
  expect(ended).toEqual(['veiled']);
  expect(log).toContain('could not be measured');
  await expect(watch.assertRoom(veiled!.folder)).rejects.toThrow('cannot be measured');
  await endBox(box);
  await watch.assertRoom(veiled!.folder);
});

test('a volume that fills up is noticed though the terminal at hand cannot be measured', async () => {
  const { terminals, ended } = createTerminals('fast', 'veiled');
  const [fast, veiled] = terminals;
  await startBox(veiled!, CROWD);
  const limits = structuredClone(ROOM);
  const watch = createWatch(limits);
  await look(watch, [fast!], 1);
  grow(fast!, 65);
  await look(watch, [fast!], 1);
  limits.leastFree.bytes = FULL.leastFree.bytes;
  await look(watch, [veiled!], 1, terminals);
  expect(ended).toEqual(['fast']);
});

const STRANGER = 65_534;

/** As a user for whom closed folders are closed. Its programs run as that user, too. */
const withoutRoot = async (act: () => Promise<void>): Promise<void> => {
  if (process.getuid!() !== 0) return act();
  chownSync(folder, STRANGER, STRANGER);
  process.seteuid!(STRANGER);
  try {
    await act();
  } finally {
    process.seteuid!(0);
  }
};

test('a terminal is measured however much there is to complain about in its folder', async () => {
  await withoutRoot(async () => {
    const { terminals, ended } = createTerminals('closed');
    const deep = join(terminals[0]!.folder, ...Array.from({ length: 14 }, () => 'a'.repeat(250)));
    mkdirSync(deep, { recursive: true });
    for (let index = 0; index < 400; index += 1) mkdirSync(join(deep, `closed-${index}`), { mode: 0 });
    await look(createWatch(ROOM), terminals, 1);
    expect(ended).toEqual(['closed']);
  });
});

test('where nothing grows, a full volume ends nobody', async () => {
  const { terminals, ended } = createTerminals('one', 'other');
  grow(terminals[0]!, 4);
  await look(createWatch(FULL), terminals, 3);
  expect(ended).toEqual([]);
});

test('nothing reads a folder any more that was forgotten', async () => {
  const { terminals } = createTerminals('large');
  const [large] = terminals;
  for (let index = 0; index < 2000; index += 1) mkdirSync(join(large!.folder, `folder-${index}`));
  const watch = createWatch(ROOM);
  watch.note(large!, () => terminals);
  await watch.forget(large!.folder);
  const readers = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readCommand(pid).includes(large!.folder));
  expect(readers).toEqual([]);
});

const readCommand = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
};
