import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import { listBases } from '../../bases/bases.ts';
import { terminalPlaces } from '../../bases/places.ts';
import { isMcpServerOpen } from '../../platforms/metatrader/files/assistant-file.ts';
import type { HostSettings } from '../host-settings.ts';
import { askServer } from './ask-server.ts';
import { programNames, type HostFacts, type ProgramName } from './host-facts.ts';
import { lookAtDisk, lookAtMemory, lookAtProcessor, lookAtSystem } from './look-at-machine.ts';
import { findPtraceScope, inspectIsolation } from './inspect-isolation.ts';
import { countFonts, lookAtWindowProgram, lookAtWine } from './look-at-wine.ts';
import { findProgram, findToolOutput } from './tools.ts';

const findPrograms = async (): Promise<HostFacts['programs']> => {
  const found: Partial<Record<ProgramName, string | undefined>> = {};
  for (const name of programNames) found[name] = await findProgram(name);
  return found as HostFacts['programs'];
};

const toNames = async (folder: string, platform: string): Promise<string[]> =>
  (await listBases(folder, platform).catch(() => [])).map(({ record }) => record.name);

/** A base that cannot be read is not used for terminals, and is reported elsewhere. */
const hasOpenMcp = async (base: string): Promise<boolean> => {
  const home = join(base, 'prefix', 'drive_c');
  const files = new ConfinedFiles({ anchor: base, home, root: join(home, terminalPlaces.mt5.folderName) });
  return isMcpServerOpen(files).catch(() => false);
};

const findBasesWithMcp = async (folder: string): Promise<string[]> => {
  const bases = await listBases(folder, 'mt5').catch(() => []);
  const open = await Promise.all(bases.map(({ folder: base }) => hasOpenMcp(base)));
  return bases.filter((_, at) => open[at]).map(({ record }) => record.name);
};

/** Inspects this machine, and changes nothing. */
export const gatherHostFacts = async (settings: HostSettings, signal: AbortSignal): Promise<HostFacts> => {
  const { directory, basesFolder, serverUrl, version, wine } = settings;
  const programs = await findPrograms();
  return {
    system: await lookAtSystem(),
    processor: await lookAtProcessor(),
    memory: await lookAtMemory(),
    disk: await lookAtDisk(directory),
    wine: await lookAtWine(wine.wineFolder),
    programs,
    bubblewrapVersion: programs.bwrap === undefined ? undefined : await findToolOutput(programs.bwrap, ['--version']),
    fontFiles: await countFonts(),
    isolation: await inspectIsolation(wine),
    ptraceScope: await findPtraceScope(),
    windowProgram: await lookAtWindowProgram(wine.programFolder),
    server: serverUrl === undefined ? undefined : await askServer(serverUrl, version, signal),
    bases: { mt5: await toNames(basesFolder, 'mt5'), mt4: await toNames(basesFolder, 'mt4') },
    basesWithMcp: await findBasesWithMcp(basesFolder),
  };
};
