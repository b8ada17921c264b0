/**
 * What a terminal takes of its volume, measured from outside: the files of its folder, and the deleted ones that its
 * box still holds open, which keep their blocks but are in no folder.
 */
import { spawn } from 'node:child_process';
import { lstat, readdir, stat } from 'node:fs/promises';
import { toBoxPaths } from './box-paths.ts';
import { findLivingThread, listBoxProcesses, toMark } from './box-walk.ts';
import { TOOL_PATH } from './host-tools.ts';

/** Millions of files take long to count. Meanwhile no other terminal is measured. */
const MEASURE_MS = 300_000;
/** The number that is read comes first; a path of any length follows it. */
const MAX_COUNT_CHARACTERS = 64;
/** Of one box. Wine's server may have 8192, as may each of the few programs of a terminal, which have some hundred. */
const MAX_DESCRIPTORS = 65_536;
/** The unit of `st_blocks`, whatever the volume's own blocks are. */
const BLOCK_BYTES = 512n;

export interface DiskUse {
  bytes: number;
  /** Files, folders and links. */
  entries: number;
}

/**
 * `du` complains about folders it cannot enter and files that have just gone, and counts the rest. A box can make it
 * complain without end, so nobody listens.
 */
const runDu = (options: readonly string[], folder: string, signal?: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve) => {
    const du = spawn('nice', ['-n', '19', 'du', '-sx', ...options, '--', folder], {
      env: { PATH: TOOL_PATH, LC_ALL: 'C' },
      cwd: '/',
      timeout: MEASURE_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    const settle = (): void => {
      signal?.removeEventListener('abort', end);
      const [, count] = /^(\d+)\t/.exec(output) ?? [];
      resolve(count === undefined ? undefined : Number(count));
    };
    // Not by spawn's own signal: that resolves before the process is gone.
    const end = (): void => void du.kill('SIGKILL');
    du.once('error', settle);
    du.once('close', settle);
    du.stdout.setEncoding('latin1').on('data', (part: string) => {
      if (output.length < MAX_COUNT_CHARACTERS) output += part;
    });
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });

/**
 * What deleted files take that processes of the box hold open. Only files of the box's own user count: a base that was
 * replaced while boxes use it is not theirs.
 * @returns undefined where the box has too many descriptors to look at
 */
const measureDeleted = async (folder: string): Promise<DiskUse | undefined> => {
  const { run } = toBoxPaths(folder);
  const place = await lstat(run, { bigint: true }).catch(() => undefined);
  const use: DiskUse = { bytes: 0, entries: 0 };
  if (!place?.isDirectory()) return use;
  const { inside } = await listBoxProcesses(toMark(place));
  const counted = new Set<bigint>();
  let looks = 0;
  for (const { pid } of inside) {
    const descriptors = `${findLivingThread(pid) ?? `/proc/${pid}`}/fd`;
    for (const name of await readdir(descriptors).catch(() => [])) {
      looks += 1;
      if (looks > MAX_DESCRIPTORS) return undefined;
      const file = await stat(`${descriptors}/${name}`, { bigint: true }).catch(() => undefined);
      if (file?.nlink !== 0n || file.dev !== place.dev || file.uid !== place.uid || counted.has(file.ino)) continue;
      counted.add(file.ino);
      use.bytes += Number(file.blocks * BLOCK_BYTES);
      use.entries += 1;
    }
  }
  return use;
};

/** What the terminal with this folder takes; undefined where it could not be measured in time, or was aborted. */
export const measureDiskUse = async (folder: string, signal?: AbortSignal): Promise<DiskUse | undefined> => {
  const bytes = await runDu(['--block-size=1'], folder, signal);
  const entries = bytes === undefined ? undefined : await runDu(['--inodes'], folder, signal);
  if (bytes === undefined || entries === undefined) return undefined;
  // Last: a file that is deleted while du runs may count twice, but none escapes.
  const deleted = await measureDeleted(folder);
  return deleted && { bytes: bytes + deleted.bytes, entries: entries + deleted.entries };
};
