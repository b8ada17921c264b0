/** Terminals that fill a volume: the one that grows most is ended, and is not started while there is no room. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
const FULL = { maxBytes: 1024 * MEGABYTE, minFreeBytes: Number.MAX_SAFE_INTEGER };

/** Has every terminal measured anew. Looks are taken one after another, and told of by nothing but what they end. */
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
  await new DiskWatch({ ...FULL, minFreeBytes: 0 }).assertRoom(fast!.folder);
  await watch.assertRoom(fast!.folder);
});

test('where nothing grows, a full volume ends nobody', async () => {
  const { terminals, ended } = createTerminals('one', 'other');
  grow(terminals[0]!, 4);
  await look(new DiskWatch(FULL, 0), terminals, 3);
  expect(ended).toEqual([]);
});
