import { readdir, readFile, readlink } from 'node:fs/promises';
import { Batcher, findProcess, type ProcessIdentity } from '@berth/kit';

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
