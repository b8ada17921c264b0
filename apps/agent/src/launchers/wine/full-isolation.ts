import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { ProcessLoad } from '../launcher.ts';
import { describeIsolation } from './isolation/capabilities.ts';
import { toBoxCommand, type BoxPlan } from './isolation/box-command.ts';
import { toBoxFiles, writeBoxFiles, writeNetworkFiles, type BoxFiles } from './isolation/box-files.ts';
import { createBoxUsers, type BoxUsers } from './isolation/box-users.ts';
import type { ControlGroup } from './isolation/control-group.ts';
import { findControlGroups, type ControlGroups } from './isolation/control-groups.ts';
import { MARKED_FOLDER } from './box-walk.ts';
import type { BoxPaths } from './box-paths.ts';
import { runTool } from './host-tools.ts';
import { RUN_FILES } from './keeper.ts';
import { toWindowsFolder } from './prefix.ts';
import type { WineSettings } from './settings.ts';
import type { BoxContent, Isolation } from './isolation.ts';

const MEBIBYTE = 1024 * 1024;
/** `windows/temp` of a terminal: in memory, deleted with the box. */
const TEMPORARY_BYTES = 64 * MEBIBYTE;
/** Wine's server holds a descriptor for each object of the terminal. */
const OPEN_FILES = 8192;

/**
 * As root, a box's user must reach folders inside the agent's own, which is closed to it. They are mounted in a mount
 * namespace of the box alone, below a folder that contains none of them; it disappears with the box.
 */
const STAGE = `stage=$1
shift
mount -t tmpfs -o size=64k,mode=0755 none "$stage" || exit 70
while [ "$1" != -- ]; do
  { mkdir "$stage/$2" && mount --bind "$1" "$stage/$2"; } || exit 70
  shift 2
done
shift
exec "$@"
`;
const STAGES = ['/mnt', '/media', '/srv', '/opt'];

export interface FullIsolationOptions {
  settings: WineSettings;
  /** For the files that all boxes share; no box can write there. */
  folder: string;
  /** The register of the boxes' users; all agents of the machine share it. */
  usersFolder: string;
}

interface Shared {
  files: BoxFiles;
  groups: ControlGroups;
}

/** A separate user, control group, network and view of the machine for each box, as far as the agent's rights allow. */
export class FullIsolation implements Isolation {
  readonly level = 'full';
  readonly #options: FullIsolationOptions;
  readonly #users: BoxUsers | undefined;
  readonly #known = new Map<string, number>();
  #shared: Promise<Shared> | undefined;

  constructor(options: FullIsolationOptions) {
    this.#options = options;
    const { first, last } = options.settings.users;
    const isRoot = process.geteuid?.() === 0;
    this.#users = isRoot ? createBoxUsers({ folder: options.usersFolder, first, last }) : undefined;
  }

  async prepare({ folder }: BoxPaths): Promise<void> {
    const user = await this.#users?.claim(folder);
    if (user !== undefined) this.#known.set(folder, user);
  }

  async findUser({ folder }: BoxPaths): Promise<number | undefined> {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const user = await this.#users?.find(folder);
    if (user !== undefined) this.#known.set(folder, user);
    return user;
  }

