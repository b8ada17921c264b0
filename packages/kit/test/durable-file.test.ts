import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeDrafts, replaceAndOpenFile, replaceFile } from '../src/index.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-durable-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file is replaced as a whole, for its owner only unless it is said otherwise', async () => {
  await replaceFile(path, 'a first and longer text');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await replaceFile(path, Buffer.from('second'), { mode: 0o644 });
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(readFileSync(path, 'utf8')).toBe('second');
  expect(readdirSync(folder)).toEqual(['file']);
});

test('those who replace it at once leave one whole text', async () => {
  const texts = Array.from({ length: 50 }, (_, number) => `${number}`.repeat(10_000 + number));
  await Promise.all(texts.map((text) => replaceFile(path, text)));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(folder)).toEqual(['file']);
});

test('what the disk refuses leaves everything as it was, and no draft', async () => {
  // A folder in its place refuses the last step.
  mkdirSync(join(path, 'kept'), { recursive: true });
  await expect(replaceFile(path, 'new')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(path)).toEqual(['kept']);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('what a killed program left is removed, and nothing else', async () => {
  for (const name of ['file.0a1b2c3d.new', 'file', 'file.old', 'another.0a1b2c3d.new']) {
    writeFileSync(join(folder, name), '');
  }
  await removeDrafts(path);
  expect(readdirSync(folder).sort()).toEqual(['another.0a1b2c3d.new', 'file', 'file.old']);
  await removeDrafts(join(folder, 'absent', 'file'));
});

test('a file that is appended to starts empty, whatever draft a killed run left', async () => {
  writeFileSync(`${path}.new`, 'half of an old draft');
  writeFileSync(path, 'old');
  const file = await replaceAndOpenFile(path, 'kept\n');
  await file.appendFile('added\n');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('kept\nadded\n');
  expect(readdirSync(folder)).toEqual(['file']);
});
