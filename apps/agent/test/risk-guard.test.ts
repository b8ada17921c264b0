/** The guard under random faults, in a simulation; and that the simulation finds what is planted. */
import { describe, expect, it } from 'vitest';
import { runGuardSchedule } from './support/guard-schedule.ts';
import type { Defects } from './support/guard-world.ts';

/** `BERTH_TEST_SEED` replays a run, as everywhere. */
const testSeed = Number(process.env.BERTH_TEST_SEED ?? '1');
const RUNS = 40;
const seeds = Array.from({ length: RUNS }, (_, index) => testSeed * 1_000 + index);

const planted: Record<string, Defects> = {
  'a breach that is forgotten by a kill': { forget: (record) => (record.breaches = []) },
  'marks that begin anew with each start': { forget: (record) => (record.rules = []) },
  'rules that are not on the disk': { losesRules: true },
  'closing without a look at the account': { closesBlindly: true },
  'numbers of other accounts': { trustsEverything: true },
  'reports that count twice': { countsTwice: true },
  'deposits and withdrawals that nobody knows': { knowsNoCash: true },
  'experts that stay while it closes': { leavesExperts: true },
  'positions that are opened later and left': { hidesExposure: true },
  'held breaches that are forgotten by a kill': {
    forget: (record) => (record.breaches = record.breaches.filter(({ report }) => report.phase !== 'holding')),
  },
  'algo trading that stays on after it has closed': { leavesSwitchOn: true },
  'a switch that is forgotten by a kill': {
    forget: (record) => record.breaches.forEach((breach) => delete breach.isSwitchedOn),
  },
};

describe('the guard', () => {
  it('misses no breach, acts once for each, and never without one, whatever fails', async () => {
    for (const seed of seeds) expect([seed, await runGuardSchedule(seed)]).toEqual([seed, []]);
  });

  it.each(Object.entries(planted))('the guard would be seen with %s', async (_name, defects) => {
    for (let seed = testSeed * 1_000; ; seed += 1) {
      if ((await runGuardSchedule(seed, defects)).length > 0) return;
      if (seed - testSeed * 1_000 > 400) throw new Error('nothing was seen');
    }
  });
});
