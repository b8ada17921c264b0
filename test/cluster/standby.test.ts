/**
 * PostgreSQL as a primary with a synchronous standby: the primary is killed under load, the standby promoted, the servers
 * follow. In standby.slow.test.ts it falls silent, too.
 */
import { it } from 'vitest';
import { expectNoLoss, losses, TIMEOUT_MS, usePair } from './losing-primary.ts';

const TASKS = 12;

usePair(25);

it.each(losses.slice(0, 1))(
  'a standby is promoted when the primary %s, no acknowledged task is lost, and the servers go on with it',
  (_, lose) => expectNoLoss(lose, TASKS),
  TIMEOUT_MS,
);
