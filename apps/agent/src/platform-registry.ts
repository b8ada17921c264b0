import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { Launcher } from './launchers/launcher.ts';
import type { PlatformRegistry } from './platforms/driver.ts';
import { findRecord, RECORD_FILE } from './platforms/metatrader/record.ts';
import { MetaTraderTerminal } from './platforms/metatrader/terminal.ts';

export interface PlatformRegistryOptions {
  /** The folder with one folder per terminal, named by its id. */
  folder: string;
  /** One launcher a platform. */
  launchers: readonly Launcher[];
  log: Logger;
}

const isId = (name: string): boolean => /^[0-9a-f-]{36}$/i.test(name);

/** What this host can run, and the terminals it has. */
export const createPlatformRegistry = ({ folder, launchers, log }: PlatformRegistryOptions): PlatformRegistry => ({
  platforms: launchers.map(({ platform }) => platform),

  async open({ id, platform }) {
    const launcher = launchers.find((each) => each.platform === platform);
    if (!launcher) throw new Error(`This host runs no ${platform} terminals`);
    if (!isId(id)) throw new Error('A terminal id must be a UUID');
    return MetaTraderTerminal.open({ id, folder: join(folder, id), launcher, log });
  },

  async listInstalled() {
    const ids = (await readdir(folder).catch((): string[] => [])).filter(isId);
    const installed: { id: string; platform: Platform }[] = [];
    for (const id of ids) {
      const record = await findRecord(join(folder, id, RECORD_FILE));
      if (record) installed.push({ id, platform: record.platform });
    }
    return installed;
  },
});
