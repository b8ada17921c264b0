import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findProcessStat } from './process-stat.ts';
import { sleep } from './timing.ts';

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
