import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const findSpelling = async (folder: string, name: string): Promise<string | undefined> => {
  const entries = await readdir(folder).catch((): string[] => []);
  return entries.includes(name) ? name : entries.find((entry) => entry.toLowerCase() === name.toLowerCase());
};

/**
 * The path below a root as the disk spells it. The terminal does not tell `Config` from `config`, so whichever exists is
 * the one; parts that do not exist keep the given spelling.
 * @param relative parts separated by `/` or `\`; it must not climb
 */
export const toDiskPath = async (root: string, relative: string): Promise<string> => {
  let path = root;
  for (const part of relative.split(/[\\/]+/).filter((each) => each !== '')) {
    if (part === '.' || part === '..') throw new Error('A path inside a terminal must not climb');
    path = join(path, (await findSpelling(path, part)) ?? part);
  }
  return path;
};

/** As `toDiskPath`, with the file's folder made: in the spelling that exists, never a second one beside it. */
export const ensureParentFolder = async (root: string, relative: string): Promise<string> => {
  const path = await toDiskPath(root, relative);
  await mkdir(dirname(path), { recursive: true });
  return path;
};

/** As `toDiskPath`, with the folder itself made. */
export const ensureFolder = async (root: string, relative: string): Promise<string> => {
  const path = await toDiskPath(root, relative);
  await mkdir(path, { recursive: true });
  return path;
};
