/** The processes of one instance, found from outside through the system (Linux only). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProcessStat } from '@berth/kit';

export type StackRole = 'server' | 'agent' | 'trading server' | 'terminal' | 'setup' | 'PostgreSQL';

export interface StackProcess {
  pid: number;
  /** Together with the PID it identifies a process for ever: a PID is reused, a PID with its start time is not. */
  startTicks: string;
  role: StackRole;
  /** Its current folder; a terminal's is its installation. */
  folder: string;
}

const PROGRAMS: readonly (readonly [RegExp, StackRole])[] = [
  [/\/server\/dist\/main\.js$/, 'server'],
  [/\/agent\/dist\/main\.js$/, 'agent'],
  [/\/trading-server-main\.js$/, 'trading server'],
  [/\/terminal-main\.js$/, 'terminal'],
  [/\/setup-main\.js$/, 'setup'],
];

/** The environment contains the data directory for all but PostgreSQL, whose folder is its cluster. */
const findRole = (dataDir: string, clusterDir: string | undefined, pid: string): StackRole | undefined => {
  if (readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('postgres')) {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir ? 'PostgreSQL' : undefined;
  }
  const [, program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const role = PROGRAMS.find(([pattern]) => pattern.test(program))?.[1];
  if (role === undefined) return undefined;
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const isNamed = environment.some((line) => line.startsWith('BERTH_') && `${line}/`.includes(`=${dataDir}/`));
  // A server without an explicit data directory uses the one of its checkout.
  const isDefault = role === 'server' && program.startsWith(join(dirname(dataDir), 'apps/'));
  const isOurs = isNamed || (isDefault && !environment.some((line) => line.startsWith('BERTH_DATA_DIR=')));
  return isOurs ? role : undefined;
};

const describeProcess = (dataDir: string, clusterDir: string | undefined, pid: string): StackProcess[] => {
  try {
    const role = findRole(dataDir, clusterDir, pid);
    const stat = findProcessStat(Number(pid));
    if (role === undefined || !stat) return [];
    return [{ pid: Number(pid), startTicks: stat.startTicks, role, folder: readlinkSync(`/proc/${pid}/cwd`) }];
  } catch {
    // It ended in the meantime.
    return [];
  }
};

/**
 * The folder of the embedded PostgreSQL's cluster; undefined where there is none. As root that is outside the data
 * directory.
 */
const findClusterDir = (dataDir: string): string | undefined => {
  const link = join(dataDir, 'postgres');
  try {
    return join(readlinkSync(link), 'cluster');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL' ? join(link, 'cluster') : undefined;
  }
};

/** Every living process of the instance in this data directory (an absolute path without links). */
export const listStackProcesses = (dataDir: string, ...roles: StackRole[]): StackProcess[] => {
  const clusterDir = findClusterDir(dataDir);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => describeProcess(dataDir, clusterDir, pid))
    .filter(({ role }) => roles.length === 0 || roles.includes(role));
};

/** The postmaster's PID and socket folder, according to its PID file; undefined while it is down or starting. */
export const findPostmaster = (dataDir: string): { pid: number; socketDir: string } | undefined => {
  const clusterDir = findClusterDir(dataDir);
  if (clusterDir === undefined) return undefined;
  try {
    const [pid, , , , socketDir] = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
    return pid && socketDir ? { pid: Number(pid), socketDir } : undefined;
  } catch {
    return undefined;
  }
};

/** The living processes that this one started itself. */
export const listChildren = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => findProcessStat(pid)?.parentPid === parent);
