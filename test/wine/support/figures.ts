/** What the terminals of a host take, for docs/benchmarks.md. Nothing here is asserted: a machine is as busy as it is. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { sleep } from '@berth/kit';
import { listHostBoxes } from './host-boxes.ts';

const TICK_MS = 10;
const IDLE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // It has ended since it was listed.
    return '';
  }
};

/** The memory of a process, with its share of what it has in common with others. */
const toPssBytes = (pid: number): number =>
  1024 * Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

const toCpuMs = (pid: number): number => {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return TICK_MS * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Rows of a table: memory, disk, processes and the idle processor of the terminals, and of the agent beside them. */
export const measureTerminals = async (
  directory: string,
  agentPid: number,
): Promise<[what: string, figure: string][]> => {
  const boxes = (await listHostBoxes(directory)).map(({ folder, inside, outside }) => ({
    folder,
    pids: [...inside, ...outside].map(({ pid }) => pid),
  }));
  const pids = boxes.flatMap((box) => box.pids);
  const cpuBefore = new Map([...pids, agentPid].map((pid) => [pid, toCpuMs(pid)]));
  const beganAt = performance.now();
  await sleep(IDLE_MS);
  const toShare = (some: readonly number[]) => {
    const cpuMs = sum(some.map((pid) => Math.max(0, toCpuMs(pid) - (cpuBefore.get(pid) ?? 0))));
    return `${((100 * cpuMs) / (performance.now() - beganAt)).toFixed(1)} % of a processor`;
  };
  const memory = sum(pids.map(toPssBytes)) / boxes.length / MEGABYTE;
  const du = (folder: string) => Number(execFileSync('du', ['-s', '-B1', folder], { encoding: 'utf8' }).split('\t')[0]);
  const disk = sum(boxes.map(({ folder }) => du(folder))) / boxes.length / MEGABYTE;
  return [
    ['memory of each (PSS, all processes of its box)', `${memory.toFixed(0)} MB`],
    ['processes of each', (pids.length / boxes.length).toFixed(1)],
    ['disk of each', `${disk.toFixed(1)} MB`],
    [`idle for ${IDLE_MS / 1000} s, all ${boxes.length}`, toShare(pids)],
    ['the agent beside them, idle', `${toShare([agentPid])}, ${(toPssBytes(agentPid) / MEGABYTE).toFixed(0)} MB`],
  ];
};

/** As docs/benchmarks.md has it, with the machine's load before the first terminal came. */
export const toTable = (rows: readonly (readonly [string, string])[], loadBefore: number): string =>
  [
    `${cpus().length} processors, load ${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after.`,
    '',
    '| | |',
    '|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

/** Seconds that something takes, beside its result. */
export const withSeconds = async <Result>(act: () => Promise<Result>): Promise<{ result: Result; seconds: number }> => {
  const beganAt = performance.now();
  const result = await act();
  return { result, seconds: (performance.now() - beganAt) / 1000 };
};
