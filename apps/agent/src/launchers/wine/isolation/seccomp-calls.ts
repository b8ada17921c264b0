/**
 * The system calls that a box may not make. Wine and MetaTrader run without all of them; each is a way into the kernel
 * that has been used to escape from boxes before, or that a box has no use for. A call is refused with the error that a
 * program expects where the call is not permitted (EPERM) or not implemented (ENOSYS), so that it continues by other
 * means.
 */

/** Numbers of one call; null where the architecture has no such call. */
export type CallNumbers = readonly [x86_64: number | null, i386: number | null];

/** Not permitted: EPERM. */
export const forbiddenCalls: Readonly<Record<string, CallNumbers>> = {
  // The view of the file system is fixed before the box starts.
  mount: [165, 21],
  umount: [null, 22],
  umount2: [166, 52],
  pivot_root: [155, 217],
  chroot: [161, 61],
  quotactl: [179, 131],
  quotactl_fd: [443, 443],
  acct: [163, 51],
  fanotify_init: [300, 338],
  // Opens files by handle, regardless of mounts.
  open_by_handle_at: [304, 342],
  // New namespaces give unprivileged access to most of the kernel's privileged code.
  unshare: [272, 310],
  setns: [308, 346],
  // The kernel's own programs, measurements and keys, which are not separated by box.
  bpf: [321, 357],
  perf_event_open: [298, 336],
  userfaultfd: [323, 374],
  add_key: [248, 286],
  request_key: [249, 287],
  keyctl: [250, 288],
  // A second entry to many calls, which filters cannot see.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // The machine itself.
  init_module: [175, 128],
  finit_module: [313, 350],
  delete_module: [176, 129],
  kexec_load: [246, 283],
  kexec_file_load: [320, null],
  reboot: [169, 88],
  swapon: [167, 87],
  swapoff: [168, 115],
  iopl: [172, 110],
  ioperm: [173, 101],
  vm86: [null, 166],
  vm86old: [null, 113],
  syslog: [103, 103],
  settimeofday: [164, 79],
  stime: [null, 25],
  clock_settime: [227, 264],
  clock_settime64: [null, 404],
  adjtimex: [159, 124],
  clock_adjtime: [305, 343],
  clock_adjtime64: [null, 405],
  sethostname: [170, 74],
  setdomainname: [171, 121],
  vhangup: [153, 111],
  // Memory placement affects everybody on the machine.
  mbind: [237, 274],
  set_mempolicy: [238, 276],
  set_mempolicy_home_node: [450, 450],
  migrate_pages: [256, 294],
  move_pages: [279, 317],
  kcmp: [312, 349],
};

/** Not implemented: ENOSYS, so that libraries use the older call, which can be inspected. */
export const absentCalls: Readonly<Record<string, CallNumbers>> = {
  // Its flags are in memory, where a filter cannot see them; clone is its older form.
  clone3: [435, 435],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  memfd_secret: [447, 447],
  lookup_dcookie: [212, 253],
  uselib: [134, 86],
  ustat: [136, 62],
  sysfs: [139, 135],
  _sysctl: [156, 149],
  nfsservctl: [180, 169],
};

/**
 * Calls above this one were added after the list was written; unknown ones are treated as not implemented. (456 is
 * futex_requeue.)
 */
export const LAST_KNOWN_CALL = 456;

/** Calls of which only some arguments are permitted. */
export const CLONE: CallNumbers = [56, 120];
export const PERSONALITY: CallNumbers = [135, 136];
export const IOCTL: CallNumbers = [16, 54];
export const SOCKET: CallNumbers = [41, 359];

/** Every flag of `clone` that makes a namespace: mounts, cgroups, names, IPC, users, processes, network. */
export const NAMESPACE_FLAGS = 0x7e02_0000;

/** Personalities: the default, the legacy address layout; and the query. */
export const ALLOWED_PERSONALITIES = [0, 0x0020_0000, 0xffff_ffff];

/** TIOCSTI and TIOCLINUX type into a terminal that the box was started from. */
export const FORBIDDEN_CONTROLS = [0x5412, 0x541c];

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, AF_VSOCK above all, reach beyond the box's network. */
export const ALLOWED_SOCKETS = [1, 2, 10, 16];
