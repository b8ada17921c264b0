import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sleep } from './timing.ts';

/** Linux' statistics of a living process. Ticks are hundredths of a second. */
export interface ProcessStat {
  /** A letter: `R` running, `S` sleeping, `D` waiting for a disk, `T` stopped. */
  state: string;
  parentPid: number;
  /** CPU time so far, of the process alone. */
  cpuTicks: number;
  /** CPU time of children that have ended and were waited for. */
  endedChildrenCpuTicks: number;
  /** When it started, since boot, as the kernel writes it. */
  startTicks: string;
}

/**
 * Reads `/proc/<pid>/stat`; undefined when there is no such process, when it is a zombie, or on a system without /proc.
 * A process whose first thread has ended looks like a zombie, but lives, and holds its files and sockets, until its last
 * thread has ended.
 */
export const findProcessStat = (pid: number): ProcessStat | undefined => {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The second field is the program's name in brackets and may contain spaces and brackets; fields are counted from
  // after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const toNumber = (index: number) => Number(fields[index]);
  const [state = '', parent] = fields;
  const threads = toNumber(17);
  if (state === 'X' || (state === 'Z' && threads <= 1)) return undefined;
  return {
    state,
    parentPid: Number(parent),
    cpuTicks: toNumber(11) + toNumber(12),
    endedChildrenCpuTicks: toNumber(13) + toNumber(14),
    startTicks: fields[19] ?? '',
  };
};

/**
 * Identifies one process for ever: a PID is reused, a PID with its start time is not. Both parts are safe in a file
 * name.
 */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** An identity as a single word, for storage. Pure. */
export const toProcessWord = ({ pid, startedAt }: ProcessIdentity): string => `${pid}:${startedAt}`;

/** The identity in the word; undefined for an invalid one. Pure. */
export const toProcessIdentity = (word: string): ProcessIdentity | undefined => {
  const [, pid, startedAt = ''] = /^(\d+):([\w-]+)$/.exec(word) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startedAt };
};

/** One step of ending a process: the signal, and how long to wait before the next step. */
export type EndingStep = readonly [signal: NodeJS.Signals, waitMs: number];

const POLL_MS = 10;

/** The identity of a living process; undefined when there is none with that PID (a zombie counts as none). */
export const findProcess = (pid: number): ProcessIdentity | undefined => {
  const startedAt = process.platform === 'linux' ? findLinuxStart(pid) : findStart(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
};

export const isProcessAlive = ({ pid, startedAt }: ProcessIdentity): boolean =>
  findProcess(pid)?.startedAt === startedAt;

/** Signals a process until it has ended, step by step. Throws when it outlives the last step. */
export const endProcess = async (identity: ProcessIdentity, steps: readonly EndingStep[]): Promise<void> => {
  for (const [signal, waitMs] of steps) {
    if (!isProcessAlive(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = performance.now() + waitMs;
    while (isProcessAlive(identity) && performance.now() < deadline) await sleep(POLL_MS);
  }
  if (isProcessAlive(identity)) throw new Error(`process ${identity.pid} does not end`);
};

/** Ticks since boot restart at every boot, so the boot's id is part of the start time. */
const findLinuxStart = (pid: number): string | undefined => {
  const stat = findProcessStat(pid);
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return stat && `${bootId}-${stat.startTicks}`;
  } catch {
    return undefined;
  }
};

/** Constant for the lifetime of this process. */
let bootId: string | undefined;

const findStart = (pid: number): string | undefined => {
  try {
    const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' };
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : start.join('-').replace(/:/g, '');
  } catch {
    return undefined;
  }
};
