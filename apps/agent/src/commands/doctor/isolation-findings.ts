import type { Finding } from './finding.ts';
import type { HostFacts } from './host-facts.ts';

const toBubblewrap = ({ programs: { bwrap }, bubblewrapVersion }: HostFacts): Finding => {
  const base = { check: 'bubblewrap', title: 'Boxes' };
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

const toNetwork = ({ programs: { pasta }, isolation }: HostFacts): Finding[] => {
  const base = { check: 'network', title: 'Network' };
  if (pasta === undefined) {
    const advice =
      'It keeps terminals out of this machine and its private networks, and lets them reach the internet: apt install passt.';
    return [{ ...base, level: 'problem', seen: 'pasta is missing', advice, blocks: ['full'], packages: ['passt'] }];
  }
  // If the box did not start, it is unknown what network it would have had.
  if (isolation.blocking.length > 0) return [];
  return [{ ...base, level: 'ok', seen: `the internet, and nothing of this machine or its networks (${pasta})` }];
};

const toUsers = ({ isolation }: HostFacts): Finding => {
  const base = { check: 'users', title: 'Users' };
  if (isolation.users === 'own') return { ...base, level: 'ok', seen: 'each terminal gets a user of its own' };
  return { ...base, level: 'note', seen: 'all terminals run as the same user, each in a box of its own' };
};

const toLimits = ({ isolation }: HostFacts): Finding => {
  const base = { check: 'limits', title: 'Limits' };
  if (isolation.limits === 'none') {
    return { ...base, level: 'note', seen: 'terminals have no limits of memory, processes and processor' };
  }
  const seen = `memory, processes and processor of each terminal are limited (cgroup ${isolation.limits})`;
  return { ...base, level: 'ok', seen };
};

const toPtrace = ({ ptraceScope }: HostFacts): Finding[] => {
  if (ptraceScope === undefined || ptraceScope <= 1) return [];
  const seen = `kernel.yama.ptrace_scope is ${ptraceScope}`;
  const advice =
    'Above 1, MetaTrader is said to believe that a debugger watches it, and not to start: sysctl kernel.yama.ptrace_scope=1.';
  return [{ check: 'ptrace', title: 'Kernel', level: 'note', seen, advice }];
};

/** In a box a terminal never runs as root, even if the agent does. */
const toRoot = ({ isolation, system }: HostFacts): Finding[] => {
  if (isolation.level !== 'none' || !system.isRoot) return [];
  const seen = 'terminals without a box run as root here';
  const advice =
    'A build of 2026 that ran as root touched no network. Run the agent as an ordinary user, or with boxes.';
  return [{ check: 'root', title: 'Root', level: 'note', seen, advice }];
};

/** What was tried and failed, in the words of the check. */
const toObstacles = ({ isolation }: HostFacts): Finding[] =>
  isolation.obstacles.map((seen) => ({
    check: 'isolation',
    title: 'Isolation',
    ...(isolation.blocking.includes(seen)
      ? { level: 'problem' as const, seen, blocks: ['full'] as const }
      : { level: 'note' as const, seen }),
  }));

/** The findings about the isolation of terminals. Pure. */
export const toIsolationFindings = (facts: HostFacts): Finding[] => {
  if (facts.system.platform !== 'linux') return [];
  const findings =
    facts.isolation.level === 'none' ? [] : [toBubblewrap(facts), ...toNetwork(facts), toUsers(facts), toLimits(facts)];
  return [...findings, ...toRoot(facts), ...toPtrace(facts), ...toObstacles(facts)];
};
