/**
 * Where on this machine a box's control groups can be made.
 *
 * As root: in `berth` at the top of each tree, so that the next agent finds them wherever it was started. As a plain
 * user: only in what the system has delegated to it (version 2; systemd's `Delegate=yes`). There the kernel wants
 * groups and processes in different folders, so the agent moves itself into `agent`, unless it is in such a leaf
 * already.
 */
import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { noControlGroup, openControlGroup, type ControlGroup, type ControlGroupRoots } from './control-group.ts';

export interface ControlGroups {
  readonly kind: 'v1' | 'v2' | 'none';
  /** Why there are none, and what to do about it. */
  readonly obstacle?: string;
  open(name: string): ControlGroup;
}

const FOLDER = 'berth';
const LEAF = 'agent';
const controllers = ['memory', 'pids', 'cpu'] as const;

interface MountedTree {
  folder: string;
  version: 1 | 2;
  options: string[];
}

/** Of `/proc/self/mountinfo`: the mount point is the fifth word; kind and options follow a hyphen. */
export const toMountedTrees = (text: string): MountedTree[] =>
  text.split('\n').flatMap((line): MountedTree[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , folder = ''] = before.split(' ');
    const [kind, , options = ''] = after.split(' ');
    if (kind !== 'cgroup' && kind !== 'cgroup2') return [];
    return [{ folder, version: kind === 'cgroup' ? 1 : 2, options: options.split(',') }];
  });

const canWrite = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

const none = (obstacle: string): ControlGroups => ({ kind: 'none', obstacle, open: () => noControlGroup });
const found = (roots: ControlGroupRoots): ControlGroups => ({
  kind: roots.version === 1 ? 'v1' : 'v2',
  open: (name) => openControlGroup(roots, name),
});

const listWords = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).trim().split(/\s+/);

/** Enables limits for groups below the folder. False where the kernel or another program does not allow it. */
const canPassOn = async (folder: string): Promise<boolean> => {
  const missing = async () => {
    const passed = await listWords(join(folder, 'cgroup.subtree_control'));
    return controllers.filter((name) => !passed.includes(name));
  };
  for (const name of await missing()) {
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${name}`).catch(() => undefined);
  }
  return (await missing()).length === 0;
};

const findVersion1 = async (trees: readonly MountedTree[]): Promise<ControlGroupRoots | undefined> => {
  const findFolder = (name: string) =>
    trees.find(({ version, options }) => version === 1 && options.includes(name))?.folder;
  const [memory, pids, cpu, cpuacct] = ['memory', 'pids', 'cpu', 'cpuacct'].map(findFolder);
  if (memory === undefined || pids === undefined || cpu === undefined || cpuacct === undefined) return undefined;
  const writable = await Promise.all([memory, pids, cpu, cpuacct].map(canWrite));
  if (writable.includes(false)) return undefined;
  const [ours, pidsOurs, cpuOurs, cpuacctOurs] = [memory, pids, cpu, cpuacct].map((folder) => join(folder, FOLDER)) as [
    string,
    string,
    string,
    string,
  ];
  return { version: 1, memory: ours, pids: pidsOurs, cpu: cpuOurs, cpuacct: cpuacctOurs };
};

const findRootsOfRoot = async (top: string): Promise<ControlGroupRoots | undefined> => {
  const folder = join(top, FOLDER);
  if (!(await canPassOn(top))) return undefined;
  await mkdir(folder, { recursive: true }).catch(() => undefined);
  return (await canPassOn(folder)) ? { version: 2, folder } : undefined;
};

const findDelegated = async (top: string): Promise<ControlGroupRoots | undefined> => {
  const text = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const own = /^0::(.+)$/m.exec(text)?.[1];
  if (own === undefined || own === '/') return undefined;
  const isLeaf = basename(own) === LEAF;
  const given = join(top, isLeaf ? dirname(own) : own);
  if (!(await canWrite(join(given, 'cgroup.procs'))) || !(await canWrite(given))) return undefined;
  if (!isLeaf) {
    await mkdir(join(given, LEAF), { recursive: true });
    await writeFile(join(given, LEAF, 'cgroup.procs'), '0');
  }
  return (await canPassOn(given)) ? { version: 2, folder: given } : undefined;
};

/** Finds them. Creates the parent folder of the groups, and nothing else. */
export const findControlGroups = async (): Promise<ControlGroups> => {
  const isRoot = process.getuid?.() === 0;
  const trees = toMountedTrees(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
  const top = trees.find(({ version }) => version === 2)?.folder;
  const hasLimits = top !== undefined && (await listWords(join(top, 'cgroup.controllers'))).includes('memory');
  if (top !== undefined && hasLimits) {
    const roots = await (isRoot ? findRootsOfRoot(top) : findDelegated(top)).catch(() => undefined);
    if (roots) return found(roots);
  }
  const roots = isRoot ? await findVersion1(trees) : undefined;
  if (roots) return found(roots);
  if (isRoot)
    return none('The kernel shows no control groups with memory, pids and cpu. Mount them, or boot with systemd.');
  return none(
    hasLimits
      ? 'No control groups are handed over to the agent. Run it as root, or as a systemd service with Delegate=yes.'
      : 'Control groups of version 1 are for root alone. Run the agent as root, so that boxes have limits of their own.',
  );
};
