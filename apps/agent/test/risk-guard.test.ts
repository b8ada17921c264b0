/** The guard under random faults, in a simulation; and that the simulation finds what is planted. */
import type { RiskMarks } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { runGuardSchedule } from './support/guard-schedule.ts';
import type { Defects } from './support/guard-world.ts';

/** `BERTH_TEST_SEED` replays a run, as everywhere. */
const testSeed = Number(process.env.BERTH_TEST_SEED ?? '1');
const RUNS = 40;
const seeds = Array.from({ length: RUNS }, (_, index) => testSeed * 1_000 + index);

const forgetMarks =
  (forget: (marks: RiskMarks) => unknown): NonNullable<Defects['forget']> =>
  ({ rules }) =>
    rules.flatMap(({ accounts }) => accounts).forEach(forget);

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
  'touches that are acted on': { losesConfirmation: true },
  'waits that a look within the limit does not end': { hidesRecovery: true },
  'waits that begin anew with each start': { forget: forgetMarks((marks) => delete marks.beyond_since) },
  'waits that are over with each start': {
    forget: forgetMarks((marks) => marks.beyond_since !== undefined && (marks.beyond_since = 0)),
  },
  'marks that were to begin anew and did not': { losesResets: true },
  'marks that begin anew once more with each start': { forget: forgetMarks((marks) => delete marks.reset) },
  'breaches that are let go because their rule was loosened': {
    forget: (record) => record.breaches.forEach((breach) => delete breach.rule),
  },
};

it('the guard misses no breach, acts once for each, and never without one, whatever fails', async () => {
  for (const seed of seeds) expect([seed, await runGuardSchedule(seed)]).toEqual([seed, []]);
});

it.each(Object.entries(planted))('the guard would be seen with %s', async (_name, defects) => {
  for (let seed = testSeed * 1_000; ; seed += 1) {
    if ((await runGuardSchedule(seed, defects)).length > 0) return;
    if (seed - testSeed * 1_000 > 400) throw new Error('nothing was seen');
  }
});
