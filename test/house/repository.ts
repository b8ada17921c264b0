/** The input of rule tests: the files of the repository, as they are in the working tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const rootDir = join(import.meta.dirname, '../..');

/** Lines of `.gitignore` as they are used here: a folder anywhere, a folder of the root, an ending. */
const toIgnored = (line: string) => {
  const name = line.replaceAll('/', '');
  if (line.startsWith('*')) return (path: string) => path.endsWith(line.slice(1));
  return (path: string) => path === name || (!line.startsWith('/') && path.endsWith(`/${name}`));
};

/** Paths of all files that are, or would be, under version control, relative to the root, with `/`. Needs no git. */
export const listTrackedFiles = (): string[] => {
  const lines = readText('.gitignore').split('\n');
  const ignored = ['.git', ...lines.filter((line) => line !== '')].map(toIgnored);
  const list = (folder: string): string[] =>
    readdirSync(join(rootDir, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (ignored.some((isIgnored) => isIgnored(path))) return [];
      return entry.isDirectory() ? list(`${path}/`) : [path];
    });
  return list('').sort();
};

/** @param path relative to the root */
export const readText = (path: string): string => readFileSync(join(rootDir, path), 'utf8');

export const readJson = <Value>(path: string): Value => JSON.parse(readText(path)) as Value;
