/** What a terminal takes on the disk, while its program does its worst. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { measureFolder } from '../src/platforms/metatrader/run/folder-size.ts';

let folder: string;
let outside: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-size-'));
  outside = mkdtempSync(join(tmpdir(), 'berth-outside-'));
  writeFileSync(join(outside, 'large'), Buffer.alloc(8 * 1024 * 1024, 1));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

const MEGABYTE = 1024 * 1024;

test('the size of a folder is the sum of its files: a file of two names counts once, one of holes by what it takes', async () => {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/b/file'), Buffer.alloc(MEGABYTE, 1));
  linkSync(join(folder, 'a/b/file'), join(folder, 'a/again'));
  writeFileSync(join(folder, 'sparse'), '');
  truncateSync(join(folder, 'sparse'), 10 * 1024 * MEGABYTE);
  const size = await measureFolder(folder);
  expect(size).toBeGreaterThanOrEqual(MEGABYTE);
  expect(size).toBeLessThan(1.5 * MEGABYTE);
});

test('a measurement follows no link and waits for no pipe; a folder that is gone is empty', async () => {
  symlinkSync(outside, join(folder, 'away'));
  symlinkSync('/', join(folder, 'root'));
  symlinkSync(folder, join(folder, 'loop'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(await measureFolder(folder)).toBeLessThan(MEGABYTE);
  expect(await measureFolder(join(folder, 'away'))).toBe(0);
  expect(await measureFolder(join(folder, 'none'))).toBe(0);
});

test('the size is never that of what is outside, though folders are swapped for links all the time', async () => {
  mkdirSync(join(folder, 'real'));
  const swap = `cd '${folder}' && while :; do mv real kept; ln -s '${outside}' real; rm real; mv kept real; done`;
  const swapper = spawn('sh', ['-c', swap], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  try {
    for (let looks = 0; looks < 300; looks += 1) expect(await measureFolder(folder)).toBeLessThan(MEGABYTE);
  } finally {
    // The output is closed when the programs have ended, too, that the shell had started.
    const ended = once(swapper.stdout.resume(), 'close');
    process.kill(-swapper.pid!, 'SIGKILL');
    await ended;
  }
});

test('a tree without an end is counted up to a depth', async () => {
  let path = folder;
  for (let depth = 0; depth < 60; depth += 1) {
    path = join(path, 'd');
    mkdirSync(path);
  }
  writeFileSync(join(path, 'deep'), Buffer.alloc(MEGABYTE, 1));
  expect(await measureFolder(folder)).toBeLessThan(MEGABYTE);
});
