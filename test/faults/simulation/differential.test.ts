/** The simulation's store against PostgreSQL, in some sequences of operations; differential.slow.test.ts has many. */
import { describe, it } from 'vitest';
import { differences, expectCaught, runSequences, useStores } from './differential/sequences.ts';

const SEQUENCES = 15;
const TIMEOUT_MS = 900_000;

useStores();

describe('the store in memory', { timeout: TIMEOUT_MS }, () => {
  it('the store in memory answers every operation as PostgreSQL does', () => runSequences(SEQUENCES));

  it.each(differences.filter(([what]) => ['claims', 'moves', 'promotion'].includes(what)))(
    'the store in memory is caught when it answers %s a little differently',
    (_what, name, answer) => expectCaught(name, answer),
  );
});
