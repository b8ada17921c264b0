/** What a run of many schedules came to: plain data, so that it travels between processes. */
import type { ScheduleEnd } from './schedule.ts';

export interface Figures {
  schedules: number;
  steps: number;
  events: number;
  tasks: number;
  attempts: number;
  virtualHours: number;
  faults: Record<string, number>;
  moves: Record<string, number>;
  violations: { seed: number; text: string }[];
}

/** For a run with many violations these are enough. */
const MAX_VIOLATIONS = 20;

export const noFigures = (): Figures => ({
  schedules: 0,
  steps: 0,
  events: 0,
  tasks: 0,
  attempts: 0,
  virtualHours: 0,
  faults: {},
  moves: {},
  violations: [],
});

const addCounts = (sum: Record<string, number>, counts: Iterable<[string, number]>): void => {
  for (const [name, count] of counts) if (count > 0) sum[name] = (sum[name] ?? 0) + count;
};

export const addSchedule = (sum: Figures, end: ScheduleEnd): void => {
  sum.schedules += 1;
  sum.steps += end.steps;
  sum.events += end.events;
  sum.tasks += end.tasks;
  sum.attempts += end.attempts;
  sum.virtualHours += end.virtualMs / 3_600_000;
  addCounts(sum.faults, end.faults);
  addCounts(sum.moves, end.moves);
  const { violation, seed } = end;
  if (violation !== undefined && sum.violations.length < MAX_VIOLATIONS) sum.violations.push({ seed, text: violation });
};

export const addFigures = (sum: Figures, part: Figures): void => {
  for (const name of ['schedules', 'steps', 'events', 'tasks', 'attempts', 'virtualHours'] as const) {
    sum[name] += part[name];
  }
  addCounts(sum.faults, Object.entries(part.faults));
  addCounts(sum.moves, Object.entries(part.moves));
  sum.violations = [...sum.violations, ...part.violations].sort((a, b) => a.seed - b.seed).slice(0, MAX_VIOLATIONS);
};

const statusNames = ['PENDING', 'QUEUED', 'DELIVERED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELED', 'TERMINATED'];
const toMoveName = (move: string): string =>
  move
    .split('>')
    .map((status) => statusNames[Number(status)])
    .join(' > ');

const toLines = (counts: Record<string, number>, toName = (name: string) => name): string[] =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `  ${count.toLocaleString('en').padStart(12)}  ${toName(name)}`);

/** The figures for a person. */
export const toText = (figures: Figures, seconds: number): string => {
  const { schedules, steps, events, tasks, attempts, virtualHours } = figures;
  const of = (count: number) => Math.round(count).toLocaleString('en');
  return [
    `${of(schedules)} schedules, ${of(steps)} steps (${of(events)} events), ${of(tasks)} tasks, ${of(attempts)} attempts, ` +
      `${of(virtualHours)} hours of simulated time in ${seconds.toFixed(1)} s`,
    'faults injected:',
    ...toLines(figures.faults),
    'moves of tasks:',
    ...toLines(figures.moves, toMoveName),
  ].join('\n');
};
