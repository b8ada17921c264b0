/**
 * One box's share of the machine, kept by the kernel: memory (with what lies in the box's temporary disks), processes, and
 * processor time. The group outlives the agent, and is found again by its name.
 *
 * Both versions of the kernel's interface are here. Version 2 has one folder for everything; version 1 has one in each
 * controller's tree, and no file that kills.
 */
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@berth/kit';
import { LauncherError } from '../../launcher.ts';
import { withLauncherErrors } from '../../process/launcher-errors.ts';

export interface ControlGroupLimits {
  memoryBytes: number;
  /** Threads count as processes. */
  processes: number;
  /** Of one processor; 200 is two. */
  cpuPercent: number;
}

export interface ControlGroup {
  /** A process that writes 0 into each of them is in the group, and so is whatever it starts. */
  readonly joinFiles: readonly string[];
  /** Makes the group where there is none, and sets its limits. */
  ensure(limits: ControlGroupLimits): Promise<void>;
  /** As the host numbers them. */
  listProcesses(): Promise<number[]>;
  /** What the group uses now, and has used of the processor since it was made; undefined where there is none. */
  measure(): Promise<{ memoryBytes: number; cpuMs: number } | undefined>;
  /** Ends all of them. Throws `stuck` when some do not end. */
  kill(): Promise<void>;
  /** Removes the group, in which nothing runs any more; nothing happens where there is none. */
  remove(): Promise<void>;
}

/** The folders in which groups are made; of version 1 by their controllers. */
export type ControlGroupRoots =
  { version: 2; folder: string } | { version: 1; memory: string; pids: string; cpu: string; cpuacct: string };

/** Over which time the processor's share is counted: short, so that a box at its limit still answers. */
const CPU_PERIOD_US = 100_000;
/** The kernel frees a killed process's memory before it is gone; a hanging disk can hold it for ever. */
const KILL_MS = 10_000;
const POLL_MS = 20;

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT' || error.code === 'ENODEV') return undefined;
  throw error;
};

const findText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(ignoreMissing);

