import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { ProcessIdentity } from '../platforms/driver.ts';

/** Field 22 of /proc/<pid>/stat, counted behind the command's name, which may hold spaces and brackets. */
const START_TICKS_INDEX = 19;
const NO_PROC = 'unknown';

const hasProc = process.platform === 'linux';

const isAnswering = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * When a process started, in clock ticks since boot; undefined once it has ended (a zombie has ended). A PID is used again,
 * a PID with its start time is not. Systems without /proc know the PID only.
 */
export const findStartTicks = (pid: number): string | undefined => {
  if (!hasProc) return isAnswering(pid) ? NO_PROC : undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[START_TICKS_INDEX];
  } catch {
    return undefined;
  }
};

export const isSameProcess = ({ pid, startTicks }: ProcessIdentity): boolean => findStartTicks(pid) === startTicks;

/** Signals exactly this process; one that has ended is left alone. */
export const signalProcess = (identity: ProcessIdentity, signal: NodeJS.Signals): void => {
  if (!isSameProcess(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/**
 * Processes whose current folder is the given one and whose command line holds the text. Processes of other users are not
 * seen.
 */
export const listProcessesIn = async (folder: string, commandText: string): Promise<ProcessIdentity[]> => {
  if (!hasProc) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid): Promise<ProcessIdentity[]> => {
      try {
        if ((await readlink(`/proc/${pid}/cwd`)) !== folder) return [];
        if (!(await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(commandText)) return [];
      } catch {
        return [];
      }
      const startTicks = findStartTicks(pid);
      return startTicks === undefined ? [] : [{ pid, startTicks, path: folder }];
    }),
  );
  return found.flat();
};
