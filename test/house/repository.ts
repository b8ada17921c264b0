/** What rule tests read: the files that are under version control, as they stand in the working tree. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const rootDir = join(import.meta.dirname, '../..');

/** Paths of all tracked files, relative to the root, with `/`. One that was just deleted is left out. */
export const listTrackedFiles = (): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: rootDir, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(rootDir, path)));

/** @param path relative to the root */
export const readText = (path: string): string => readFileSync(join(rootDir, path), 'utf8');

export const readJson = <Value>(path: string): Value => JSON.parse(readText(path)) as Value;

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bimport\s+)'([^'$]+)'/g;

/** Lines inside a comment of several lines: the examples in it import too. */
const COMMENT_LINE = /^\s*\*.*$/gm;

/** What a TypeScript file imports or re-exports, as it is written there. */
export const listImports = (path: string): string[] =>
  [...readText(path).replace(COMMENT_LINE, '').matchAll(IMPORT)].flatMap((match) => match[1] ?? []);
