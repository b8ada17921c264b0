import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess, isProcessAlive, type ProcessIdentity, sleep } from '@berth/kit';

/**
 * The lock of a data directory: one server at a time.
 *
 * Each contender creates an empty file that is named by its own identity (PID and start time), then lists the folder.
 * - Nobody else alive: the lock is held, for as long as the file and its process exist.
 * - Somebody else alive: remove the own file and try again shortly; after the last try the other one has the lock. Two
 *   holders are impossible: each created its file before it listed, so the later one to list saw the other. A crashed
 *   holder needs no cleanup: its file names a dead process, and since that identity never comes back, anyone may delete
 *   the file at any moment without a race. Processes are judged within one PID namespace: a data directory must not be
 *   shared by containers.
 */
const TRIES = 5;
/** Long enough for two that started together to drift apart, short enough for a clear refusal. */
const RETRY_MS = 40;

/** Takes the lock; returns how to release it. Throws when a living server holds it. */
export const lockDataDir = async (lockDir: string, dataDir: string): Promise<() => void> => {
  const self = findProcess(process.pid);
  if (self === undefined) throw new Error('cannot read the own process start time');
  mkdirSync(lockDir, { recursive: true, mode: 0o700 });
  const claim = join(lockDir, toFileName(self));
  let holder: ProcessIdentity | undefined;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await sleep(RETRY_MS * (1 + Math.random()));
    if (!createClaim(claim)) throw new Error(toRefusal(dataDir, process.pid));
    holder = findOther(lockDir, self);
    if (holder === undefined) return () => rmSync(claim, { force: true });
    rmSync(claim, { force: true });
  }
  throw new Error(toRefusal(dataDir, holder?.pid ?? 0));
};

/** False when this process already has the lock. */
const createClaim = (path: string): boolean => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

const findOther = (lockDir: string, self: ProcessIdentity): ProcessIdentity | undefined => {
  let found: ProcessIdentity | undefined;
  for (const name of readdirSync(lockDir)) {
    const other = toIdentity(name);
    if (other === undefined || name === toFileName(self)) continue;
    if (isProcessAlive(other)) found = other;
    else rmSync(join(lockDir, name), { force: true });
  }
  return found;
};

const toFileName = ({ pid, startedAt }: ProcessIdentity): string => `${pid}.${startedAt}`;

const toIdentity = (name: string): ProcessIdentity | undefined => {
  const [, pid, startedAt] = /^(\d+)\.(.+)$/.exec(name) ?? [];
  return pid !== undefined && startedAt !== undefined ? { pid: Number(pid), startedAt } : undefined;
};

const toRefusal = (dataDir: string, pid: number): string =>
  `The data directory ${dataDir} is in use by the server (or a backup or restoration) with process id ${pid}. ` +
  'Stop it first, or give this one its own place: BERTH_DATA_DIR (another folder) and BERTH_PORT (another port).';
