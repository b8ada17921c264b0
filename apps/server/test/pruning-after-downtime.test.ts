/** A clock that jumped ahead makes everything old: nothing is removed until somebody had the time to see it. */
import { useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ without: ['the scheduler'] });
let userId: string;
beforeAll(async () => {
  userId = (await server.register('Owner')).user.id;
});

const countPruned = async (): Promise<number> => {
  await server.query(
    `insert into notifications (id, user_id, type, created_at)
     values ('00000000-0000-7000-8000-000000000001', $1, 'TaskFailed', now() - interval '91 days') on conflict do nothing`,
    [userId],
  );
  await server.prune();
  return (await server.query('select 1 from notifications where user_id = $1', [userId])).length === 0 ? 1 : 0;
};

it.each([
  ['not removed within an hour of a downtime of days', { ended: '59 minutes', lasted: '40 days', silent: '0' }, 0],
  ['not removed before a jump of the clock is noted', { ended: '50 years', lasted: '0', silent: '40 days' }, 0],
  ['removed an hour after a downtime of days', { ended: '61 minutes', lasted: '40 days', silent: '0' }, 1],
  ['removed right after a restart', { ended: '1 minute', lasted: '20 seconds', silent: '0' }, 1],
])('what is old is %s', async (_, { ended, lasted, silent }, pruned) => {
  await server.query(
    `update scheduler set downtime_ended_at = now() - $1::interval, queue_downtime = $2::interval, last_run_at = now() - $3::interval`,
    [ended, lasted, silent],
  );
  expect(await countPruned()).toBe(pruned);
});
