import type { Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

const toBubblewrap = ({ programs: { bwrap }, bubblewrapVersion }: HostFacts): Finding => {
  const base = { check: 'bubblewrap', title: 'Box' };
  if (bwrap !== undefined) return { ...base, level: 'ok', seen: `${bubblewrapVersion ?? 'bubblewrap'} (${bwrap})` };
  const advice = 'It keeps terminals away from the host and from each other: apt install bubblewrap.';
  return {
    ...base,
    level: 'problem',
    seen: 'bubblewrap is missing',
    advice,
    blocks: ['full'],
    packages: ['bubblewrap'],
  };
};

const toNetwork = ({ programs: { pasta }, wall }: HostFacts): Finding => {
  const base = { check: 'network', title: 'Network' };
  if (pasta === undefined) {
    const advice =
      'It keeps terminals out of this machine and its private networks, and lets them reach the internet: apt install passt.';
    return { ...base, level: 'problem', seen: 'pasta is missing', advice, blocks: ['full'], packages: ['passt'] };
  }
  if (wall.network === 'closed') {
    return { ...base, level: 'ok', seen: `the internet, and nothing of this machine or its networks (${pasta})` };
  }
  const advice = 'What stands in its way is said below.';
  return { ...base, level: 'problem', seen: `${pasta} does not work here`, advice, blocks: ['full'] };
};

const toUsers = ({ system, wall }: HostFacts): Finding => {
  const base = { check: 'users', title: 'Users' };
  if (wall.users === 'own') return { ...base, level: 'ok', seen: 'each terminal gets a user of its own' };
  const seen = 'all terminals run as the same user, each in a box of its own';
  if (!system.isRoot) {
    const advice = 'Where the agent runs as root, each terminal gets a user of its own as a second wall.';
    return { ...base, level: 'note', seen, advice };
  }
  return { ...base, level: 'note', seen, advice: 'Install setpriv: apt install util-linux.', packages: ['util-linux'] };
};

const toLimits = ({ system, wall }: HostFacts): Finding => {
  const base = { check: 'limits', title: 'Limits' };
  if (wall.limits !== 'none') {
    const seen = `memory, processes and processor of each terminal are limited (cgroup ${wall.limits})`;
    return { ...base, level: 'ok', seen };
  }
  const advice = system.isRoot
    ? 'The agent may not make cgroups here. In a container, give it /sys/fs/cgroup to write.'
    : 'One terminal can take the memory of all. Run the agent as root, or as a systemd service with Delegate=yes.';
  return { ...base, level: 'note', seen: 'terminals have no limits of memory, processes and processor', advice };
};

const toPtrace = ({ ptraceScope }: HostFacts): Finding[] => {
  if (ptraceScope === undefined || ptraceScope <= 1) return [];
  const seen = `kernel.yama.ptrace_scope is ${ptraceScope}`;
  const advice =
    'Above 1, MetaTrader is said to believe that a debugger watches it, and not to start: sysctl kernel.yama.ptrace_scope=1.';
  return [{ check: 'ptrace', title: 'Kernel', level: 'note', seen, advice }];
};

/** What was tried and did not work, in the words of who tried it. */
const toObstacles = ({ wall }: HostFacts): Finding[] =>
  wall.obstacles.map((seen) => ({
    check: 'isolation',
    title: 'Isolation',
    ...(wall.blocking.includes(seen)
      ? { level: 'problem' as const, seen, blocks: ['full'] as const }
      : { level: 'note' as const, seen }),
  }));

/** What is said of what keeps terminals apart. Pure. */
export const toWallFindings = (facts: HostFacts): Finding[] =>
  facts.system.platform === 'linux'
    ? [
        toBubblewrap(facts),
        toNetwork(facts),
        toUsers(facts),
        toLimits(facts),
        ...toPtrace(facts),
        ...toObstacles(facts),
      ]
    : [];
