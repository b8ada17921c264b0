/** The figures of a run: as data, and as text for a person. */
import { findLeak, toTrend, type FollowedRole, type Trend } from './footprint.ts';
import type { SoakRecord } from './soak.ts';
import type { StrikeKind } from './strikes.ts';
import type { TaskFigures } from './task-figures.ts';

export interface KindFigures {
  count: number;
  /** How many of them were followed by a task in their round. */
  measured: number;
  recoveryMedianMs: number;
  recoveryMaxMs: number;
}

export interface Summary {
  seed: number;
  seconds: number;
  cycles: number;
  rounds: number;
  accepted: number;
  agentFalls: number;
  faults: Partial<Record<StrikeKind, KindFigures>>;
  tasks: TaskFigures | undefined;
  trends: Partial<Record<FollowedRole, Trend>>;
  diskFirstMib: number | undefined;
  diskLastMib: number | undefined;
  /** What went wrong; nothing in a good run. */
  findings: string[];
}

const toKindFigures = (count: number, recoveries: readonly number[]): KindFigures => {
  const sorted = [...recoveries].sort((a, b) => a - b);
  return {
    count,
    measured: sorted.length,
    recoveryMedianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
    recoveryMaxMs: sorted.at(-1) ?? 0,
  };
};

export const toSummary = (
  record: SoakRecord,
  { seed, seconds, findings }: Pick<Summary, 'seed' | 'seconds' | 'findings'>,
): Summary => {
  const kinds = Object.entries(record.faults) as [StrikeKind, number][];
  const roles = Object.entries(record.footprints) as [FollowedRole, (typeof record.footprints)[FollowedRole]][];
  const trends = roles.flatMap(([role, samples]): [FollowedRole, Trend][] => {
    const trend = toTrend(samples);
    return trend ? [[role, trend]] : [];
  });
  const leaks = trends.flatMap(([role, trend]) => {
    const leak = findLeak(trend);
    return leak === undefined ? [] : [`the ${role} leaks: ${leak}`];
  });
  return {
    seed,
    seconds,
    cycles: record.cycles,
    rounds: record.rounds,
    accepted: record.accepted.length,
    agentFalls: record.agentFalls,
    faults: Object.fromEntries(
      kinds
        .sort(([, a], [, b]) => b - a)
        .map(([kind, count]) => [kind, toKindFigures(count, record.recoveries[kind] ?? [])]),
    ),
    tasks: record.tasks,
    trends: Object.fromEntries(trends),
    diskFirstMib: record.diskMib[0],
    diskLastMib: record.diskMib.at(-1),
    findings: [...findings, ...record.left.map((left) => `left behind: ${left}`), ...leaks],
  };
};

const toColumns = (rows: readonly (readonly (string | number)[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]!) : String(cell).padStart(widths[column]!)))
      .join('  '),
  );
};

const toFaultLines = (faults: Summary['faults']): string[] =>
  toColumns([
    ['fault', 'times', 'measured', 'median ms', 'max ms'],
    ...Object.entries(faults).map(([kind, figures]) => [
      kind,
      figures.count,
      figures.measured,
      figures.recoveryMedianMs,
      figures.recoveryMaxMs,
    ]),
  ]);

const toTaskLines = (accepted: number, tasks: TaskFigures): string[] => [
  `tasks: ${accepted} accepted, ${tasks.total} in all (with those whose answer was lost, and the server's own)`,
  `  ${tasks.completed} completed, ${tasks.failed} failed, ${tasks.terminated} terminated, ${tasks.canceled} canceled`,
  `  ${tasks.attempts} attempts, ${tasks.retries} of them retries`,
  ...Object.entries(tasks.notCompleted).map(([how, count]) => `  ${count} ${how}`),
];

const toTrendLines = (trends: Summary['trends']): string[] =>
  toColumns([
    ['process', 'cycles', 'samples', 'MiB first', 'MiB last', 'MiB per 100 cycles', 'files first', 'files last'],
    ...Object.entries(trends).map(([role, trend]) => [
      role,
      trend.cycles,
      trend.samples,
      trend.rssFirstMib.toFixed(1),
      trend.rssLastMib.toFixed(1),
      trend.rssSlopeMibPer100.toFixed(2),
      trend.fdsFirst,
      trend.fdsLast,
    ]),
  ]);

export const toText = (summary: Summary): string => {
  const { seed, seconds, cycles, rounds, accepted, faults, tasks, trends, diskFirstMib, diskLastMib } = summary;
  const disk = diskFirstMib !== undefined && diskLastMib !== undefined;
  return [
    `soak: seed ${seed}, ${seconds.toFixed(0)} s, ${cycles} cycles in ${rounds} rounds`,
    '',
    ...toFaultLines(faults),
    `  agents that ended by themselves (no room at their start): ${summary.agentFalls}`,
    '',
    ...(tasks ? [...toTaskLines(accepted, tasks), ''] : []),
    ...(trends.server && trends.agent ? [] : ['memory: no process was followed for long enough to judge it', '']),
    ...(Object.keys(trends).length > 0 ? [...toTrendLines(trends), ''] : []),
    ...(disk ? [`disk of the host: ${diskFirstMib.toFixed(1)} MiB first, ${diskLastMib.toFixed(1)} MiB last`, ''] : []),
    ...(summary.findings.length === 0
      ? ['nothing lost, nothing run twice that must not, nothing stuck, nothing left behind']
      : summary.findings.map((finding) => `FAILED: ${finding}`)),
  ].join('\n');
};
