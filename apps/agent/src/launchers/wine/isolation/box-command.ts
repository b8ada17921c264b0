/**
 * The command line that is one box, from the outside to the inside. Each program replaces itself by the next one but for
 * `unshare` (the box's LEADER, whose end is the end of all below, by the kernel), pasta and bubblewrap:
 *
 *   sh: into the box's control groups · [root: an own /dev/net/tun · the box's user] · limits · unshare: own process numbers
 *   → pasta: own network → bash: closes the private networks and every descriptor → bwrap: files, users, no rights, filter
 *   → limits of the box alone · the command
 *
 * The order matters. Control groups and users need root, which ends there. pasta must come before no-new-privileges
 * (bubblewrap sets it). Rules of the network need rights in it, which only bash still has. Newer pastas close
 * inherited descriptors, so the filter is opened behind it.
 */
import { toBubblewrapCommand, FILTER_DESCRIPTOR, type BoxMounts } from './bubblewrap.ts';
import type { BoxFiles } from './box-files.ts';
import { toNetworkCommand } from './network.ts';

export interface BoxPlan {
  files: BoxFiles;
  /** The box's own user and group, where the agent is root; otherwise the box runs under the agent's. */
  user?: number;
  /** Of the box's control group; empty if it has none. */
  joinFiles: readonly string[];
  /** Ports of the host's loopback that can be reached in the box. */
  hostPorts: readonly number[];
  limits: {
    /** The largest file. */
    fileSizeBytes: number;
    openFiles: number;
    /** Threads and processes of the box; counted in the box alone since Linux 5.14. */
    processes: number;
    /** Of each process. Only where no control group limits the total memory. */
    dataBytes?: number;
  };
  /** Whether 32-bit programs run in it: that allows the kernel's 32-bit calls, too. */
  allows32Bit: boolean;
  mounts: BoxMounts;
  /** The whole environment of the command. It is visible in the host's list of processes: no secrets. */
  environment: Readonly<Record<string, string>>;
  /** The folder, inside, in which the command runs. */
  folder: string;
  command: readonly string[];
}

/** Exit codes of a box that could not be set up; the terminal's own programs do not use them by chance. */
export const BOX_FAILURES = { controlGroup: 71, network: 72, filter: 73 } as const;

/** A process that writes 0 there moves itself. When memory runs out, the kernel looks at boxes first. */
const JOIN = `
while [ "$1" != -- ]; do echo 0 > "$1" || exit ${BOX_FAILURES.controlGroup}; shift; done
shift
echo 500 > /proc/self/oom_score_adj
exec "$@"`;

/** pasta runs as the box's user, whom the machine's own node may not let in. This one is seen by the box's programs alone. */
const OWN_TUN = `
mount -t tmpfs -o mode=755,size=16k none /dev/net &&
  { mknod -m 666 /dev/net/tun c 10 200 || umount /dev/net; }
exec "$@"`;

const CLOSE_AND_FILTER = `
ip=$(command -v /usr/sbin/ip /sbin/ip /usr/bin/ip | head -n 1)
"$ip" -4 -batch "$1" || exit ${BOX_FAILURES.network}
if [ -e /proc/net/if_inet6 ]; then "$ip" -6 -batch "$2" || exit ${BOX_FAILURES.network}; fi
exec ${FILTER_DESCRIPTOR}< "$3" || exit ${BOX_FAILURES.filter}
shift 3
for path in /proc/self/fd/*; do
  descriptor=\${path##*/}
  case $descriptor in 0|1|2|${FILTER_DESCRIPTOR}) ;; *) eval "exec $descriptor>&-" ;; esac
done
exec /usr/bin/env -i "$@"`;

const NAME = 'berth-box';

const toLimited = (limits: readonly string[], command: readonly string[]): string[] => [
  ...['/usr/bin/prlimit', ...limits, '--'],
  ...command,
];

const toUserCommand = (user: number, command: readonly string[]): string[] => [
  ...['/usr/bin/unshare', '--mount', '--propagation', 'private', '--', '/bin/sh', '-c', OWN_TUN, NAME],
  ...['/usr/bin/setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--'],
  ...command,
];

/**
 * Separate process numbers, with a separate `/proc`: where pasta cannot start it leaves programs behind, and so would a
 * box.
 */
const toLeadCommand = (command: readonly string[]): string[] => [
  ...['/usr/bin/unshare', '--user', '--map-current-user', '--mount', '--pid', '--fork', '--kill-child=KILL'],
  ...['--mount-proc', '--', ...command],
];

const toClosedCommand = ({ files, allows32Bit }: BoxPlan, command: readonly string[]): string[] => [
  ...['/usr/bin/unshare', '--mount', '--mount-proc', '--propagation', 'private', '--'],
  ...['/bin/bash', '-c', CLOSE_AND_FILTER, NAME, files.rules[4], files.rules[6]],
  allows32Bit ? files.filters.with32Bit : files.filters.plain,
  ...command,
];

/**
 * The whole command line. To be started in a session of its own, with an empty environment, without descriptors, in `/`:
 * `spawn(file, args, { env: {}, cwd: '/', detached: true, stdio: 'ignore' })`.
 */
export const toBoxCommand = (plan: BoxPlan): { file: string; args: string[] } => {
  const { fileSizeBytes, openFiles, processes, dataBytes } = plan.limits;
  const inside = toBubblewrapCommand({
    etc: plan.files.etc,
    mounts: plan.mounts,
    environment: plan.environment,
    folder: plan.folder,
    command: toLimited([`--nproc=${processes}`], plan.command),
  });
  const boxed = toLeadCommand(toNetworkCommand(plan.hostPorts, toClosedCommand(plan, inside)));
  const limits = [`--fsize=${fileSizeBytes}`, `--nofile=${openFiles}`, '--core=0'];
  if (dataBytes !== undefined) limits.push(`--data=${dataBytes}`);
  const limited = toLimited(limits, boxed);
  const owned = plan.user === undefined ? limited : toUserCommand(plan.user, limited);
  return { file: '/bin/sh', args: ['-c', JOIN, NAME, ...plan.joinFiles, '--', ...owned] };
};
