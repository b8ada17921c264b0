/** What a terminal may leave on the host. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const listPids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** Processes that were started for a folder's boxes, or run in one: by their command lines, environments and mounts. */
export const listTracesOf = (folder: string): string[] => {
  const isOf = (pid: string) =>
    ['cmdline', 'environ', 'mountinfo'].some((file) => read(`/proc/${pid}/${file}`).includes(folder));
  return listPids()
    .filter((pid) => pid !== String(process.pid) && isOf(pid))
    .map((pid) => `${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 100)}`);
};

/** The control groups of a terminal's box. */
export const listControlGroups = (folder: string): string[] => {
  const name = `box-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  return ['', 'memory/', 'pids/', 'cpu/', 'cpuacct/', 'cpu,cpuacct/']
    .map((tree) => `/sys/fs/cgroup/${tree}berth/${name}`)
    .filter((path) => existsSync(path));
};

/** The socket of a screen on the host itself, by its inode: another program may take its number. @param display such as `:1` */
export const findScreenSocket = (display: string): number | undefined =>
  statSync(`/tmp/.X11-unix/X${display.slice(1)}`, { throwIfNoEntry: false })?.ino;

/** Mounts of the host itself, outside of any box. */
export const listMountsOf = (folder: string): string[] =>
  read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => line.includes(folder));

/** Users of the system that boxes of the launcher's folder have; none where the agent is not root. */
export const listClaimedUsers = (folder: string): string[] => {
  const register = join(folder, 'uids');
  return existsSync(register) ? readdirSync(register).filter((name) => /^\d+$/.test(name)) : [];
};
