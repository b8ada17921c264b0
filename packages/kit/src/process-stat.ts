import { readFileSync } from 'node:fs';

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
