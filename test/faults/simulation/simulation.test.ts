/** Some schedules of the simulation, and some of the defects that it has to find; simulation.slow.test.ts has all of them. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { mutations } from './mutations.ts';
import { buildSimulation, expectFound, expectInvariants, expectSameTwice, TIMEOUT_MS } from './simulating.ts';

const SCHEDULES = 40;
/** One of each: the journal, the store's answers about leases, those about tasks. */
const DEFECTS = [
  'journal: accepts without writing',
  'lease: outlives its attempt',
  'table: a start is a completion',
] as const satisfies (keyof typeof mutations)[];

beforeAll(buildSimulation);

describe('the simulation', { timeout: TIMEOUT_MS }, () => {
  it(`the simulation holds every invariant through ${SCHEDULES} schedules full of faults`, async () => {
    const { faults } = await expectInvariants(SCHEDULES);
    expect(Object.keys(faults).length).toBeGreaterThan(30);
  });

  it('the simulation says the same of a seed every time', () => expectSameTwice(7));

  it.each(DEFECTS)('the simulation finds a planted defect: %s', expectFound);
});
