import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { Batcher } from '@berth/kit';
import type { ProcessIdentity } from './launcher.ts';

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

/** The processes by their current folders; only those in folders that are asked for. */
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
 * Who looks for processes at the same time shares one walk through /proc: when all terminals of a host have died at once, a
 * walk for each would keep the agent from its heartbeats. A walk begins after the question that it answers.
 */
const walks = new Batcher<string, number[]>(
  async (folders) => {
    const byFolder = await findPidsIn(new Set(folders));
    return folders.map((folder) => byFolder.get(folder) ?? []);
  },
  { maxItems: Infinity },
);

/**
 * Processes whose current folder is the given one and whose command line holds the text. Processes of other users are not
 * seen.
 */
export const listProcessesIn = async (folder: string, commandText: string): Promise<ProcessIdentity[]> => {
  if (!hasProc) return [];
  const found = (await walks.add(folder)).map(async (pid): Promise<ProcessIdentity[]> => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes(commandText)) return [];
    const startTicks = findStartTicks(pid);
    return startTicks === undefined ? [] : [{ pid, startTicks, path: folder }];
  });
  return (await Promise.all(found)).flat();
};
