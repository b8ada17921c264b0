/**
 * One box's share of the machine, enforced by the kernel: memory (including the box's temporary disks), processes, and
 * CPU time. The group outlives the agent, and is found again by its name.
 *
 * Both versions of the kernel's interface are supported. Version 2 has one folder for everything; version 1 has one in
 * each controller's tree, and no file to kill all processes.
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
  /** A process that writes 0 into each of them joins the group, with everything it starts. */
  readonly joinFiles: readonly string[];
  /** Creates the group if it is missing, and sets its limits. */
  ensure(limits: ControlGroupLimits): Promise<void>;
  /** As the host numbers them. */
  listProcesses(): Promise<number[]>;
  /** The group's current memory, and its CPU time since it was created; undefined if there is no group. */
  measure(): Promise<{ memoryBytes: number; cpuMs: number } | undefined>;
  /** Ends all of them. Throws `stuck` when some do not end. */
  kill(): Promise<void>;
  /** Removes the group, in which nothing runs any more; does nothing where there is none. */
  remove(): Promise<void>;
}

/** The folders in which groups are made; of version 1 by their controllers. */
export type ControlGroupRoots =
  { version: 2; folder: string } | { version: 1; memory: string; pids: string; cpu: string; cpuacct: string };

/** The period over which the CPU share is enforced: short, so that a box at its limit still responds. */
const CPU_PERIOD_US = 100_000;
/** The kernel frees a killed process's memory before the process disappears; a hanging disk can delay that for ever. */
const KILL_MS = 10_000;
const POLL_MS = 20;

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT' || error.code === 'ENODEV') return undefined;
  throw error;
};

const findText = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(ignoreMissing);

/** The number on the line with this name: `inactive_file 4096`. */
const findField = (text: string | undefined, name: string): number | undefined => {
  const line = text?.split('\n').find((entry) => entry.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

const toQuota = (cpuPercent: number): number => Math.round((cpuPercent / 100) * CPU_PERIOD_US);

/** Kernels differ in the files they have; the cgroup file system answers EACCES for a missing file. */
const missingSettings: readonly string[] = ['ENOENT', 'ENODEV', 'EACCES', 'EINVAL', 'EOPNOTSUPP'];

const setIfThere = (path: string, value: number): Promise<void> =>
  writeFile(path, String(value)).catch((error: NodeJS.ErrnoException) => {
    if (!missingSettings.includes(error.code ?? '')) throw error;
  });

/** What both versions have in common, given the folders, the limits' files, and how to measure. */
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
      // The limit including swap may never be below the one without: it is set first when both grow, and last when both
      // shrink.
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
    // Processes that cannot fork can be killed one by one; `ensure` sets the limit again.
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

  /** Without swap, the memory limit is the total limit; where the kernel does not count swap, there is no such file. */
  async #limitSwap(limits: ControlGroupLimits): Promise<void> {
    const [path, value] = this.toSwapSetting(limits);
    await setIfThere(path, value);
  }

  /** A killed process may take a moment to leave its group. */
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

  /** The number was just read from the kernel's own list; 0 is a process that this one cannot see. */
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
    // The page cache of files that were read once is not what the terminal needs.
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
    // Since Linux 5.14; without it, processes are killed one by one.
    await setIfThere(join(this.#folder, 'cgroup.kill'), 1);
  }
}

/** A group by its name; it need not exist yet. @param name of lower-case letters, digits and hyphens */
export const openControlGroup = (roots: ControlGroupRoots, name: string): ControlGroup => {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${name} is no name of a control group`);
  return roots.version === 1 ? new GroupOfVersion1(roots, name) : new GroupOfVersion2(roots.folder, name);
};

/** Where there are no control groups: no limits, and no measurements. */
export const noControlGroup: ControlGroup = {
  joinFiles: [],
  ensure: async () => undefined,
  listProcesses: async () => [],
  measure: async () => undefined,
  kill: async () => undefined,
  remove: async () => undefined,
};
