/** The simulation's store against PostgreSQL, in many sequences of operations, and each of the differences that must show. */
import { describe, it } from 'vitest';
import { testSeed } from '../../seed.ts';
import { differences, expectCaught, runSequences, useStores } from './differential/sequences.ts';

const SEQUENCES = 100;
const TIMEOUT_MS = 1_800_000;

useStores();

describe('the store in memory', { timeout: TIMEOUT_MS }, () => {
  it('the store in memory answers every operation as PostgreSQL does', () =>
    runSequences(SEQUENCES, { from: (testSeed - 1) * SEQUENCES + 1 }));

  it.each(differences)('the store in memory is caught when it answers %s a little differently', (_what, name, answer) =>
    expectCaught(name, answer),
  );
});