/** A number on the line of that name: `inactive_file 4096`. */
const findField = (text: string | undefined, name: string): number | undefined => {
  const line = text?.split('\n').find((entry) => entry.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

const toQuota = (cpuPercent: number): number => Math.round((cpuPercent / 100) * CPU_PERIOD_US);

/** Kernels differ in what they have; the file system of groups says EACCES of a file that is not there. */
const missingSettings: readonly string[] = ['ENOENT', 'ENODEV', 'EACCES', 'EINVAL', 'EOPNOTSUPP'];

const setIfThere = (path: string, value: number): Promise<void> =>
  writeFile(path, String(value)).catch((error: NodeJS.ErrnoException) => {
    if (!missingSettings.includes(error.code ?? '')) throw error;
  });

/** What both versions do alike, given the folders, the limits' files, and how they are measured. */
abstract class Group implements ControlGroup {
  readonly joinFiles: readonly string[];
  protected readonly folders: readonly string[];

  constructor(folders: readonly string[]) {
    this.folders = [...new Set(folders)];
    this.joinFiles = this.folders.map((folder) => join(folder, 'cgroup.procs'));
  }

  ensure(limits: ControlGroupLimits): Promise<void> {
    return withLauncherErrors(async () => {
      for (const folder of this.folders) await mkdir(folder, { recursive: true });
      // The limit with swap may never be below the one without: before it when both grow, after it when both shrink.
      await this.#limitSwap(limits);
      for (const [path, value] of this.toSettings(limits)) await writeFile(path, String(value));
      await this.#limitSwap(limits);
    });
  }

  async listProcesses(): Promise<number[]> {
    const texts = await Promise.all(this.joinFiles.map(findText));
    const pids = texts.flatMap((text) => (text ?? '').split('\n').filter((line) => line !== ''));
    return [...new Set(pids.map(Number))];
  }

  async kill(): Promise<void> {
    // What cannot start another process can be ended one by one; `ensure` sets the limit anew.
    await this.stopForking();
    const deadline = performance.now() + KILL_MS;
    for (;;) {
      const left = await this.listProcesses();
      if (left.length === 0) return;
      for (const pid of left) this.#kill(pid);
      if (performance.now() > deadline) {
        throw new LauncherError('stuck', `Processes ${left.join(', ')} of a box do not end. Restart the host.`);
      }
      await sleep(POLL_MS);
    }
  }

  async remove(): Promise<void> {
    for (const folder of this.folders) await this.#removeFolder(folder);
  }

  abstract measure(): Promise<{ memoryBytes: number; cpuMs: number } | undefined>;
  protected abstract toSettings(limits: ControlGroupLimits): [path: string, value: string | number][];
  protected abstract toSwapSetting(limits: ControlGroupLimits): [path: string, value: number];
  protected abstract stopForking(): Promise<void>;

  /** Without swap the memory limit is the limit; where the kernel counts no swap, there is no such file. */
  async #limitSwap(limits: ControlGroupLimits): Promise<void> {
    const [path, value] = this.toSwapSetting(limits);
    await setIfThere(path, value);
  }

  /** What has been killed may take a moment to leave its group. */
  async #removeFolder(folder: string): Promise<void> {
    const deadline = performance.now() + KILL_MS;
    for (;;) {
      try {
        return await rmdir(folder);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EBUSY') return ignoreMissing(error as NodeJS.ErrnoException);
        if (performance.now() > deadline) {
          throw new LauncherError('stuck', `Something still runs in ${folder}. End it.`, { cause: error });
        }
      }
      await sleep(POLL_MS);
    }
  }

  /** The number was read just now, from the kernel's own list; 0 is a process that this one cannot see. */
  #kill(pid: number): void {
    if (pid <= 1) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

class GroupOfVersion1 extends Group {
  readonly #memory: string;
  readonly #pids: string;
  readonly #cpu: string;
  readonly #cpuacct: string;

  constructor(roots: Extract<ControlGroupRoots, { version: 1 }>, name: string) {
    const [memory, pids, cpu, cpuacct] = [roots.memory, roots.pids, roots.cpu, roots.cpuacct].map((root) =>
      join(root, name),
    ) as [string, string, string, string];
    super([memory, pids, cpu, cpuacct]);
    [this.#memory, this.#pids, this.#cpu, this.#cpuacct] = [memory, pids, cpu, cpuacct];
  }

  async measure(): Promise<{ memoryBytes: number; cpuMs: number } | undefined> {
    const [used, stat, cpu] = await Promise.all([
      findText(join(this.#memory, 'memory.usage_in_bytes')),
      findText(join(this.#memory, 'memory.stat')),
      findText(join(this.#cpuacct, 'cpuacct.usage')),
    ]);
    if (used === undefined || cpu === undefined) return undefined;
    // Files that were read once and may be forgotten at any time are not what the terminal needs.
    const memoryBytes = Math.max(0, Number(used) - (findField(stat, 'total_inactive_file') ?? 0));
    return { memoryBytes, cpuMs: Math.round(Number(cpu) / 1e6) };
  }

  protected toSettings(limits: ControlGroupLimits): [string, string | number][] {
    return [
      [join(this.#memory, 'memory.limit_in_bytes'), limits.memoryBytes],
      [join(this.#pids, 'pids.max'), limits.processes],
      [join(this.#cpu, 'cpu.cfs_period_us'), CPU_PERIOD_US],
      [join(this.#cpu, 'cpu.cfs_quota_us'), toQuota(limits.cpuPercent)],
    ];
  }

  protected toSwapSetting(limits: ControlGroupLimits): [string, number] {
    return [join(this.#memory, 'memory.memsw.limit_in_bytes'), limits.memoryBytes];
  }

  protected async stopForking(): Promise<void> {
    await setIfThere(join(this.#pids, 'pids.max'), 0);
  }
}

class GroupOfVersion2 extends Group {
  readonly #folder: string;

  constructor(root: string, name: string) {
    const folder = join(root, name);
    super([folder]);
    this.#folder = folder;
  }

  async measure(): Promise<{ memoryBytes: number; cpuMs: number } | undefined> {
    const [used, stat, cpu] = await Promise.all(
      ['memory.current', 'memory.stat', 'cpu.stat'].map((file) => findText(join(this.#folder, file))),
    );
    const cpuUs = findField(cpu, 'usage_usec');
    if (used === undefined || cpuUs === undefined) return undefined;
    const memoryBytes = Math.max(0, Number(used) - (findField(stat, 'inactive_file') ?? 0));
    return { memoryBytes, cpuMs: Math.round(cpuUs / 1000) };
  }

  protected toSettings(limits: ControlGroupLimits): [string, string | number][] {
    return [
      [join(this.#folder, 'memory.max'), limits.memoryBytes],
      [join(this.#folder, 'pids.max'), limits.processes],
      [join(this.#folder, 'cpu.max'), `${toQuota(limits.cpuPercent)} ${CPU_PERIOD_US}`],
    ];
  }

  protected toSwapSetting(): [string, number] {
    return [join(this.#folder, 'memory.swap.max'), 0];
  }

  protected async stopForking(): Promise<void> {
    await setIfThere(join(this.#folder, 'pids.max'), 0);
    // Since Linux 5.14; without it they are ended one by one.
    await setIfThere(join(this.#folder, 'cgroup.kill'), 1);
  }
}

/** A group by its name; nothing of it need exist yet. @param name of small letters, digits and hyphens */
export const openControlGroup = (roots: ControlGroupRoots, name: string): ControlGroup => {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${name} is no name of a control group`);
  return roots.version === 1 ? new GroupOfVersion1(roots, name) : new GroupOfVersion2(roots.folder, name);
};

/** Where there are no control groups: no limits, and nothing known. */
export const noControlGroup: ControlGroup = {
  joinFiles: [],
  ensure: async () => undefined,
  listProcesses: async () => [],
  measure: async () => undefined,
  kill: async () => undefined,
  remove: async () => undefined,
};
