/** What runs may take: a turn from others, rows of the database, the years that there are. */
import { randomUUID } from 'node:crypto';
import { MAX_RUN_TERMINALS, TaskType, type BulkRun } from '@berth/contract';
import { insertTerminals, farAhead, TestHost, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const RUNS = '/v1/my/trading/bulk-runs';
const TASKS = '/v1/my/trading/terminals/bulk/tasks';
const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };

const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 20_000 });
  await insertTerminals(server, user.id, { hostId: host.id, count: terminals });
  const post = (path: string, body: unknown) => server.request('POST', path, { token, body });
  const get = async (path: string) => (await server.request('GET', path, { token })).body;
  const read = async (id: string) => (await get(`${RUNS}/${id}`)).data as BulkRun;
  return { user, post, get, read };
};

it('runs of others hold up nobody, however many of them wait for a day to come', async () => {
  const crowd = await createOwner(1);
  const { id } = (await crowd.post(RUNS, { all: true, ...off, planned_at: farAhead })).body.data as BulkRun;
  // As twenty users begin them, who may have five each.
  await server.query(
    `with copies as (
         insert into bulk_runs (id, user_id, type, payload, planned_at, stagger_seconds, total, served_at)
         select gen_random_uuid(), user_id, type, payload, planned_at, stagger_seconds, total, now() - interval '1 hour'
         from bulk_runs cross join generate_series(1, 100) where id = $1 returning id
       )
       insert into bulk_run_items (run_id, number, terminal_id, task_id, state)
       select c.id, i.number, i.terminal_id, i.task_id, i.state from copies c, bulk_run_items i where i.run_id = $1`,
    [id],
  );
  const owner = await createOwner(501);
  const run = (await owner.post(RUNS, { all: true, ...off })).body.data as BulkRun;
  expect(run.pending).toBe(1);
  await waitFor(async () => (await owner.read(run.id)).pending === 0, { what: 'the last task' });
  expect((await owner.post(`${RUNS}/${run.id}/cancel`, {})).body.ok).toBe(true);
  await waitFor(async () => (await owner.read(run.id)).finished_at !== null, { what: 'the end of the run' });
});

it('a run with a filter has as many terminals as one that names them, unless it is a stop', async () => {
  const owner = await createOwner(MAX_RUN_TERMINALS + 1);
  const { status, body } = await owner.post(RUNS, { all: true, type: TaskType.SCREENSHOT });
  expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['filter']]);
  expect((await owner.get(RUNS)).pagination.total).toBe(0);
  const stop = (await owner.post(RUNS, { all: true, ...off })).body.data as BulkRun;
  expect(stop.total).toBe(MAX_RUN_TERMINALS + 1);
});

const seed = (userId: string, runs: number, total: number) =>
  server.query(
    `insert into bulk_runs (id, user_id, type, payload, stagger_seconds, total, created_at, finished_at)
       select gen_random_uuid(), $1, 12, '{}', 0, $3, now() - n * interval '1 second', now()
       from generate_series(1, $2::integer) n`,
    [userId, runs, total],
  );

it('runs that are over are kept up to a thousand of an account, and open ones always', async () => {
  const owner = await createOwner(1);
  await seed(owner.user.id, 1_100, 1);
  await server.query(
    `update bulk_runs set finished_at = null where id = (select min(id::text)::uuid from bulk_runs where user_id = $1
         and created_at < now() - interval '1050 seconds')`,
    [owner.user.id],
  );
  expect((await owner.post(RUNS, { all: true, ...off })).body.ok).toBe(true);
  const { pagination } = await owner.get(RUNS);
  expect(pagination.total).toBe(1_001);
});

it('runs that are over are kept up to a hundred thousand members, and the newest ten in any case', async () => {
  const owner = await createOwner(1);
  await seed(owner.user.id, 30, 10_000);
  const named = [randomUUID(), randomUUID()];
  expect((await owner.post(RUNS, { terminal_ids: named, ...off })).status).toBe(409);
  expect((await owner.get(RUNS)).pagination.total).toBe(30);
  expect((await owner.post(RUNS, { all: true, ...off })).body.ok).toBe(true);
  expect((await owner.get(RUNS)).pagination.total).toBe(10);
});

it.each([RUNS, TASKS])('more than a year ahead is refused by %s', async (path) => {
  const owner = await createOwner(3);
  const plan = (days: number, seconds: number) => {
    const planned_at = new Date(Date.now() + days * 86_400_000).toISOString();
    return owner.post(path, { all: true, type: TaskType.SCREENSHOT, planned_at, stagger_seconds: seconds });
  };
  const late = await plan(367, 0);
  expect([late.status, Object.keys(late.body.errors ?? {})]).toEqual([422, ['planned_at']]);
  const last = await plan(365, 86_400);
  expect([last.status, Object.keys(last.body.errors ?? {})]).toEqual([422, ['stagger_seconds']]);
  expect((await plan(365, 3_600)).body.ok).toBe(true);
});
