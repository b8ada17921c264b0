/** Terminals that fill a volume: the one that grows most is ended, and is not started while there is no room. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskWatch, type WatchedFolder } from '../src/launchers/wine/disk-watch.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'berth-disk-'))));
afterEach(() => rmSync(folder, { recursive: true }));

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
const look = async (watch: DiskWatch, terminals: readonly WatchedFolder[], times: number) => {
  for (let round = 0; round < times; round += 1) {
    for (const terminal of terminals) {
      watch.note(terminal, () => terminals);
      await waitFor(() => !watch.isMeasuring);
    }
  }
};

test('on a full volume the terminal that grows most is ended, and no other', async () => {
  const { terminals, ended } = createTerminals('still', 'slow', 'fast');
  const [, slow, fast] = terminals;
  const watch = new DiskWatch(FULL, 0);
  await look(watch, terminals, 1);
  expect(ended).toEqual([]);
  grow(slow!, 1);
  grow(fast!, 8);
  // At its own turn it is the only one that is known to grow.
  await look(watch, [slow!], 1);
  expect(ended.splice(0)).toEqual(['slow']);
  await look(watch, [fast!], 1);
  expect(ended).toEqual(['fast']);
});

test('on a full volume a terminal that was ended is refused its start, and the others are not', async () => {
  const { terminals, ended } = createTerminals('still', 'fast');
  const [still, fast] = terminals;
  const watch = new DiskWatch(FULL, 0);
  await look(watch, terminals, 1);
  grow(fast!, 4);
  await look(watch, [fast!], 1);
  expect(ended).toEqual(['fast']);
  await expect(watch.assertRoom(fast!.folder)).rejects.toMatchObject({ kind: 'disk' });
  await expect(watch.assertRoom(fast!.folder)).rejects.toThrow('grew most. Free some space');
  await watch.assertRoom(still!.folder);
  // There is room again: it may start, and what was noted is gone.
  await new DiskWatch(ROOM).assertRoom(fast!.folder);
  await watch.assertRoom(fast!.folder);
});

const fill = ({ folder: path }: WatchedFolder, count: number) => {
  for (let index = 0; index < count; index += 1) writeFileSync(join(path, `empty-${index}`), '');
};

test('a terminal that has too many files is ended, however small they are', async () => {
  const { terminals, ended } = createTerminals('still', 'busy');
  const [, busy] = terminals;
  const watch = new DiskWatch(ROOM, 0);
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
  const watch = new DiskWatch({ most: MOST, leastFree: { bytes: 0, entries: Number.MAX_SAFE_INTEGER } }, 0);
  grow(large!, 1);
  await look(watch, terminals, 1);
  fill(busy!, 10);
  await look(watch, [busy!], 1);
  expect(ended).toEqual(['busy']);
  grow(large!, 8);
  await look(watch, [large!], 1);
  expect(ended).toEqual(['busy']);
});

test('where nothing grows, a full volume ends nobody', async () => {
  const { terminals, ended } = createTerminals('one', 'other');
  grow(terminals[0]!, 4);
  await look(new DiskWatch(FULL, 0), terminals, 3);
  expect(ended).toEqual([]);
});

test('nothing reads a folder any more that was forgotten', async () => {
  const { terminals } = createTerminals('large');
  const [large] = terminals;
  for (let index = 0; index < 2000; index += 1) mkdirSync(join(large!.folder, `folder-${index}`));
  const watch = new DiskWatch(ROOM, 0);
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
