import { readdir, readFile, readlink } from 'node:fs/promises';
import { Batcher, findProcess, type ProcessIdentity, findProcessStat } from '@berth/kit';
import type { ProcessLoad } from '../launcher.ts';

const hasProc = process.platform === 'linux';

/** The processes by their current folder; only those in the requested folders. */
const findPidsIn = async (folders: ReadonlySet<string>): Promise<Map<string, number[]>> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const byFolder = new Map<string, number[]>();
  const look = async (pid: number) => {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    if (folder !== undefined && folders.has(folder)) byFolder.set(folder, [...(byFolder.get(folder) ?? []), pid]);
  };
  await Promise.all(pids.map(look));
  return byFolder;
};

/**
 * Concurrent lookups share one walk through /proc: when all terminals of a host have died at once, a walk for each
 * would keep the agent from its heartbeats. A walk starts after the requests that it answers.
 */
const walks = new Batcher<string, number[]>(
  async (folders) => {
    const byFolder = await findPidsIn(new Set(folders));
    return folders.map((folder) => byFolder.get(folder) ?? []);
  },
  { maxItems: Infinity },
);

/**
 * Processes whose current folder is the given one and whose command line contains the text. Other users' processes are
 * not visible.
 */
export const listProcessesIn = async (folder: string, commandText: string): Promise<ProcessIdentity[]> => {
  if (!hasProc) return [];
  const found = (await walks.add(folder)).map(async (pid): Promise<ProcessIdentity[]> => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes(commandText)) return [];
    const identity = findProcess(pid);
    return identity ? [identity] : [];
  });
  return (await Promise.all(found)).flat();
};

/** Linux reports CPU time to programs in hundredths of a second, whatever the kernel's own clock is. */
const TICK_MS = 10;
const KIBIBYTE = 1024;

const findKibibytes = (text: string, name: string): number | undefined => {
  const [, digits] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * The process's own memory, with its share of memory it shares with others; where the kernel does not report that,
 * everything it has in memory.
 */
const findMemoryBytes = async (pid: number): Promise<number> => {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const shared = findKibibytes(rollup, 'Pss');
  if (shared !== undefined) return shared * KIBIBYTE;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (findKibibytes(status, 'VmRSS') ?? 0) * KIBIBYTE;
};

/**
 * The total of these processes of this host; undefined where there are none, or no /proc. Those that end in the
 * meantime are left out.
 */
export const measureProcesses = async (pids: readonly number[]): Promise<ProcessLoad | undefined> => {
  const loads = await Promise.all(
    pids.map(async (pid) => {
      const stat = findProcessStat(pid);
      return stat && { memoryBytes: await findMemoryBytes(pid), cpuTicks: stat.cpuTicks + stat.endedChildrenCpuTicks };
    }),
  );
  const alive = loads.filter((load) => load !== undefined);
  if (alive.length === 0) return undefined;
  return {
    memoryBytes: alive.reduce((sum, load) => sum + load.memoryBytes, 0),
    cpuMs: alive.reduce((sum, load) => sum + load.cpuTicks, 0) * TICK_MS,
  };
};
