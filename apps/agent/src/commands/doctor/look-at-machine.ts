import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { access, constants, copyFile, mkdtemp, readFile, rm, statfs, writeFile, readdir } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { findWinePrograms } from '../../launchers/wine/wine-programs.ts';
import type { DiskFacts, HostFacts, WineFacts } from './host-facts.ts';
import { findToolOutput } from './tools.ts';

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

/** Enough to know that text can be drawn. */
const MAX_FONT_FOLDERS = 200;

/** The installed Wine. @param folder where it is, if configured */
export const lookAtWine = async (folder: string | undefined): Promise<WineFacts> => {
  const programs = await findWinePrograms(folder);
  if (!programs) return { loader: undefined, versionText: undefined, has32Bit: false };
  const { loader64, loader32 } = programs;
  return {
    loader: loader64,
    versionText: await findToolOutput(loader64, ['--version']),
    has32Bit: loader32 !== undefined,
  };
};

/** How many font files the system has. */
export const countFonts = async (folder = '/usr/share/fonts'): Promise<number> => {
  const folders = [folder];
  let count = 0;
  for (let visited = 0; visited < MAX_FONT_FOLDERS; visited += 1) {
    const next = folders.pop();
    if (next === undefined) break;
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (/\.(ttf|otf|ttc|pfb|t1|pcf(\.gz)?)$/i.test(entry.name)) count += 1;
    }
  }
  return count;
};

/** Whether the program that operates a terminal's dialogs exists, and matches its checksum. */
export const lookAtWindowProgram = async (folder: string): Promise<HostFacts['windowProgram']> => {
  const path = join(folder, 'berth-window.exe');
  const content = await readFile(path).catch(() => undefined);
  const expected = await readFile(`${path}.sha256`, 'utf8').catch(() => undefined);
  if (!content || expected === undefined) return 'missing';
  return expected.startsWith(createHash('sha256').update(content).digest('hex')) ? 'fine' : 'changed';
};
