import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcess } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureLinks } from '../src/binaries.ts';
import { lockDataDir } from '../src/lock.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const claim = (pid: number, startedAt: string): void => writeFileSync(join(folder, `${pid}.${startedAt}`), '');

test('a claim of a living process is respected', async () => {
  const parent = findProcess(process.ppid)!;
  claim(parent.pid, parent.startedAt);
  await expect(lockDataDir(folder, '/data')).rejects.toThrow(`process id ${parent.pid}`);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('a claim whose PID now belongs to another process is void, and is cleared away', async () => {
  claim(process.ppid, 'another-start');
  claim(process.pid, 'another-start');
  const unlock = await lockDataDir(folder, '/data');
  expect(readdirSync(folder)).toHaveLength(1);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

test('an unlocked folder can be locked again', async () => {
  (await lockDataDir(folder, '/data'))();
  (await lockDataDir(folder, '/data'))();
});

test('missing library links are created, and existing ones are left alone', () => {
  const native = join(folder, 'native');
  mkdirSync(join(native, 'lib'), { recursive: true });
  writeFileSync(join(native, 'lib', 'libx.so.1.2'), '');
  const links = ['libx.so', 'libx.so.1'].map((name) => ({
    source: 'native/lib/libx.so.1.2',
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  for (let time = 0; time < 2; time += 1) expect(ensureLinks(native)).toBe(true);
  expect(readlinkSync(join(native, 'lib', 'libx.so'))).toBe('libx.so.1.2');
});
