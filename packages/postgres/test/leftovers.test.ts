import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listLeftovers, noteOwner } from '../src/leftovers.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-leftovers-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A system folder with one home, and the data directory that leads to it. */
const createPair = (): { systemDir: string; home: string; dataDir: string } => {
  const [systemDir, dataDir] = [join(folder, 'system'), join(folder, 'data')];
  const home = join(systemDir, '0123456789ab');
  mkdirSync(home, { recursive: true });
  mkdirSync(dataDir);
  symlinkSync(home, join(dataDir, 'postgres'));
  noteOwner(home, dataDir);
  return { systemDir, home, dataDir };
};

test('a home whose data directory leads to it is none', () => {
  const { systemDir } = createPair();
  expect(listLeftovers(systemDir)).toEqual([]);
});

test('a home whose data directory was deleted is named with it', () => {
  const { systemDir, home, dataDir } = createPair();
  rmSync(dataDir, { recursive: true });
  expect(listLeftovers(systemDir)).toEqual([{ home, dataDir }]);
});

test('a home whose data directory was recreated is listed', () => {
  const { systemDir, home, dataDir } = createPair();
  rmSync(join(dataDir, 'postgres'));
  symlinkSync(join(systemDir, '0123456789ab-2'), join(dataDir, 'postgres'));
  expect(listLeftovers(systemDir)).toEqual([{ home, dataDir }]);
});

test('what says nothing of a data directory is left alone: programs, and homes of older releases', () => {
  const { systemDir } = createPair();
  mkdirSync(join(systemDir, 'postgres-18.4.0'));
  mkdirSync(join(systemDir, 'ba9876543210'));
  expect(listLeftovers(systemDir)).toEqual([]);
});
