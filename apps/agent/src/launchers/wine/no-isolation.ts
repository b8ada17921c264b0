import { lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcess } from '@berth/kit';
import type { BoxPaths } from './box-paths.ts';
import { removeTree } from './host-tools.ts';
import { RUN_FILES } from './keeper.ts';
import { findSmallFile } from './run-folder.ts';
import type { BoxContent, Isolation } from './isolation.ts';

const MAX_DISPLAY_BYTES = 16;
const MAX_NAME_BYTES = 16;

/** Terminals run as the agent's own user, with all its rights. For operators who insist. */
export class NoIsolation implements Isolation {
  readonly level = 'none';

  async prepare(): Promise<void> {}

  async findUser(): Promise<undefined> {
    return undefined;
  }

  async toCommand({ environment, command }: BoxContent): Promise<string[]> {
    return ['env', '-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`), ...command];
  }

  async giveFiles(): Promise<void> {}

  async measure(): Promise<undefined> {
    return undefined;
  }

  async findObstacle(): Promise<undefined> {
    return undefined;
  }

  /** A killed screen leaves its lock and its socket, and Wine's server its socket, in the host's own /tmp. */
  async clean(paths: BoxPaths): Promise<void> {
    const text = (await findSmallFile(join(paths.run, RUN_FILES.display), MAX_DISPLAY_BYTES))?.toString('latin1');
    const [, display] = /^(\d{1,5})\n$/.exec(text ?? '') ?? [];
    if (display !== undefined) await removeDisplay(display);
    const prefix = await lstat(paths.prefix, { bigint: true }).catch(() => undefined);
    if (!prefix) return;
    const server = `server-${prefix.dev.toString(16)}-${prefix.ino.toString(16)}`;
    for (const name of await listServerFolders(paths.prefix)) {
      const folder = join('/tmp', name);
      await removeTree(join(folder, server));
      await rmdir(folder).catch(() => undefined);
    }
  }

  async forget(): Promise<void> {}
}

/**
 * The folders of Wine's servers: the user's, and the one that Debian's Wine creates for each prefix and names in it.
 * The named one may be somebody else's; only this prefix's part of it is removed, and the folder once it is empty.
 */
const listServerFolders = async (prefix: string): Promise<string[]> => {
  const text = (await findSmallFile(join(prefix, 'wineserver'), MAX_NAME_BYTES))?.toString('latin1') ?? '';
  return [`.wine-${process.geteuid?.() ?? 0}`, ...(/^wine-\w{6}$/.test(text) ? [text] : [])];
};

/** Only where the lock's process is gone: the number may belong to another screen by now. */
const removeDisplay = async (display: string): Promise<void> => {
  const lock = `/tmp/.X${display}-lock`;
  const holder = Number(await readFile(lock, 'latin1').catch(() => ''));
  if (!(holder > 0) || findProcess(holder)) return;
  for (const path of [lock, `/tmp/.X11-unix/X${display}`]) await rm(path, { force: true });
};
