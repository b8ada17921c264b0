import { readFile } from 'node:fs/promises';
import type { HostFacts, WallFacts } from './host-facts.ts';
import { runTool } from './tools.ts';

/** A box as small as can be: what does not start here does not start with a terminal in it either. */
const SMALLEST_BOX = '--unshare-all --unshare-user --disable-userns --new-session --cap-drop ALL'.split(' ');
const BOX_CONTENT =
  '--ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev'.split(' ');

/** Tries what keeps terminals apart. */
export const lookAtWall = async ({ bwrap, pasta, setpriv }: HostFacts['programs']): Promise<WallFacts> => {
  const isRoot = process.getuid?.() === 0;
  const blocking: string[] = [];
  const box = bwrap === undefined ? undefined : [bwrap, ...SMALLEST_BOX, ...BOX_CONTENT, '/usr/bin/true'];
  const canBox = box !== undefined && (await runTool(box[0] ?? '', box.slice(1))) !== undefined;
  if (box && !canBox) {
    blocking.push(
      'bubblewrap cannot make a box here. User namespaces must be allowed (sysctl user.max_user_namespaces, and kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), also in a container.',
    );
  }
  const groups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const limits = /^\d+:[a-z,]*\bmemory\b/m.test(groups) ? 'v1' : 'v2';
  return {
    users: isRoot && setpriv !== undefined ? 'own' : 'shared',
    limits: isRoot ? limits : 'none',
    network: pasta === undefined ? 'none' : 'closed',
    seccomp: canBox,
    obstacles: blocking,
    blocking,
  };
};

/** Of Yama; undefined where the kernel has none. */
export const findPtraceScope = async (): Promise<number | undefined> => {
  const text = await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '');
  return /^\d/.test(text) ? Number(text) : undefined;
};
