/** Schedules of the simulation with every fault in them, and every planted defect. */
import { taskTransitions } from '@berth/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { testSeed } from '../../seed.ts';
import { faults } from './faults.ts';
import { mutations } from './mutations.ts';
import { buildSimulation, expectFound, expectInvariants, expectSameTwice, TIMEOUT_MS } from './simulating.ts';

const SCHEDULES = Number(process.env.BERTH_SIMULATION_SCHEDULES ?? 600);
/** Schedules are numbered by their seeds: another seed of the tests has others. */
const FIRST = (testSeed - 1) * SCHEDULES + 1;

/** What the weather, a fault, or the programs' answer to one leads to, beside the faults that are injected. */
const happenings = [
  ...[
    'lost request',
    'lost answer',
    'reset connection',
    'doubled message',
    'late message',
    'half-open connection',
    'foreign answer',
  ],
  ...['slow statement, before its effect', 'slow statement, after its effect'],
  ...['broken statement, before its effect', 'broken statement, after its effect'],
  ...['broken transaction, half way', 'lost wake-up', 'superseded agent', 'host declared lost', 'lost host back'],
  'delivery handed out again',
  ...['task handed over at its creation', 'hand-over whose outcome is unknown'],
  'all hosts away for over an hour',
];

beforeAll(buildSimulation);

describe('the simulation', { timeout: TIMEOUT_MS }, () => {
  it(`the simulation holds every invariant through ${SCHEDULES} schedules, with every fault and every legal move in them`, async () => {
    const figures = await expectInvariants(SCHEDULES, FIRST);
    expect(Object.keys(figures.faults).sort()).toEqual([...Object.keys(faults), ...happenings].sort());
    expect(Object.keys(figures.moves).sort()).toEqual(taskTransitions.map(([from, to]) => `${from}>${to}`).sort());
  });

  it('the simulation says the same of a seed every time', async () => {
    for (const seed of [7, 200]) await expectSameTwice(seed);
  });

  it.each(Object.keys(mutations))('the simulation finds a planted defect: %s', expectFound);
});
