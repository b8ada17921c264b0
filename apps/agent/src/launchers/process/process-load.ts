import { readFile } from 'node:fs/promises';
import { findProcessStat } from '@berth/kit';
import type { ProcessLoad } from '../launcher.ts';

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
