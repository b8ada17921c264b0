/**
 * The final steps on the files of a base, when nothing runs in its box any more. Whatever ran there may have left
 * anything.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeTree, runTool } from '../../launchers/wine/host-tools.ts';
import { CommandError } from '@berth/command';

const MAX_EXECUTABLES = 50;

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;

/** A path below a folder, of which every part is a folder and not a link. Throws a CommandError where it is not. */
const getFolder = async (home: string, parts: readonly string[]): Promise<string> => {
  let path = home;
  for (const part of ['', ...parts]) {
    path = join(path, part);
    if (part === '..' || !(await isFolder(path))) throw new CommandError(`${path} is not a folder of the base.`);
  }
  return path;
};

/**
 * Moves an installation to where terminals expect it. @param found its program, below drive C @param root its
 * destination
 */
export const moveInstallation = async (home: string, found: string, root: string): Promise<void> => {
  const source = await getFolder(home, found.split('/').slice(0, -1));
  if (source === root) return;
  if (source === home) throw new CommandError('The installer put the terminal into no folder of its own.');
  await removeTree(root);
  await mkdir(dirname(root), { recursive: true });
  await rename(source, root);
};

/**
 * Keeps drive C as the only device, and in it only files, folders and links, which everybody can read and only the
 * agent can write: no FIFO that a copy would block on, no set-user-ID bit.
 */
export const settleFiles = async (prefix: string): Promise<void> => {
  const devices = join(prefix, 'dosdevices');
  for (const name of await readdir(devices).catch(() => [])) if (name !== 'c:') await removeTree(join(devices, name));
  await runTool('find', [prefix, '-xdev', '!', '-type', 'd', '!', '-type', 'f', '!', '-type', 'l', '-delete']);
  if (process.geteuid?.() === 0) await runTool('chown', ['-hR', '0:0', '--', prefix]);
  await runTool('chmod', ['-R', 'a-st,u=rwX,go=rX', '--', prefix]);
};

const toChecksum = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

/** The checksums of the programs beside the terminal, by their names. */
export const readChecksums = async (root: string): Promise<Record<string, string>> => {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && /\.exe$/i.test(entry.name)).map(({ name }) => name);
  const sums: Record<string, string> = {};
  for (const name of names.sort().slice(0, MAX_EXECUTABLES)) sums[name] = await toChecksum(join(root, name));
  return sums;
};
