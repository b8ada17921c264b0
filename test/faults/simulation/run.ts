/** Runs of many schedules in one process, and what a process is asked for. */
import { addSchedule, noFigures, type Figures } from './figures.ts';
import { mutations } from './mutations.ts';
import { runSchedule } from './schedule.ts';

export interface RunOptions {
  /** The first seed; the others follow it. */
  seed: number;
  schedules: number;
  /** Every n-th seed: several processes share the seeds of a run. */
  stride?: number;
  /** Name of a defect to plant. */
  mutation?: string | undefined;
  /** Whether to end at the first violation. */
  isBrief?: boolean;
  /** After this time no further schedule begins. */
  forMs: number;
}

export const run = async ({
  seed,
  schedules,
  stride = 1,
  mutation,
  isBrief = false,
  forMs,
}: RunOptions): Promise<Figures> => {
  const figures = noFigures();
  const planted = mutation === undefined ? undefined : mutations[mutation];
  if (mutation !== undefined && !planted) throw new Error(`there is no mutation "${mutation}"`);
  // Every abort and refusal creates an error; the replay shows where it was created.
  Error.stackTraceLimit = 0;
  const untilMs = performance.now() + forMs;
  for (let count = 0; count < schedules && performance.now() < untilMs; count += 1) {
    addSchedule(figures, await runSchedule({ seed: seed + count * stride, mutation: planted }));
    if (isBrief && figures.violations.length > 0) break;
  }
  return figures;
};
