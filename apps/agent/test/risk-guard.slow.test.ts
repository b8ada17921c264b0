/** The same as the quick file, with many more schedules. */
import { expect, it } from 'vitest';
import { runGuardSchedule } from './support/guard-schedule.ts';

/** `BERTH_TEST_SEED` replays a run, as everywhere. */
const testSeed = Number(process.env.BERTH_TEST_SEED ?? '1');
const RUNS = 2_000;

it('the guard misses no breach, acts once for each, and never without one, whatever fails', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    const seed = testSeed * 100_000 + run;
    expect([seed, await runGuardSchedule(seed)]).toEqual([seed, []]);
  }
}, 1_200_000);
