/** Schedules: tasks that the server creates again and again. */
import { randomUUID } from 'node:crypto';
import { MAX_SCHEDULES, TaskType, type Schedule } from '@berth/contract';
import { insertTerminals, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { toNextRuns } from '../src/schedules/cron.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const SCHEDULES = '/v1/my/schedules';
const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
const weekend = { name: 'Weekend', ...off, cron: '0 21 * * 5', time_zone: 'Europe/London', missed: 'run_once' };

const createOwner = async (terminals = 2) => {
  const { token, user } = await server.register('Owner');
  const ids = await insertTerminals(server, user.id, { count: terminals });
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const create = async (body: object = {}) => {
    const { body: answer } = await send('POST', SCHEDULES, { ...weekend, all: true, ...body });
    return answer.data as Schedule;
  };
  const read = async (id: string) => (await send('GET', `${SCHEDULES}/${id}`)).body.data as Schedule;
  /** Makes it due so many minutes ago. */
  const makeDue = (id: string, minutes = 0) =>
    server.query(`update schedules set next_at = now() - $2 * interval '1 minute' where id = $1`, [id, minutes]);
  const waitForRun = (id: string) =>
    waitFor(async () => (await read(id)).last_run ?? undefined, { what: 'a run of the schedule' });
  const countTasks = async () =>
    (await server.query('select count(*)::int as total from tasks where user_id = $1', [user.id]))[0]?.total as number;
  return { token, user, ids, send, create, read, makeDue, waitForRun, countTasks };
};

it('a schedule starts a run on what its filter matches then, once, and says when it is due next', async () => {
  const owner = await createOwner(2);
  const { id, next_runs, last_run } = await owner.create();
  expect(next_runs).toHaveLength(3);
  expect(last_run).toBeNull();
  await owner.makeDue(id);
  const run = await owner.waitForRun(id);
  expect(run).toMatchObject({ outcome: 'started', message: null, run_id: expect.any(String) as string });
  const { body } = await owner.send('GET', `/v1/my/trading/bulk-runs/${run.run_id}`);
  expect(body.data).toMatchObject({ ...off, total: 2 });
  expect(await owner.countTasks()).toBe(2);
  const [row] = await server.query('select next_at > now() as is_later from schedules where id = $1', [id]);
  expect(row).toEqual({ is_later: true });
  expect((await owner.read(id)).next_runs).toEqual(next_runs);
});

it('a schedule of named terminals goes on without those that were deleted, and fails with a reason when none is left', async () => {
  const owner = await createOwner(2);
  const { id } = await owner.create({ all: undefined, terminal_ids: owner.ids });
  await server.query('update terminals set deleted_at = now(), status = 9 where id = $1', [owner.ids[0]]);
  await owner.makeDue(id);
  expect(await owner.waitForRun(id)).toMatchObject({ outcome: 'started' });
  await server.query('update terminals set deleted_at = now(), status = 9 where id = $1', [owner.ids[1]]);
  await server.query('update schedules set last_run = null where id = $1', [id]);
  await owner.makeDue(id);
  const failed = await owner.waitForRun(id);
  expect(failed).toMatchObject({ outcome: 'failed', run_id: null });
  expect(failed.message).toBeTruthy();
  // It can still be switched off.
  const { status, body } = await owner.send('PATCH', `${SCHEDULES}/${id}`, { enabled: false });
  expect([status, (body.data as Schedule).next_runs]).toEqual([200, []]);
});

it('a schedule that was missed is run once or skipped, as its owner chose', async () => {
  const owner = await createOwner(1);
  const kept = await owner.create({ missed: 'run_once' });
  const skipped = await owner.create({ missed: 'skip' });
  await Promise.all([owner.makeDue(kept.id, 60 * 24 * 30), owner.makeDue(skipped.id, 60 * 24 * 30)]);
  expect(await owner.waitForRun(kept.id)).toMatchObject({ outcome: 'started' });
  expect(await owner.waitForRun(skipped.id)).toMatchObject({ outcome: 'skipped', run_id: null });
  expect(await owner.countTasks()).toBe(1);
});

it('a schedule waits while its owner has no room for a run, then says so; others are not held up', async () => {
  const [owner, other] = await Promise.all([createOwner(501), createOwner(1)]);
  const run = { all: true, type: TaskType.MARKET_WATCH_SHOW_ALL };
  for (let count = 0; count < 5; count += 1) await owner.send('POST', '/v1/my/trading/bulk-runs', run);
  const late = await owner.create({ ...run, payload: undefined });
  const soon = await other.create();
  await owner.makeDue(late.id);
  const isWaiting = async () =>
    (await server.query('select waits_since from schedules where id = $1', [late.id]))[0]?.waits_since !== null;
  await waitFor(isWaiting, { what: 'a postponed schedule' });
  expect((await owner.read(late.id)).last_run).toBeNull();
  await other.makeDue(soon.id);
  expect(await other.waitForRun(soon.id)).toMatchObject({ outcome: 'started' });
  await server.query(
    `update schedules set waits_since = now() - interval '11 minutes', next_at = now() where id = $1`,
    [late.id],
  );
  expect(await owner.waitForRun(late.id)).toMatchObject({ outcome: 'failed' });
  expect((await owner.send('GET', '/v1/my/trading/bulk-runs')).body.data).toHaveLength(5);
});

it('a schedule is started in turn with those of others, however many of one account are due before it', async () => {
  const [crowd, other] = await Promise.all([createOwner(1), createOwner(1)]);
  const many = await Promise.all(
    Array.from({ length: 20 }, () => crowd.create({ filter: { tag: 'none' }, all: undefined })),
  );
  const one = await other.create();
  await server.query(
    `update schedules set next_at = now() - case when id = $1 then interval '0' else interval '1 minute' end
       where user_id = any($2::uuid[])`,
    [one.id, [crowd.user.id, other.user.id]],
  );
  const { at } = await other.waitForRun(one.id);
  const runs = await Promise.all(many.map(({ id }) => crowd.waitForRun(id)));
  expect(runs.filter((run) => Date.parse(run.at) < Date.parse(at)).length).toBeLessThanOrEqual(1);
});

it('a schedule of a suspended account rests until the account is active again', async () => {
  const [owner, other] = await Promise.all([createOwner(1), createOwner(1)]);
  const [resting, soon] = [await owner.create(), await other.create()];
  await server.query('update users set status = 1 where id = $1', [owner.user.id]);
  await owner.makeDue(resting.id, 1);
  await other.makeDue(soon.id);
  expect(await other.waitForRun(soon.id)).toMatchObject({ outcome: 'started' });
  expect(await owner.countTasks()).toBe(0);
  await server.query('update users set status = 0 where id = $1', [owner.user.id]);
  expect(await owner.waitForRun(resting.id)).toMatchObject({ outcome: 'started' });
});

/** Forty days passed, and were taken back. */
const setBack = (id: string) =>
  server.query(
    `update schedules set next_at = next_at + interval '40 days', planned_at = now() + interval '40 days',
         waits_since = waits_since + interval '40 days' where id = $1`,
    [id],
  );
const waitForPlan = async (id: string): Promise<string> =>
  waitFor(
    async () => {
      const [row] = await server.query('select next_at, planned_at <= now() as is_done from schedules where id = $1', [
        id,
      ]);
      return row!.is_done && (row!.next_at as Date).toISOString();
    },
    { what: 'a new plan' },
  );

it('a schedule that was planned by a clock that was ahead, and was set back since is due at the next of its times', async () => {
  const owner = await createOwner(1);
  const { id, next_runs } = await owner.create();
  await setBack(id);
  expect(next_runs).toContain(await waitForPlan(id));
  expect((await owner.read(id)).last_run).toBeNull();
});

it('a schedule that was planned by a clock that was ahead, and was set back since is not run again at the time at which it was run last', async () => {
  const owner = await createOwner(1);
  const { id, next_runs } = await owner.create();
  await server.query(`update schedules set last_run = jsonb_build_object('due_at', next_at) where id = $1`, [id]);
  await setBack(id);
  expect(await waitForPlan(id)).toBe(next_runs[1]);
});

it('a schedule that was planned by a clock that was ahead, and was set back since is run at once where its run waits for room', async () => {
  const owner = await createOwner(1);
  const { id, next_runs } = await owner.create();
  await server.query('update schedules set waits_since = now() where id = $1', [id]);
  await setBack(id);
  expect(await owner.waitForRun(id)).toMatchObject({ outcome: 'started' });
  expect(await waitForPlan(id)).toBe(next_runs[0]);
});

it('the times of a schedule follow a zone over a change to summer time and back', () => {
  const times = { cron: '0 21 * * 5', time_zone: 'Europe/London' };
  const runs = toNextRuns(times, new Date('2026-03-27T12:00:00Z'), 2).map((run) => run.toISOString());
  expect(runs).toEqual(['2026-03-27T21:00:00.000Z', '2026-04-03T20:00:00.000Z']);
  const twice = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
  const autumn = toNextRuns(twice, new Date('2026-10-24T12:00:00Z'), 2).map((run) => run.toISOString());
  expect(autumn).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  const spring = toNextRuns(twice, new Date('2026-03-28T12:00:00Z'), 2).map((run) => run.toISOString());
  expect(spring).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']);
});

it.each([
  ['cron', { cron: '* * * * *' }],
  ['cron', { cron: '0,1 12 * * *' }],
  ['cron', { cron: '* * * * * *' }],
  ['cron', { cron: '@hourly' }],
  ['cron', { cron: '0 0 30 2 *' }],
  ['cron', { cron: '61 * * * *' }],
  ['cron', { cron: '' }],
  ['time_zone', { time_zone: 'Mars/Olympus' }],
  ['time_zone', { time_zone: '+01:00' }],
  ['missed', { missed: 'twice' }],
  ['type', { type: TaskType.TERMINAL_DESTROY, payload: undefined }],
  ['payload.allow_algo_trading', { payload: { allow_algo_trading: 2 } }],
  ['payload.password', { type: TaskType.ACCOUNT_LOGIN, payload: { password: 'secret' } }],
  ['terminal_ids', { all: undefined }],
  ['terminal_ids.0', { all: undefined, terminal_ids: [randomUUID()] }],
  ['filter.status', { all: undefined, filter: { status: '' } }],
  ['enable', { enable: false }],
  ['planned_at', { planned_at: '2027-01-01T00:00:00Z' }],
])('bad input names %s and changes nothing: %j', async (field, body) => {
  const owner = await createOwner(1);
  const { status, body: answer } = await owner.send('POST', SCHEDULES, { ...weekend, all: true, ...body });
  expect([status, Object.keys(answer.errors as object)]).toEqual([422, [field]]);
  expect((await owner.send('GET', SCHEDULES)).body.data).toEqual([]);
});

it('bad input of a schedule in a change names its field, and what is not given stays', async () => {
  const owner = await createOwner(1);
  const before = await owner.create();
  const wrong = await owner.send('PATCH', `${SCHEDULES}/${before.id}`, { cron: 'x' });
  expect([wrong.status, Object.keys(wrong.body.errors as object)]).toEqual([422, ['cron']]);
  const { body } = await owner.send('PATCH', `${SCHEDULES}/${before.id}`, { name: 'Friday' });
  expect(body.data).toMatchObject({
    name: 'Friday',
    cron: before.cron,
    filter: {},
    missed: 'run_once',
    enabled: true,
  });
});

it('schedules are their owner’s alone, bounded, and gone when deleted', async () => {
  const [owner, stranger] = await Promise.all([createOwner(1), createOwner(1)]);
  const { id } = await owner.create();
  for (const [method, body] of [['GET'], ['PATCH', { enabled: false }], ['DELETE']] as const) {
    expect((await stranger.send(method, `${SCHEDULES}/${id}`, body)).status).toBe(404);
  }
  await server.query(
    `insert into schedules (id, user_id, name, filter, type, payload, stagger_seconds, cron, time_zone, missed, enabled)
     select gen_random_uuid(), $1, 'S', '{}', 12, '{}', 0, '0 0 * * *', 'UTC', 'skip', false from generate_series(2, $2::int)`,
    [owner.user.id, MAX_SCHEDULES],
  );
  const { body } = await owner.send('POST', SCHEDULES, { ...weekend, all: true });
  expect(body.ok).toBe(false);
  expect((await owner.send('DELETE', `${SCHEDULES}/${id}`)).status).toBe(200);
  expect((await owner.send('GET', `${SCHEDULES}/${id}`)).status).toBe(404);
});
