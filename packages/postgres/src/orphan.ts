import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type EndingStep, endProcess, findProcess, type Logger, type ProcessIdentity } from '@berth/kit';
import type { EmbeddedLayout } from './layout.ts';

/** "Fast" shutdown with a checkpoint; then "immediate", which leaves the rest to crash recovery; then by force. */
export const ENDING_STEPS: readonly EndingStep[] = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Makes room for a new postmaster; the caller holds the data directory's lock. A killed server leaves its PostgreSQL
 * running (it is stopped here) and its PID files behind (PostgreSQL itself refuses to start when another process has
 * got such a PID in the meantime, which is common in containers).
 */
export const clearPredecessor = async (
  { clusterDir, socketDir }: Pick<EmbeddedLayout, 'clusterDir' | 'socketDir'>,
  log: Logger,
): Promise<void> => {
  const orphan = findPostmaster(clusterDir);
  if (orphan !== undefined) {
    log.warn({ pid: orphan.pid }, 'stopping the PostgreSQL that a killed server left running');
    await endProcess(orphan, ENDING_STEPS);
  }
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
  for (const name of readdirSync(socketDir)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(socketDir, name), { force: true });
  }
};

/** The living postmaster of this cluster, found through its PID file and distinguished from a reused PID. */
export const findPostmaster = (clusterDir: string): ProcessIdentity | undefined => {
  const pid = readPid(join(clusterDir, 'postmaster.pid'));
  const found = pid === undefined ? undefined : findProcess(pid);
  return found !== undefined && isPostmasterOf(found.pid, realpathSync(clusterDir)) ? found : undefined;
};

const readPid = (path: string): number | undefined => {
  try {
    const pid = Math.abs(Number.parseInt(readFileSync(path, 'utf8'), 10));
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
};

/** A postmaster's working directory is its cluster. */
const isPostmasterOf = (pid: number, clusterDir: string): boolean => {
  try {
    if (process.platform === 'linux') {
      const program = readFileSync(`/proc/${pid}/comm`, 'utf8');
      return program.startsWith('postgres') && readlinkSync(`/proc/${pid}/cwd`) === clusterDir;
    }
    const command = execFileSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(clusterDir);
  } catch {
    return false;
  }
};
