/** The attacks of fuzz.test.ts at length. With another BERTH_TEST_SEED they are others. */
import { describe } from 'vitest';
import { attackAsHost, attackAsOperator, attackAsUser } from './support/fuzz-attacks.ts';
import { useWorld } from './support/fuzzing.ts';

/** Requests a route. */
const RUNS = 50;

useWorld();

describe('a user who sends anything', { timeout: 900_000 }, () => attackAsUser(RUNS));
describe('an operator who sends anything', { timeout: 900_000 }, () => attackAsOperator(RUNS));
describe('a hostile host', { timeout: 900_000 }, () => attackAsHost(RUNS));
