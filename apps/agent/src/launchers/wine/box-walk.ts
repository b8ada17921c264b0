/**
 * Which processes belong to which box, independent of anything that a box can change: a process is inside when the
 * folder `/berth` of its root is the box's own `run` folder, a mount that cannot be moved from there. Processes outside
 * that keep a box running have the box's mark in their command lines; all processes of a terminal without a box have it
 * in their environment.
 */
import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { Batcher, findProcess, findProcessStat, type ProcessIdentity } from '@berth/kit';
import { readUpTo } from './run-folder.ts';

/** Where every box has its `run` folder. */
export const MARKED_FOLDER = '/berth';
/** In the environment of everything in a box, and so in the command lines of what starts it. */
export const MARK_VARIABLE = 'BOX_MARK';

/** Of a command line or an environment; a malicious one may be megabytes long. */
const MAX_TEXT_BYTES = 128 * 1024;
const MAX_STATUS_BYTES = 16 * 1024;

export interface BoxedProcess extends ProcessIdentity {
  /** Its number inside, if it has a separate one; else that of the host. */
  innerPid: number;
  uid: number;
  /** The command line, up to a length; its parts may be padded. */
  command: string[];
}

export interface BoxProcesses {
  inside: BoxedProcess[];
  /** Processes that the box depends on: its network, its monitor, its starter. */
  outside: BoxedProcess[];
}

/** Pure. @param stats of the box's `run` folder */
export const toMark = ({ dev, ino }: { dev: bigint; ino: bigint }): string =>
  `box-${dev.toString(16)}-${ino.toString(16)}`;

/** @returns undefined where there is no such folder, and so nothing can run in it */
export const findMark = async (run: string): Promise<string | undefined> => {
  const stats = await lstat(run, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() ? toMark(stats) : undefined;
};

const findText = async (path: string, maxBytes: number): Promise<string> => {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    return (await readUpTo(file, maxBytes)).toString('latin1');
  } catch {
    return '';
  } finally {
    await file.close();
  }
};

const shared = Buffer.allocUnsafe(MAX_TEXT_BYTES);

/**
 * Like `findText`, for a process that is in no box. A machine has hundreds of them, and they are walked many times a
 * second: one after the other costs a tenth of reading all concurrently. Anything a box could block is never read in
 * this way.
 */
const findTextAtOnce = (path: string): string => {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    let length = 0;
    for (let count = -1; count !== 0 && length < MAX_TEXT_BYTES; length += count) {
      count = readSync(file, shared, length, MAX_TEXT_BYTES - length, null);
    }
    return shared.toString('latin1', 0, length);
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

const describe = async (pid: number, command: string): Promise<BoxedProcess | undefined> => {
  const status = await findText(`/proc/${pid}/status`, MAX_STATUS_BYTES);
  const identity = findProcess(pid);
  const [, uid] = /^Uid:\t(\d+)/m.exec(status) ?? [];
  const [, inner] = /^NSpid:.*\t(\d+)$/m.exec(status) ?? [];
  if (!identity || uid === undefined) return undefined;
  const parts = command.split('\0').filter((part) => part !== '');
  return { ...identity, uid: Number(uid), innerPid: Number(inner ?? pid), command: parts };
};

const findMarkInText = (text: string, marks: ReadonlySet<string>): string | undefined => {
  const [found] = /\bbox-[\da-f]+-[\da-f]+\b/.exec(text) ?? [];
  return found !== undefined && marks.has(found) ? found : undefined;
};

/** @param place the folder of a process in /proc */
const findRootMark = (place: string): string | undefined => {
  try {
    const stats = lstatSync(`${place}/root${MARKED_FOLDER}`, { bigint: true, throwIfNoEntry: false });
    return stats && toMark(stats);
  } catch {
    return undefined;
  }
};

const toPlace = (pid: number): string => `/proc/${pid}`;

/**
 * The folder in /proc of another thread, of a process whose first one has ended: it lives, and holds its files, but its
 * own folder says nothing any more.
 */
export const findLivingThread = (pid: number): string | undefined => {
  if (findProcessStat(pid)?.state !== 'Z') return undefined;
  const threads = `${toPlace(pid)}/task`;
  try {
    const living = readdirSync(threads).find((name) => name !== String(pid));
    return living && `${threads}/${living}`;
  } catch {
    return undefined;
  }
};

interface Look {
  marks: ReadonlySet<string>;
  /** For a folder that happens to have this name on the host itself. */
  own: string | undefined;
}

/** @returns the box that the process belongs to, if it is one of the requested ones */
const look = async (
  pid: number,
  { marks, own }: Look,
  place = toPlace(pid),
): Promise<{ mark: string; part: keyof BoxProcesses; found: BoxedProcess } | undefined> => {
  const root = findRootMark(place);
  const inside = root === own ? undefined : root;
  if (inside !== undefined && !marks.has(inside)) return undefined;
  const environment = inside === undefined ? findTextAtOnce(`${place}/environ`) : '';
  const command =
    inside === undefined ? findTextAtOnce(`${place}/cmdline`) : await findText(`${place}/cmdline`, MAX_TEXT_BYTES);
  const thread = command === '' && place === toPlace(pid) ? findLivingThread(pid) : undefined;
  if (thread !== undefined) return look(pid, { marks, own }, thread);
  const mark = inside ?? findMarkInText(environment, marks) ?? findMarkInText(command, marks);
  const found = mark === undefined ? undefined : await describe(pid, command);
  if (!found || mark === undefined) return undefined;
  const isInside = inside !== undefined || findMarkInText(environment, marks) !== undefined;
  return { mark, part: isInside ? 'inside' : 'outside', found };
};

const walk = async (marks: ReadonlySet<string>): Promise<Map<string, BoxProcesses>> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const own = findRootMark('/proc/self');
  const byMark = new Map<string, BoxProcesses>();
  const seen = await Promise.all(pids.map((pid) => look(pid, { marks, own })));
  for (const item of seen) {
    if (!item) continue;
    const box = byMark.get(item.mark) ?? { inside: [], outside: [] };
    box[item.part].push(item.found);
    byMark.set(item.mark, box);
  }
  return byMark;
};

/** Concurrent lookups share one walk, which starts after the requests that it answers. */
const walks = new Batcher<string, BoxProcesses>(
  async (marks) => {
    const byMark = await walk(new Set(marks));
    return marks.map((mark) => byMark.get(mark) ?? { inside: [], outside: [] });
  },
  { maxItems: Infinity },
);

/** All processes of a box, oldest first. */
export const listBoxProcesses = async (mark: string): Promise<BoxProcesses> => {
  const { inside, outside } = await walks.add(mark);
  const byAge = (one: BoxedProcess, other: BoxedProcess) => toTicks(one) - toTicks(other);
  return { inside: inside.sort(byAge), outside: outside.sort(byAge) };
};

const toTicks = ({ startedAt }: ProcessIdentity): number => Number(startedAt.split('-')[1]);
