import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import { listBases } from '../../bases/bases.ts';
import { terminalPlaces } from '../../bases/places.ts';
import { toWineMounts } from '../../launchers/wine/full-isolation.ts';
import { writeBoxFiles } from '../../launchers/wine/isolation/box-files.ts';
import { describeIsolation, type IsolationFacts } from '../../launchers/wine/isolation/capabilities.ts';
import type { WineSettings } from '../../launchers/wine/settings.ts';
import { isMcpServerOpen } from '../../platforms/metatrader/files/assistant-file.ts';
import { ServerTransport } from '../../server/server-transport.ts';
import type { HostSettings } from '../host-command.ts';
import { programNames, type HostFacts, type ProgramName, type ServerFacts } from './host-facts.ts';
import { findProgram, findToolOutput } from './tools.ts';
import {
  lookAtDisk,
  lookAtMemory,
  lookAtProcessor,
  lookAtSystem,
  countFonts,
  lookAtWindowProgram,
  lookAtWine,
} from './look-at-machine.ts';

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

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The header counts whole seconds, so half a second is the best guess for the rest. */
const HALF_SECOND_MS = 500;

/** Checks that the server responds, in the way the agent connects to it, and compares the clocks. */
const askServer = async (serverUrl: string, version: string, signal: AbortSignal): Promise<ServerFacts> => {
  const transport = new ServerTransport({ serverUrl, version });
  const askedAtMs = Date.now();
  try {
    const call = { path: 'healthz', method: 'GET', body: '', timeoutMs: TIMEOUT_MS } as const;
    const { status, headers } = await transport.send({ ...call, maxAnswerBytes: MAX_ANSWER_BYTES, signal });
    const nowMs = (askedAtMs + Date.now()) / 2;
    const serverMs = Date.parse(headers.date ?? '') + HALF_SECOND_MS;
    return {
      url: serverUrl,
      failure: status === 200 ? undefined : `its answer has the status ${status}`,
      clockAheadMs: Number.isNaN(serverMs) ? undefined : nowMs - serverMs,
    };
  } catch (error) {
    return { url: serverUrl, failure: (error as Error).message, clockAheadMs: undefined };
  } finally {
    transport.close();
  }
};

/** Tests the isolation of terminals by starting an empty box. */
const inspectIsolation = async (settings: WineSettings): Promise<IsolationFacts> => {
  // Not in the agent's folder: this inspects the machine, and changes nothing there.
  const folder = await mkdtemp(join(tmpdir(), 'berth-doctor-'));
  try {
    const files = await writeBoxFiles(folder, settings);
    return await describeIsolation({ wanted: settings.isolation, files, shared: toWineMounts(settings) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Of Yama; undefined where the kernel has none. */
const findPtraceScope = async (): Promise<number | undefined> => {
  const text = await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '');
  return /^\d/.test(text) ? Number(text) : undefined;
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