  async toCommand(content: BoxContent): Promise<string[]> {
    const { paths } = content;
    const { files, groups } = await this.#getShared();
    await writeNetworkFiles(files, this.#options.settings);
    const user = await this.findUser(paths);
    const group = groups.open(toGroupName(paths));
    const { memoryBytes, processes, cpuPercent, diskBytes } = this.#options.settings.limits;
    await group.ensure({ memoryBytes, processes, cpuPercent });
    const places = toPlaces(content, files.folder);
    const stage = user === undefined ? undefined : toStage(Object.values(places));
    const reach = (name: keyof typeof places): string =>
      stage === undefined ? (places[name] ?? '') : join(stage, name);
    const plan: BoxPlan = {
      files: toBoxFiles(reach('files')),
      ...(user === undefined ? {} : { user }),
      joinFiles: group.joinFiles,
      hostPorts: this.#options.settings.hostPorts,
      limits: {
        fileSizeBytes: diskBytes,
        openFiles: OPEN_FILES,
        processes,
        ...(groups.kind === 'none' ? { dataBytes: memoryBytes } : {}),
      },
      allows32Bit: content.allows32Bit,
      mounts: this.#toMounts(content, reach),
      environment: content.environment,
      folder: content.inside.run,
      command: content.command,
    };
    const { file, args } = toBoxCommand(plan);
    if (stage === undefined) return [file, ...args];
    const hung = Object.entries(places).flatMap(([name, path]) => [path, name]);
    const own = ['unshare', '--mount', '--propagation', 'private', '--'];
    return [...own, '/bin/sh', '-c', STAGE, 'berth-box', stage, ...hung, '--', file, ...args];
  }

  async giveFiles(paths: BoxPaths): Promise<void> {
    const user = await this.findUser(paths);
    if (user === undefined) return;
    await runTool('chown', ['-hR', `${user}:${user}`, '--', paths.prefix, paths.run]);
  }

  async measure(paths: BoxPaths): Promise<ProcessLoad | undefined> {
    return (await this.#openGroup(paths)).measure();
  }

  async findObstacle(): Promise<string | undefined> {
    const { files } = await this.#getShared();
    const { blocking } = await describeIsolation({
      wanted: 'full',
      files,
      shared: toWineMounts(this.#options.settings),
    });
    return blocking.length > 0 ? blocking.join(' ') : undefined;
  }

  async clean(paths: BoxPaths): Promise<void> {
    const group = await this.#openGroup(paths);
    await group.kill();
    await group.remove();
  }

  async forget({ folder }: BoxPaths): Promise<void> {
    this.#known.delete(folder);
    await this.#users?.release(folder);
  }

  async #openGroup(paths: BoxPaths): Promise<ControlGroup> {
    const { groups } = await this.#getShared();
    return groups.open(toGroupName(paths));
  }

  async #getShared(): Promise<Shared> {
    const { folder, settings } = this.#options;
    const write = async (): Promise<Shared> => ({
      files: await writeBoxFiles(folder, settings),
      groups: await findControlGroups(),
    });
    this.#shared ??= write();
    try {
      return await this.#shared;
    } catch (error) {
      this.#shared = undefined;
      throw error;
    }
  }

  #toMounts({ inside, base }: BoxContent, reach: (name: 'prefix' | 'run' | 'windows') => string): BoxPlan['mounts'] {
    const { width, height } = this.#options.settings.screen;
    const windows = toWindowsFolder(inside.prefix);
    return {
      read: toWineMounts(this.#options.settings),
      write: [
        { from: reach('run'), to: MARKED_FOLDER },
        { from: reach('prefix'), to: inside.prefix },
        { from: reach('run'), to: join(inside.prefix, 'drive_c', 'berth') },
      ],
      readOver: base === undefined ? [] : [{ from: reach('windows'), to: windows }],
      temporary: [
        ...(base === undefined ? [] : [{ to: join(windows, 'temp'), sizeBytes: TEMPORARY_BYTES }]),
        { to: join(inside.run, RUN_FILES.screen), sizeBytes: width * height * 4 + MEBIBYTE },
      ],
    };
  }
}

/** Pure. */
const isBelow = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
};

/** Wine's programs, where they are not among those of the system, which every box has. Pure. */
export const toWineMounts = ({ wineFolder }: WineSettings): BoxPlan['mounts']['read'] =>
  wineFolder === undefined || isBelow(wineFolder, '/usr') ? [] : [{ from: wineFolder, to: wineFolder }];

/** Pure. */
const toGroupName = ({ folder }: BoxPaths): string =>
  `box-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;

/** The host's folders that a box consists of. Pure. */
const toPlaces = ({ paths, base }: BoxContent, filesFolder: string): Record<string, string> => ({
  files: filesFolder,
  prefix: paths.prefix,
  run: paths.run,
  ...(base === undefined ? {} : { windows: toWindowsFolder(join(base, 'prefix')) }),
});

/** Pure. */
const toStage = (places: readonly string[]): string => {
  const stage = STAGES.find((folder) => !places.some((place) => isBelow(place, folder)));
  if (stage === undefined) throw new Error(`None of ${STAGES.join(', ')} is free of the terminals' folders`);
  return stage;
};
