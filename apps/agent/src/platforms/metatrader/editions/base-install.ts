import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

export interface BaseInstallOptions {
  /** Folder of all bases on the host. */
  folder: string;
  /** Changes with everything that would make the installation another one; a safe file name. */
  version: string;
  /** Installs into an existing empty folder. */
  install: (folder: string) => Promise<void>;
}

/**
 * A fresh installation that terminals are copied from, made once per version. It is made beside its place and moved there
 * when it is whole, so that a crash leaves nothing that looks finished, and programs that do it at once do not disturb
 * each other: the first wins, the others use its base.
 */
export const ensureBaseInstall = async ({ folder, version, install }: BaseInstallOptions): Promise<string> => {
  const base = join(folder, version);
  if (await isFolder(base)) return base;
  const draft = join(folder, `.${version}.${randomBytes(4).toString('hex')}`);
  await mkdir(draft, { recursive: true });
  try {
    await install(draft);
    await rename(draft, base);
  } catch (error) {
    if (!(await isFolder(base))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return base;
};
