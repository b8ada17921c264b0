/** A server whose own clock is hours ahead: the database's clock says when something is due. */
import { TaskType, type Schedule } from '@berth/contract';
import { insertTerminals, useTestServer } from '@berth/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const HOUR_MS = 3_600_000;
const task = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
beforeEach(() => {
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 5 * HOUR_MS);
});
afterEach(() => vi.restoreAllMocks());

const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const ids = await insertTerminals(server, user.id, { count: 2 });
  const send = async (method: string, path: string, body: object) => {
    const answer = await server.request(method, `/v1/my/${path}`, { token, body });
    expect([answer.status, answer.body.ok]).toEqual([200, true]);
    return answer.body.data as unknown;
  };
  return { userId: user.id, ids, send };
};

it.each([
  ['run', 'trading/bulk-runs'],
  ['call', 'trading/terminals/bulk/tasks'],
])('tasks of one %s are created at intervals from now on', async (_, path) => {
  const { userId, ids, send } = await createOwner();
  await send('POST', path, { ...task, terminal_ids: ids, stagger_seconds: 60 });
  const rows = await server.query(
    `select planned_at <= now() as is_due, planned_at <= now() + interval '1 minute' as is_soon from tasks where user_id = $1
     order by planned_at`,
    [userId],
  );
  expect(rows).toEqual([
    { is_due: true, is_soon: true },
    { is_due: false, is_soon: true },
  ]);
});

it('a schedule that is created or changed is due at the next of its times, and says so', async () => {
  const { send } = await createOwner();
  const hourly = { name: 'Hourly', ...task, all: true, cron: '0 * * * *', time_zone: 'UTC' };
  const { id, next_runs } = (await send('POST', 'schedules', hourly)) as Schedule;
  const readNext = async () =>
    (
      await server.query(
        `select next_at, next_at <= now() + interval '1 hour' as is_soon from schedules where id = $1`,
        [id],
      )
    )[0]!;
  expect(await readNext()).toEqual({ next_at: new Date(next_runs[0]!), is_soon: true });
  const changed = (await send('PATCH', `schedules/${id}`, { name: 'Each hour' })) as Schedule;
  expect(await readNext()).toEqual({ next_at: new Date(changed.next_runs[0]!), is_soon: true });
});
