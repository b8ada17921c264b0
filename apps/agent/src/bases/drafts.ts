/**
 * Bases being prepared. A draft lies next to the bases of its platform and is named after the base and the process that
 * prepares it: PID and start time. So a draft whose process is gone is recognised, however it ended, and removed by the
 * next one that looks. A draft becomes a base by a single rename.
 */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcess, isProcessAlive, type ProcessIdentity } from '@berth/kit';
import { LauncherError } from '../launchers/launcher.ts';
import { toPlatformFolder } from './bases.ts';

export interface BaseDraft {
  folder: string;
  platform: string;
  name: string;
  preparer: ProcessIdentity;
}

const DRAFT = /^\.(.+)\.(\d+)-([\w-]+)\.partial$/;

const listFolders = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
};

/** The drafts of one platform, whoever prepares them. @param folder of all bases */
export const listDrafts = async (folder: string, platform: string): Promise<BaseDraft[]> => {
  const parent = toPlatformFolder(folder, platform);
  return (await listFolders(parent)).flatMap((entry): BaseDraft[] => {
    const [, name, pid, startedAt] = DRAFT.exec(entry) ?? [];
    if (name === undefined || startedAt === undefined) return [];
    return [{ folder: join(parent, entry), platform, name, preparer: { pid: Number(pid), startedAt } }];
  });
};

/** Creates the folder of a base that this process is going to prepare. */
export const createDraft = async (folder: string, platform: string, name: string): Promise<BaseDraft> => {
  const preparer = findProcess(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
  const entry = `.${name}.${preparer.pid}-${preparer.startedAt}.partial`;
  const draft = { folder: join(toPlatformFolder(folder, platform), entry), platform, name, preparer };
  await mkdir(draft.folder, { recursive: true });
  return draft;
};

/**
 * Turns a complete draft into a base. Throws a LauncherError (`stuck`) when another one took the name in the meantime.
 */
export const publishDraft = async ({ folder, platform, name }: BaseDraft): Promise<string> => {
  const target = join(folder, '..', name);
  try {
    await rename(folder, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    const text = `Another base "${name}" for ${platform} was finished first. Choose another name with --name.`;
    throw new LauncherError('stuck', text, { cause: error });
  }
  return target;
};

/**
 * Removes the drafts whose process is gone. @param removeDraft also ends anything that still runs in it
 * @returns the names of what was removed
 */
export const sweepDrafts = async (
  folder: string,
  removeDraft: (draft: BaseDraft) => Promise<void>,
): Promise<string[]> => {
  const removed: string[] = [];
  for (const platform of await listFolders(folder)) {
    for (const draft of await listDrafts(folder, platform)) {
      if (isProcessAlive(draft.preparer)) continue;
      await removeDraft(draft);
      removed.push(draft.name);
    }
  }
  return removed;
};
