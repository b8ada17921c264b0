import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '@berth/contract/values';
import type { Logger } from '@berth/kit';
import type { PlatformRegistry } from './platforms/driver.ts';
import type { Offer } from './platforms/metatrader/edition.ts';
import { findRecord, RECORD_FILE } from './platforms/metatrader/record.ts';
import { MetaTraderTerminal } from './platforms/metatrader/terminal.ts';

/** The memory of a sandbox terminal, with some headroom. */
const OWN_PROGRAM_MB = 64;

export interface PlatformRegistryOptions {
  /** The folder with one folder per terminal, named by its id. */
  folder: string;
  /** What this host runs, and through which launcher: one per platform. */
  offers: readonly Offer[];
  log: Logger;
}

const isId = (name: string): boolean => /^[0-9a-f-]{36}$/i.test(name);

/** What this host can run, and the terminals it has. */
export const createPlatformRegistry = ({ folder, offers, log }: PlatformRegistryOptions): PlatformRegistry => ({
  platforms: offers.map(({ edition }) => edition.platform),

  describe: () =>
    Promise.all(
      offers.map(async ({ edition, launcher }) => ({
        platform: edition.platform,
        launcher: launcher.name,
        isolation: launcher.isolation ?? 'none',
        terminalMemoryMb: launcher.terminalMemoryMb ?? OWN_PROGRAM_MB,
        bases: (await edition.listBases?.()) ?? [],
      })),
    ),

  async open({ id, platform }) {
    const offer = offers.find(({ edition }) => edition.platform === platform);
    if (!offer) throw new Error(`This host runs no ${platform} terminals`);
    if (!isId(id)) throw new Error('A terminal id must be a UUID');
    return MetaTraderTerminal.open({ id, folder: join(folder, id), ...offer, log });
  },

  async listInstalled() {
    const ids = (await readdir(folder).catch((): string[] => [])).filter(isId);
    const installed: { id: string; platform: Platform }[] = [];
    for (const id of ids) {
      const record = await findRecord(join(folder, id, RECORD_FILE)).catch((error: unknown) => {
        // One that is damaged keeps none of the others from running.
        log.error(
          { err: error, terminal_id: id },
          'the record of a terminal cannot be read; the terminal is left alone',
        );
        return undefined;
      });
      if (record) installed.push({ id, platform: record.platform });
    }
    return installed;
  },
});
