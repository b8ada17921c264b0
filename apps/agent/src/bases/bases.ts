/**
 * The bases of a host: clean installations that terminals are copied from, several side by side, one of them selected
 * for new terminals. A terminal keeps the base that it was created from, whatever is selected later.
 *
 * `<bases>/<platform>/<name>/` holds one, `<bases>/<platform>/current` the name of the selected one. A name that starts
 * with a dot is a draft, which no terminal is created from.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostBase } from '@berth/contract/agent';
import { replaceFile } from '@berth/kit';
import { LauncherError } from '../launchers/launcher.ts';
import { findBaseRecord, type BaseRecord } from './base-record.ts';

export interface Base {
  /** Holds `prefix/` and the record. */
  folder: string;
  record: BaseRecord;
  /** Whether new terminals are made from it. */
  isCurrent: boolean;
}

/** A name becomes a folder, and a leading dot would make it a draft. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;
const CURRENT_FILE = 'current';

/** Pure. `current` is the file beside the bases. */
export const isBaseName = (name: string): boolean => NAME.test(name) && name !== CURRENT_FILE;

/** Where the bases of one platform are. Pure. */
export const toPlatformFolder = (folder: string, platform: string): string => join(folder, platform);

const findCurrentName = async (folder: string, platform: string): Promise<string | undefined> => {
  const path = join(toPlatformFolder(folder, platform), CURRENT_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return text?.trim();
};

/** The bases of a platform by name. @param folder of all bases of the host */
export const listBases = async (folder: string, platform: string): Promise<Base[]> => {
  const current = await findCurrentName(folder, platform);
  const names = await readdir(toPlatformFolder(folder, platform)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const bases: Base[] = [];
  for (const name of names.filter(isBaseName).sort()) {
    const base = join(toPlatformFolder(folder, platform), name);
    const record = await findBaseRecord(base);
    if (record?.platform === platform) bases.push({ folder: base, record, isCurrent: name === current });
  }
  return bases;
};

/** One base by its name. */
export const findBase = async (folder: string, platform: string, name: string): Promise<Base | undefined> =>
  (await listBases(folder, platform)).find(({ record }) => record.name === name);

/** The base that new terminals are created from. Throws a LauncherError (`missing`) that says how to get one. */
export const getCurrentBase = async (folder: string, platform: string): Promise<Base> => {
  const bases = await listBases(folder, platform);
  const chosen = bases.find(({ isCurrent }) => isCurrent);
  if (chosen) return chosen;
  const text =
    bases.length === 0
      ? `This host has no base for ${platform}. Prepare one there: script/agent prepare-base --platform ${platform}.`
      : `The base that was chosen for ${platform} is gone. Choose another one on the host: script/agent bases use NAME.`;
  throw new LauncherError('missing', text);
};

/** Selects a base for new terminals. Existing ones keep theirs. */
export const useBase = async (folder: string, platform: string, name: string): Promise<void> => {
  await mkdir(toPlatformFolder(folder, platform), { recursive: true });
  await replaceFile(join(toPlatformFolder(folder, platform), CURRENT_FILE), `${name}\n`, { mode: 0o644 });
};

const compareVersions = (a: string, b: string): number =>
  a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' });

/** The base with the newest link program; of several the selected one. @returns undefined where no base has one */
export const findLinkBase = async (folder: string, platform: string): Promise<Base | undefined> => {
  const withLink = (await listBases(folder, platform)).filter(({ record }) => record.link);
  const toVersion = ({ record }: Base): string => record.link?.version ?? '';
  return withLink.sort(
    (a, b) => compareVersions(toVersion(b), toVersion(a)) || Number(b.isCurrent) - Number(a.isCurrent),
  )[0];
};

/** What a platform's driver needs from the host's bases. @param folder of all bases of the host */
export const openPlatformBases = (folder: string, platform: string) => ({
  /** The folder of the base that new terminals are made from. Throws a LauncherError (`missing`) that says how to get one. */
  getCurrentFolder: async (): Promise<string> => (await getCurrentBase(folder, platform)).folder,

  findLinkBase: () => findLinkBase(folder, platform),

  list: async (): Promise<HostBase[]> =>
    (await listBases(folder, platform)).map(({ record, isCurrent }) => ({
      name: record.name,
      build: record.build,
      current: isCurrent,
    })),

  /** A terminal keeps the record of the base that it was made from. @param terminalFolder everything of one terminal */
  findPinnedBuild: async (terminalFolder: string): Promise<number | null> =>
    (await findBaseRecord(terminalFolder))?.pinned_build ?? null,
});
