/** What a box sees of the machine. Pure: from a plan to the arguments of `bwrap` (0.8 and later). */

export interface Mount {
  /** A path of the host; the box's user must be able to reach it. */
  from: string;
  to: string;
}

/** Mounted in this order, later ones on top: read, write, readOver, temporary. */
export interface BoxMounts {
  read: readonly Mount[];
  write: readonly Mount[];
  /** Read-only, inside a writable folder: the base's `windows`. */
  readOver?: readonly Mount[];
  temporary: readonly { to: string; sizeBytes: number }[];
}

export interface BubblewrapPlan {
  /** The folder with the box's own files of `/etc`. */
  etc: string;
  mounts: BoxMounts;
  environment: Readonly<Record<string, string>>;
  /** The folder in which the command runs. */
  folder: string;
  command: readonly string[];
}

/** The terminal's user, inside. The same in every box: nothing about the host's users is disclosed. */
export const BOX_USER = { name: 'trader', id: 1000, home: '/home/trader' } as const;

/** The descriptor from which bubblewrap reads the filter of system calls. A shell cannot open a higher one. */
export const FILTER_DESCRIPTOR = 9;

const MIB = 1024 * 1024;

/** Memory that looks like a disk; each has a size, because its content is charged to the box. */
const ownFolders = [
  // Wine's server keeps its programs' shared memory here. It counts as the box's memory.
  { to: '/tmp', sizeBytes: 512 * MIB },
  { to: '/run', sizeBytes: 16 * MIB },
  { to: '/var/tmp', sizeBytes: 16 * MIB },
  { to: '/dev/shm', sizeBytes: 256 * MIB },
  { to: BOX_USER.home, sizeBytes: 16 * MIB },
];

/** From the host's `/etc`: fonts, certificates, and the library paths. No names, no secrets. */
const sharedSettings = [
  'fonts',
  'ssl/certs',
  'ca-certificates',
  'pki',
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'X11',
  'xdg',
];

/** Files that `writeBoxFiles` writes. */
const ownSettings = ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf', 'machine-id'];

const toTemporary = ({ to, sizeBytes }: { to: string; sizeBytes: number }): string[] => [
  ...['--perms', to === '/tmp' || to === '/var/tmp' || to === '/dev/shm' ? '1777' : '0755'],
  ...['--size', String(sizeBytes), '--tmpfs', to],
];

const isolation = [
  // Version 0.8 must be asked for the user namespace explicitly if nesting is to be disabled.
  ...['--unshare-user', '--disable-userns', '--unshare-all', '--share-net'],
  ...['--uid', String(BOX_USER.id), '--gid', String(BOX_USER.id), '--hostname', 'berth'],
  ...['--new-session', '--cap-drop', 'ALL', '--die-with-parent', '--clearenv'],
  ...['--seccomp', String(FILTER_DESCRIPTOR)],
];

const system = [
  ...['--ro-bind', '/usr', '/usr'],
  ...['bin', 'sbin', 'lib'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
  ...['lib32', 'lib64', 'libx32'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev'],
  // The number of processors; Wine reads it.
  ...['--ro-bind-try', '/sys/devices/system/cpu', '/sys/devices/system/cpu'],
  // The host's font cache: without it, the window manager reads all fonts again at every start.
  ...['--ro-bind-try', '/var/cache/fontconfig', '/var/cache/fontconfig'],
];

/** The arguments of `bwrap`, its own name first. */
export const toBubblewrapCommand = ({ etc, mounts, environment, folder, command }: BubblewrapPlan): string[] => [
  '/usr/bin/bwrap',
  ...isolation,
  ...system,
  ...sharedSettings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...ownSettings.flatMap((name) => ['--ro-bind', `${etc}/${name}`, `/etc/${name}`]),
  ...ownFolders.flatMap(toTemporary),
  ...mounts.read.flatMap(({ from, to }) => ['--ro-bind', from, to]),
  ...mounts.write.flatMap(({ from, to }) => ['--bind', from, to]),
  ...(mounts.readOver ?? []).flatMap(({ from, to }) => ['--ro-bind', from, to]),
  ...mounts.temporary.flatMap(toTemporary),
  // The parent folders of these mounts are not the box's to write.
  ...['--remount-ro', '/', '--remount-ro', '/dev'],
  ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ...['--chdir', folder, '--', ...command],
];
