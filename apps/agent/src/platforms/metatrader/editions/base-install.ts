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
  /** Changes with everything that affects the installation; a safe file name. */
  version: string;
  /** Installs into an existing empty folder. */
  install: (folder: string) => Promise<void>;
}

/**
 * A fresh installation that terminals are copied from, created once per version. It is created in a temporary folder
 * and moved into place when it is complete, so that a crash leaves nothing that looks finished, and concurrent
 * installations do not disturb each other: the first wins, the others use its base.
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
