import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listDatabases } from '../src/databases.ts';
import { noteOwner } from '../src/homes.ts';

const USED_AT = new Date('2026-01-02T03:04:05Z');

let folder: string;
let systemDir: string;
let dataDir: string;
let home: string;

/** A system folder with one home, and the data directory that leads to it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-databases-'));
  [systemDir, dataDir] = [join(folder, 'system'), join(folder, 'data')];
  home = join(systemDir, '0123456789ab');
  mkdirSync(dataDir);
  createCluster(home);
  symlinkSync(home, join(dataDir, 'postgres'));
  noteOwner(home, dataDir);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const createCluster = (path: string): void => {
  const control = join(path, 'cluster/global/pg_control');
  mkdirSync(join(path, 'cluster/global'), { recursive: true });
  writeFileSync(control, 'x'.repeat(8192));
  utimesSync(control, USED_AT, USED_AT);
};

test('A database is listed with its size, its last use, and the data directory that leads to it', () => {
  const sizeBytes = 8192 + dataDir.length + 1;
  expect(listDatabases(dataDir, systemDir)).toEqual([
    { folder: home, dataDir, state: 'stopped', sizeBytes, usedAt: USED_AT },
  ]);
});

test('A database whose data directory is gone is listed as left, and stays where it is', () => {
  rmSync(dataDir, { recursive: true });
  expect(listDatabases(dataDir, systemDir)).toMatchObject([{ folder: home, dataDir, state: 'left' }]);
  expect(existsSync(join(home, 'cluster'))).toBe(true);
});

test('A database in its data directory is listed beside an earlier one of it', () => {
  rmSync(join(dataDir, 'postgres'));
  createCluster(join(dataDir, 'postgres'));
  expect(listDatabases(dataDir, systemDir)).toMatchObject([
    { folder: join(dataDir, 'postgres'), dataDir, state: 'stopped' },
    { folder: home, dataDir, state: 'left' },
  ]);
});

test('A database that a person put aside is listed, programs and interrupted starts are not', () => {
  createCluster(join(systemDir, '0123456789ab.aside'));
  for (const name of ['postgres-18.4.0', 'ba9876543210']) mkdirSync(join(systemDir, name));
  const listed = listDatabases(dataDir, systemDir).map((database) => database.folder);
  expect(listed).toEqual([home, join(systemDir, '0123456789ab.aside')]);
});

test('A database is listed once, where the data directory is the folder of databases itself', () => {
  createCluster(join(systemDir, 'postgres'));
  const [own] = listDatabases(systemDir, systemDir).filter((database) => database.folder !== home);
  expect(own).toMatchObject({ folder: join(systemDir, 'postgres'), dataDir: systemDir, state: 'stopped' });
  rmSync(join(systemDir, 'postgres'), { recursive: true });
  symlinkSync(home, join(systemDir, 'postgres'));
  expect(listDatabases(systemDir, systemDir)).toHaveLength(1);
});

test('A machine without a database has an empty list', () => {
  expect(listDatabases(join(folder, 'nowhere'), join(folder, 'nothing'))).toEqual([]);
});
