/**
 * Statements lose, one at a time, a condition that keeps users, hosts, attempts or times apart. A mutant that changes nothing
 * that can be seen is a border that no test guards: a new statement with an owner needs a look across it in
 * support/borders.ts. Here a share of them is tried, in mutants.slow.test.ts each.
 */
import { it } from 'vitest';
import { testSeed, toRepeat } from '../seed.ts';
import { expectSeen, TIMEOUT_MS, useBorders } from './support/mutation.ts';

/** One in this many; as many seeds cover all of them. */
const SHARE = 32;

useBorders();

it(
  'no statement of a share of them loses the condition of an owner, a fence or a time unseen',
  () => expectSeen((all) => all.filter((_, index) => (index + testSeed) % SHARE === 0), toRepeat()),
  TIMEOUT_MS,
);
