/** What the system knows of a process (Linux). */
import { readFileSync } from 'node:fs';
import { findProcessStat, type ProcessStat } from '@berth/kit';
import { listChildren } from '@berth/testing/bench';

const TICKS_PER_SECOND = 100;

const readStat = (pid: number): ProcessStat => {
  const stat = findProcessStat(pid);
  if (!stat) throw new Error(`Process ${pid} has ended.`);
  return stat;
};

/** Seconds of processor time so far, without children. */
export const readCpuSeconds = (pid: number): number => readStat(pid).cpuTicks / TICKS_PER_SECOND;

export const readResidentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;

/** The seconds of a PostgreSQL: its parent process, what lives below it, and what ended there. */
export const readTreeCpuSeconds = (parent: number): number => {
  const ended = readStat(parent).endedChildrenCpuTicks / TICKS_PER_SECOND;
  return listChildren(parent).reduce((sum, pid) => sum + readCpuSeconds(pid), readCpuSeconds(parent) + ended);
};

/** Open files that a process needs besides its hosts' sockets. */
const OTHER_FILES = 200;

/** As many of the hosts as have sockets within the system's limit of open files per process. */
export const countFitting = (hosts: number, socketsPerHost: number): number => {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  const allowed = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.min(hosts, Math.floor((allowed - OTHER_FILES) / socketsPerHost));
};
