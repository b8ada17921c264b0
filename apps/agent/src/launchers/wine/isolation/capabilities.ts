/**
 * What this machine really supports for the isolation of boxes: not what is installed, but the result of just starting
 * a box. Shown by `doctor` and in the host's facts.
 */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { cutText } from '@berth/contract/values';
import { BOX_FAILURES, toBoxCommand, type BoxPlan } from './box-command.ts';
import type { BoxFiles } from './box-files.ts';
import { findControlGroups } from './control-groups.ts';

export interface IsolationFacts {
  level: 'full' | 'none';
  /** `own`: each terminal has a user of its own. `shared`: all run under the agent's. */
  users: 'own' | 'shared';
  /** The control groups that limit a terminal's memory, processes and CPU; `none`: only limits per process. */
  limits: 'v1' | 'v2' | 'none';
  /** `closed`: the internet, and no private network. `host`: the host's own network, including loopback. */
  network: 'closed' | 'host';
  /** Whether system calls are filtered. */
  seccomp: boolean;
  /** Whole sentences, each with what to do. Those that prevent boxes from starting come first. */
  obstacles: string[];
  /** Those without which no terminal starts at this level. */
  blocking: string[];
}

export interface IsolationOptions {
  wanted: 'full' | 'none';
  files: BoxFiles;
  /** Folders besides those of the system that every box reads: they must be there for its user, too. */
  shared: BoxPlan['mounts']['read'];
}

const programs = {
  '/usr/bin/bwrap': 'bubblewrap',
  '/usr/bin/pasta': 'passt',
  '/usr/bin/unshare': 'util-linux',
  '/usr/bin/prlimit': 'util-linux',
  '/usr/bin/setpriv': 'util-linux',
  '/bin/bash': 'bash',
} as const;

/** Far more than a box takes; a loaded machine may be slow, but a box that hangs must not hold up the agent. */
const PROBE_MS = 20_000;
const MAX_ERROR_CHARACTERS = 4096;
const NOBODY = 65_534;

const isThere = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

const listMissing = async (): Promise<string[]> => {
  const found = await Promise.all(Object.keys(programs).map((path) => isThere(path, constants.X_OK)));
  const routing = await Promise.all(
    ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip'].map((path) => isThere(path, constants.X_OK)),
  );
  const packages = Object.values(programs).filter((_name, index) => !found[index]);
  return [...new Set([...packages, ...(routing.includes(true) ? [] : ['iproute2'])])];
};

interface Probe {
  code: number | null;
  /** The programs' error output, limited. */
  error: string;
  output: string;
}

/** Starts a box that reports its filter, and waits for its end. */
const startProbe = ({ files, shared }: IsolationOptions): Promise<Probe> => {
  const { file, args } = toBoxCommand({
    files,
    ...(process.getuid?.() === 0 ? { user: NOBODY } : {}),
    joinFiles: [],
    hostPorts: [],
    limits: { fileSizeBytes: 1024 * 1024, openFiles: 256, processes: 16 },
    allows32Bit: false,
    mounts: { read: shared, write: [], temporary: [] },
    environment: { PATH: '/usr/bin:/bin' },
    folder: '/',
    command: ['/bin/sh', '-c', 'grep -E "^(Seccomp|NoNewPrivs|CapEff):" /proc/self/status'],
  });
  return new Promise((resolve) => {
    const child = spawn(file, args, { env: {}, cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { error: '', output: '' };
    const keep = (name: keyof typeof texts) => (chunk: Buffer) => {
      texts[name] = cutText(`${texts[name]}${chunk.toString('utf8')}`, MAX_ERROR_CHARACTERS);
    };
    const deadline = setTimeout(() => child.kill('SIGKILL'), PROBE_MS);
    child.stdout.on('data', keep('output'));
    child.stderr.on('data', keep('error'));
    const finish = (code: number | null) => {
      clearTimeout(deadline);
      resolve({ code, ...texts });
    };
    child.on('error', () => finish(null));
    child.on('exit', finish);
  });
};

/** What to do about a box that did not start, judging by its programs' error output. */
const toAdvice = async ({ code, error }: Probe): Promise<string> => {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !(await isThere('/dev/net/tun', constants.R_OK | constants.W_OK))) {
    return 'Boxes have no network, because only root may open /dev/net/tun. Run "chmod 666 /dev/net/tun" as root (Debian does so by itself), or run the agent as root.';
  }
  const [, closed] = /Can't find source path (.+): Permission denied/.exec(error) ?? [];
  if (closed !== undefined)
    return `Terminals run as users that may not enter ${closed}. Let others enter it and each folder above it (chmod o+x), or move it, below /opt, say.`;
  if (/unshare failed|uid_map|[Nn]o permissions to create (a )?new namespace/.test(error)) {
    return 'Users of this host may not make namespaces. Set kernel.unprivileged_userns_clone=1, user.max_user_namespaces=65536 and, on Ubuntu, kernel.apparmor_restrict_unprivileged_userns=0.';
  }
  if (/routable interface|No interface/.test(error))
    return 'The host has no default route, which a box needs for its network. Connect it.';
  if (code === BOX_FAILURES.network)
    return `The private networks cannot be closed for boxes (${error.trim()}). Install iproute2 and a kernel with policy routing.`;
  return `A box does not start (${error.trim() || `exit code ${code}`}). Run script/agent doctor on the host itself, outside of containers.`;
};

/** Tries it out. Takes as long as the start of a box. */
export const describeIsolation = async (options: IsolationOptions): Promise<IsolationFacts> => {
  const isRoot = process.getuid?.() === 0;
  if (options.wanted === 'none') {
    const obstacles = [
      'Terminals run without isolation, because this host is set so: each can read and end whatever the agent can.',
    ];
    return { level: 'none', users: 'shared', limits: 'none', network: 'host', seccomp: false, obstacles, blocking: [] };
  }
  const groups = await findControlGroups();
  const notes = [
    ...(isRoot ? [] : ['Terminals share the user of the agent. Run it as root, so that each gets one of its own.']),
    ...(groups.obstacle === undefined ? [] : [groups.obstacle]),
  ];
  const facts = { level: 'full', users: isRoot ? 'own' : 'shared', limits: groups.kind, network: 'closed' } as const;
  const missing = await listMissing();
  const probe = missing.length === 0 ? await startProbe(options) : undefined;
  const blocking: string[] = [];
  if (missing.length > 0) blocking.push(`Boxes need ${missing.join(', ')}. Run "apt install ${missing.join(' ')}".`);
  if (probe && probe.code !== 0) blocking.push(await toAdvice(probe));
  const seccomp = /^Seccomp:\t2$/m.test(probe?.output ?? '');
  if (probe?.code === 0 && !seccomp)
    blocking.push('The kernel filters no system calls. Use one with CONFIG_SECCOMP_FILTER.');
  return { ...facts, seccomp, obstacles: [...blocking, ...notes], blocking };
};
