/** What a box sees of the machine. Pure: from a plan to the arguments of `bwrap` (0.8 and later). */

export interface Mount {
  /** Of the host; the box's user must be able to reach it. */
  from: string;
  to: string;
}

/** Later ones lie above earlier ones: read, write, readOver, temporary. */
export interface BoxMounts {
  read: readonly Mount[];
  write: readonly Mount[];
  /** Read-only, within what may be written: the base's `windows`. */
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

/** Who the terminal is, inside. The same in every box: nothing of the host's users is told. */
export const BOX_USER = { name: 'trader', id: 1000, home: '/home/trader' } as const;

/** The descriptor on which bubblewrap finds the filter of system calls. A shell can open no higher one. */
export const FILTER_DESCRIPTOR = 9;

const MIB = 1024 * 1024;

/** Memory that looks like a disk; each has its size, because what lies in it is charged to the box. */
const ownFolders = [
  // Wine's server has the shared memory of its programs here. It counts as the box's memory.
  { to: '/tmp', sizeBytes: 512 * MIB },
  { to: '/run', sizeBytes: 16 * MIB },
  { to: '/var/tmp', sizeBytes: 16 * MIB },
  { to: '/dev/shm', sizeBytes: 256 * MIB },
  { to: BOX_USER.home, sizeBytes: 16 * MIB },
];

/** Of the host's `/etc`: fonts, certificates, and where the libraries lie. No names, no secrets. */
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

/** Files that `writeBoxFiles` makes. */
const ownSettings = ['passwd', 'group', 'hosts', 'resolv.conf', 'nsswitch.conf', 'machine-id'];

const toTemporary = ({ to, sizeBytes }: { to: string; sizeBytes: number }): string[] => [
  ...['--perms', to === '/tmp' || to === '/var/tmp' || to === '/dev/shm' ? '1777' : '0755'],
  ...['--size', String(sizeBytes), '--tmpfs', to],
];

const isolation = [
  // Version 0.8 wants the user namespace by name, where it is to be the last one.
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
  // How many processors there are; Wine asks.
  ...['--ro-bind-try', '/sys/devices/system/cpu', '/sys/devices/system/cpu'],
  // What the host knows of its fonts: without it, the window manager reads all of them anew at every start.
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
  // The folders in which all this was hung up are no disk of the box.
  ...['--remount-ro', '/', '--remount-ro', '/dev'],
  ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ...['--chdir', folder, '--', ...command],
];
