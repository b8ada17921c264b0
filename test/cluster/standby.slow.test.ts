/** The same loss of a primary as in standby.test.ts, in the middle of more tasks and at the usual times of an instance. */
import { it } from 'vitest';
import { expectNoLoss, losses, TIMEOUT_MS, usePair } from './losing-primary.ts';

const TASKS = 60;

usePair(100);

it.each(losses)(
  'a standby is promoted when the primary %s, and of many tasks none is lost',
  (_, lose) => expectNoLoss(lose, TASKS),
  TIMEOUT_MS,
);
