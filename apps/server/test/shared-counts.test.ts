/** Limits are counted on all servers of a database together, within one window. */
import { setTimeout } from 'node:timers/promises';
import { createLogger } from '@berth/kit';
import { useTestServer } from '@berth/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SharedCounts } from '../src/api/limits/shared-counts.ts';

const WINDOW_MS = 3_600_000;
const KEY = 'credentials';

const server = useTestServer();
let counts: [SharedCounts, SharedCounts];
beforeEach(async () => {
  await server.query('delete from rate_uses');
  const log = createLogger({ name: 'test', level: 'silent' });
  const create = () => new SharedCounts(server.services.db, log, WINDOW_MS);
  counts = [create(), create()];
});
afterEach(() => counts.forEach((one) => one.close()));

const use = async (which: 0 | 1): Promise<number> => (await counts[which].useEverywhere(KEY, 100)).uses;

it('uses on two servers add up, also where one of them began a little earlier', async () => {
  // Counted here alone as yet: its minute ends before that of the other server.
  counts[0].use(KEY, 100);
  await setTimeout(20);
  const uses: number[] = [];
  for (const which of [1, 1, 1, 0, 1, 0] as const) uses.push(await use(which));
  expect(uses).toEqual([1, 2, 3, 5, 6, 7]);
});

it('a window that is over, or that a clock left behind which was set back, begins anew', async () => {
  for (const left of ["interval '-1 second'", "interval '1 day'"]) {
    expect(await use(0)).toBe(1);
    expect(await use(0)).toBe(2);
    await server.query(`update rate_uses set ends_at = now() + ${left}`);
    // The other server has not counted any of it.
    expect(await use(1)).toBe(1);
    await server.query('delete from rate_uses');
    counts.forEach((one) => one.close());
    const log = createLogger({ name: 'test', level: 'silent' });
    counts = [0, 1].map(() => new SharedCounts(server.services.db, log, WINDOW_MS)) as [SharedCounts, SharedCounts];
  }
});
