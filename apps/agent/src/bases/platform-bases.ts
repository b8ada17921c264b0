import type { HostBase } from '@berth/contract/agent';
import { findBaseRecord } from './base-record.ts';
import { getCurrentBase, listBases } from './bases.ts';

/** What a platform's driver needs from the host's bases. @param folder of all bases of the host */
export const openPlatformBases = (folder: string, platform: string) => ({
  /** The folder of the base that new terminals are made from. Throws a LauncherError (`missing`) that says how to get one. */
  getCurrentFolder: async (): Promise<string> => (await getCurrentBase(folder, platform)).folder,

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
