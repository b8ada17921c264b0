import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BaseRecord } from '../src/bases/base-record.ts';
import { findBase, getCurrentBase, isBaseName, listBases, useBase } from '../src/bases/bases.ts';
import { addBase } from './support/base-records.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

const add = (platform: string, name: string, changes: Partial<BaseRecord> = {}) =>
  addBase(folder, platform, name, changes);

test('a host without bases has none, and says how to get one', async () => {
  expect(await listBases(folder, 'mt5')).toEqual([]);
  await expect(getCurrentBase(folder, 'mt5')).rejects.toThrow(/prepare-base --platform mt5/);
});

test('bases stand side by side, and one is chosen', async () => {
  await add('mt5', 'old');
  await add('mt5', 'new', { build: 6000 });
  await add('mt4', 'old', { program: 'MetaTrader 4/terminal.exe' });
  await useBase(folder, 'mt5', 'old');
  expect((await getCurrentBase(folder, 'mt5')).record.build).toBe(5836);
  await useBase(folder, 'mt5', 'new');
  expect((await getCurrentBase(folder, 'mt5')).record.build).toBe(6000);
  expect((await listBases(folder, 'mt5')).map(({ record, isCurrent }) => [record.name, isCurrent])).toEqual([
    ['new', true],
    ['old', false],
  ]);
  expect((await findBase(folder, 'mt4', 'old'))?.isCurrent).toBe(false);
});

test('a chosen base that is gone is said so, and no other is taken in its place', async () => {
  await add('mt5', 'one');
  await useBase(folder, 'mt5', 'gone');
  await expect(getCurrentBase(folder, 'mt5')).rejects.toThrow(/bases use NAME/);
});

test('drafts, folders without a record, and records of another shape are no bases', async () => {
  await add('mt5', '.draft.1-2.partial');
  mkdirSync(join(folder, 'mt5', 'half'));
  mkdirSync(join(folder, 'mt5', 'odd'));
  writeFileSync(join(folder, 'mt5', 'odd', 'base.json'), '{"version":2}');
  await add('mt5', 'moved', { platform: 'mt4' });
  expect(await listBases(folder, 'mt5')).toEqual([]);
});

test.each(['default', 'IC-Markets_5836', '2026.11'])('"%s" may be a name', (name) => {
  expect(isBaseName(name)).toBe(true);
});

test.each(['', '.hidden', '..', 'a/b', 'current', 'a b', 'ä', 'x'.repeat(65)])('"%s" may not', (name) => {
  expect(isBaseName(name)).toBe(false);
});
