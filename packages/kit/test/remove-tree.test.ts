import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeTree } from '../src/index.ts';

let top: string;
let folder: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'berth-remove-'));
  folder = join(top, 'terminal');
  mkdirSync(folder);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Folders in folders, made one below the other because no path is long enough to name the last. */
const nest = (depth: number, also: string): void => {
  const program = `
    const fs = require('node:fs');
    for (let left = ${depth}; left > 0; left -= 1) {
      fs.mkdirSync('d'.repeat(200)); ${also}
      process.chdir('d'.repeat(200));
    }`;
  execFileSync(process.execPath, ['-e', program], { cwd: folder });
};

test('folders that lie too deep for any path are removed, with what is beside them', async () => {
  nest(500, `fs.writeFileSync('f', 'x'); fs.mkdirSync('other/deeper', { recursive: true });`);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test('links are removed, not what they lead to, at any depth', async () => {
  const outside = join(top, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'kept');
  symlinkSync(outside, join(folder, 'link'));
  nest(100, `fs.symlinkSync(${JSON.stringify(outside)}, 'another');`);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
});

test('folders that nobody may enter do not stay', async () => {
  mkdirSync(join(folder, 'a/b/c'), { recursive: true });
  writeFileSync(join(folder, 'a/b/c/file'), 'x');
  const program = `chmod 000 a/b/c a/b a; [ "$(id -u)" = 0 ] && chown -R 65534:65534 .; exit 0`;
  execFileSync('sh', ['-c', program], { cwd: folder });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a file is removed, and what is not there is no mistake', async () => {
  writeFileSync(join(folder, 'file'), 'x');
  await removeTree(join(folder, 'file'));
  await removeTree(join(folder, 'file'));
  expect(existsSync(join(folder, 'file'))).toBe(false);
});
