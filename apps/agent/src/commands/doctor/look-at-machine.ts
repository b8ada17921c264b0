import { access, constants, copyFile, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiskFacts, HostFacts } from './host-facts.ts';

const findText = async (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

const isAllowed = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The operating system, and the current user. */
export const lookAtSystem = async (): Promise<HostFacts['system']> => {
  const [, name = process.platform] = /^PRETTY_NAME="?([^"\n]*)/m.exec((await findText('/etc/os-release')) ?? '') ?? [];
  return { platform: process.platform, name, kernel: release(), isRoot: process.getuid?.() === 0 };
};

/** The features of the processor. */
export const lookAtProcessor = async (): Promise<HostFacts['processor']> => {
  const flags = /^flags\s*:(.*)$/m.exec((await findText('/proc/cpuinfo')) ?? '')?.[1] ?? '';
  const model = cpus()[0]?.model.trim() ?? '';
  return {
    architecture: process.arch,
    model: model === '' || model === 'unknown' ? 'unnamed processor' : model,
    cores: availableParallelism(),
    hasAvx2: flags.split(' ').includes('avx2'),
  };
};

/** How much memory there is, and how much of it the agent may use. */
export const lookAtMemory = async (): Promise<HostFacts['memory']> => {
  const meminfo = (await findText('/proc/meminfo')) ?? '';
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(meminfo)?.[1];
  // 0, or a number beyond all memory, where there is no limit.
  const limitBytes = process.constrainedMemory();
  const totalBytes = totalmem();
  const isLimited = limitBytes > 0 && limitBytes < totalBytes;
  return { totalBytes, availableBytes: Number(available ?? 0) * 1024, limitBytes: isLimited ? limitBytes : undefined };
};

const findExistingFolder = async (path: string): Promise<string> =>
  (await isAllowed(path, constants.F_OK)) || dirname(path) === path ? path : findExistingFolder(dirname(path));

const hasReflink = async (folder: string): Promise<boolean> => {
  const draft = await mkdtemp(join(folder, '.berth-doctor-'));
  try {
    await writeFile(join(draft, 'one'), 'one');
    await copyFile(join(draft, 'one'), join(draft, 'two'), constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** @param directory of the agent; it need not exist yet */
export const lookAtDisk = async (directory: string): Promise<DiskFacts> => {
  const folder = await findExistingFolder(directory);
  const isWritable = await isAllowed(folder, constants.W_OK);
  const space = await statfs(folder).catch(() => undefined);
  return {
    folder,
    freeBytes: space && space.bavail * space.bsize,
    isWritable,
    hasReflink: isWritable && (await hasReflink(folder).catch(() => false)),
  };
};
