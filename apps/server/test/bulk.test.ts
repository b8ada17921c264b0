import { randomUUID } from 'node:crypto';
import { MAX_BULK_TERMINALS, TaskStatus, TaskType, taskTypes, TerminalStatus } from '@berth/contract';
import {
  insertTerminals,
  farAhead,
  startTestServer,
  TestHost,
  toErrorBody,
  waitFor,
  useTestServer,
} from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const MAX_TYPE = Math.max(...taskTypes);
const TERMINALS = '/v1/my/trading/terminals';
const BULK = `${TERMINALS}/bulk/tasks`;
const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };

interface Item {
  terminal_id: string;
  ok: boolean;
  task_id: string | null;
  msg: string;
}

/**
 * A user with a number of ACTIVE terminals on a host of their own; rows, because hundreds of installations take long.
 */
const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 10_000 });
  const ids = await insertTerminals(server, user.id, { hostId: host.id, count: terminals });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    server.request('POST', BULK, { token, body, headers });
  const countTasks = async () =>
    (await server.query('select count(*)::int as total from tasks where user_id = $1', [user.id]))[0]?.total as number;
  return { token, user, host, ids, post, countTasks };
};

it('a task for many terminals is created on each that takes it, and says of each other why not', async () => {
  const owner = await createOwner(3);
  const stranger = await createOwner(1);
  const [first, second, third] = owner.ids as [string, string, string];
  await server.query(`update terminals set status = ${TerminalStatus.FAILED} where id = $1`, [second]);
  const unknown = randomUUID();
  const named = [first, second, unknown, stranger.ids[0]!, 'nonsense', third.toUpperCase(), first];
  const { status, body } = await owner.post({ terminal_ids: named, ...off });
  expect(status).toBe(200);
  const missing = { ok: false, task_id: null, msg: 'Terminal not found.' };
  expect(body).toEqual({
    ok: true,
    msg: 'Tasks created: 2 of 6.',
    run_id: expect.any(String),
    data: [
      { terminal_id: first, ok: true, task_id: expect.any(String), msg: 'Task created successfully.' },
      {
        terminal_id: second,
        ok: false,
        task_id: null,
        msg: 'The installation of the terminal failed. Delete it and create it again.',
      },
      { terminal_id: unknown, ...missing },
      { terminal_id: stranger.ids[0], ...missing },
      { terminal_id: 'nonsense', ...missing },
      { terminal_id: third, ok: true, task_id: expect.any(String), msg: 'Task created successfully.' },
    ],
  });
  const [created] = body.data as [Item];
  const task = await server.request('GET', `${TERMINALS}/${first}/tasks/${created.task_id}`, { token: owner.token });
  expect(task.body.data.task).toMatchObject({ ...off, terminal_id: first });
  // A tick of the scheduler may have queued it by now.
  expect([TaskStatus.PENDING, TaskStatus.QUEUED]).toContain(task.body.data.task.status);
  expect([await owner.countTasks(), await stranger.countTasks()]).toEqual([2, 0]);
});

it('a task for many terminals is a run, which has the same tasks and is followed to its end', async () => {
  const owner = await createOwner(2);
  const first = await owner.post({ terminal_ids: owner.ids, ...off });
  const get = async (path: string) =>
    (await server.request('GET', `/v1/my/trading/bulk-runs${path}`, { token: owner.token })).body.data;
  expect(await get('')).toMatchObject([{ id: first.body.run_id, total: 2, in_progress: 2 }]);
  const items = (await get(`/${first.body.run_id}/items`)) as Item[];
  expect(items.map(({ task_id }) => task_id)).toEqual((first.body.data as Item[]).map(({ task_id }) => task_id));
  const finish = async () => {
    for (const task of await owner.host.claim(100, 0))
      await owner.host.complete(task, { enabled: false, verified: true });
    return (await get(`/${first.body.run_id}`)).finished_at !== null;
  };
  await waitFor(finish, { what: 'the end of the run' });
  expect(await get(`/${first.body.run_id}`)).toMatchObject({ succeeded: 2, failed: 0 });
});

it('a task for many terminals waits for terminals that are being installed; where none takes it, there is no run', async () => {
  const owner = await createOwner(2);
  const [first, second] = owner.ids as [string, string];
  await server.query(`update terminals set status = ${TerminalStatus.INSTALLING} where id = $1`, [first]);
  await server.query(`update terminals set status = ${TerminalStatus.FAILED} where id = $1`, [second]);
  const one = await owner.post({ all: true, ...off });
  expect((one.body.data as Item[]).map(({ terminal_id, ok }) => [terminal_id, ok])).toEqual(
    expect.arrayContaining([
      [first, true],
      [second, false],
    ]),
  );
  for (const terminal_ids of [[second], [randomUUID()], ['nonsense']]) {
    const none = (await owner.post({ terminal_ids, ...off })).body;
    expect([none.ok, none.data.length, none.run_id]).toEqual([false, 1, null]);
  }
  const runs = await server.request('GET', '/v1/my/trading/bulk-runs', { token: owner.token });
  expect((runs.body.data as { id: string }[]).map(({ id }) => id)).toEqual([one.body.run_id]);
});

it('a task for many terminals is refused where a hundred runs are open', async () => {
  const owner = await createOwner(1);
  const { body } = await owner.post({ all: true, ...off, planned_at: farAhead });
  const copy = `insert into bulk_runs (id, user_id, type, payload, planned_at, stagger_seconds, total)
      select gen_random_uuid(), user_id, type, payload, planned_at, stagger_seconds, total from bulk_runs
      cross join generate_series(1, 99) where id = $1 returning id`;
  const copies = await server.query(copy, [body.run_id]);
  await server.query(
    `insert into bulk_run_items (run_id, number, terminal_id, task_id, state)
       select c.id, i.number, i.terminal_id, i.task_id, i.state from unnest($2::uuid[]) c (id), bulk_run_items i
       where i.run_id = $1`,
    [body.run_id, copies.map(({ id }) => id)],
  );
  const refused = await owner.post({ all: true, ...off });
  expect([refused.status, refused.body]).toEqual([200, { ok: false, code: 'run_limit', msg: expect.any(String) }]);
});

it('a task for many terminals switches auto trading off everywhere by one call, and wakes the hosts', async () => {
  const owner = await createOwner(MAX_BULK_TERMINALS);
  const waiting = owner.host.claim(1000);
  const { body } = await owner.post({ filter: {}, ...off });
  expect(body.msg).toBe('Tasks created: 500 of 500.');
  expect(new Set((body.data as Item[]).map((item) => item.terminal_id))).toEqual(new Set(owner.ids));
  const claimed = (await waiting).length;
  expect(claimed).toBeGreaterThan(0);
});

it('a task for many terminals means by a filter what the list of terminals shows', async () => {
  const owner = await createOwner(12);
  await server.query(`update terminals set status = ${TerminalStatus.STOPPED} where id = any($1)`, [
    owner.ids.slice(0, 5),
  ]);
  const filter = { status: `${TerminalStatus.STOPPED}`, search: 'demo', region: 0, date_from: '2020-01-01' };
  const { body } = await owner.post({ filter, ...off });
  expect((body.data as Item[]).map((item) => item.terminal_id).sort()).toEqual(owner.ids.slice(0, 5).sort());
});

it('a task for many terminals is an error where nothing matches: no program takes it for done', async () => {
  const owner = await createOwner(0);
  for (const which of [{ filter: { region: 99 } }, { filter: {} }, { all: true }]) {
    const none = await owner.post({ ...which, ...off });
    expect([none.status, none.headers.get('x-error-code')]).toEqual([409, 'nothing_matched']);
    expect(none.body).toEqual(toErrorBody('nothing_matched'));
  }
});

it('a task for many terminals is for all terminals where that is said, and in no other way', async () => {
  const owner = await createOwner(2);
  for (const which of [{ filter: {} }, { all: true }]) {
    expect((await owner.post({ ...which, ...off })).body.data).toHaveLength(2);
  }
});

it('a task for many terminals is planned for a time, each terminal so much later than the one before it', async () => {
  const owner = await createOwner(3);
  const planned_at = farAhead;
  const toTime = (seconds: number) =>
    new Date(Date.parse(farAhead) + seconds * 1_000).toISOString().replace('Z', '000Z');
  const { body } = await owner.post({ all: true, ...off, planned_at, stagger_seconds: 90 });
  const find = async ({ terminal_id, task_id }: Item) =>
    (await server.request('GET', `${TERMINALS}/${terminal_id}/tasks/${task_id}`, { token: owner.token })).body.data
      .task;
  const tasks = await Promise.all((body.data as Item[]).map(find));
  expect(tasks.map((task) => task.planned_at)).toEqual([toTime(0), toTime(90), toTime(180)]);
  const past = { all: true, ...off, planned_at: '2020-01-01T00:00:00Z', stagger_seconds: 3600 };
  const now = await Promise.all(((await owner.post(past)).body.data as Item[]).map(find));
  const starts = now.map((task) => Date.parse(task.planned_at));
  expect(starts[0]).toBeGreaterThan(Date.parse('2026-01-01'));
  expect(starts.map((start) => start - starts[0]!)).toEqual([0, 3_600_000, 7_200_000]);
  const plain = await Promise.all(((await owner.post({ all: true, ...off })).body.data as Item[]).map(find));
  expect(plain.map((task) => task.planned_at)).toEqual([null, null, null]);
});

it('a task for many terminals is created once for an Idempotency-Key; what created nothing is tried again', async () => {
  const owner = await createOwner(4);
  const key = { 'idempotency-key': randomUUID() };
  const order = { terminal_ids: owner.ids, ...off };
  const first = await owner.post(order, key);
  expect((await owner.post(order, key)).body).toEqual(first.body);
  expect(await owner.countTasks()).toBe(4);
  const other = await owner.post({ ...order, terminal_ids: owner.ids.slice(1) }, key);
  expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['idempotency_key']]);
  const again = { 'idempotency-key': randomUUID() };
  await server.query(`update terminals set status = ${TerminalStatus.FAILED} where id = any($1)`, [owner.ids]);
  expect((await owner.post(order, again)).body.ok).toBe(false);
  await server.query(`update terminals set status = ${TerminalStatus.ACTIVE} where id = any($1)`, [owner.ids]);
  expect((await owner.post(order, again)).body.ok).toBe(true);
});

it.each([
  [{ ...off }, ['terminal_ids']],
  [{ terminal_ids: [], ...off }, ['terminal_ids']],
  [{ terminal_ids: ['x'], filter: {}, ...off }, ['filter']],
  [{ terminal_ids: Array.from({ length: 501 }, () => 'x'), ...off }, ['terminal_ids']],
  [{ terminal_ids: [7], ...off }, ['terminal_ids.0']],
  [{ terminal_ids: ['a'.repeat(65)], ...off }, ['terminal_ids.0']],
  [{ filter: [], ...off }, ['filter']],
  [{ filter: { status: '3,x' }, ...off }, ['filter.status']],
  [{ filter: { regoin: 1 }, ...off }, ['filter.regoin']],
  [{ filter: { status: [] }, ...off }, ['filter.status']],
  [{ filter: { status: '' }, ...off }, ['filter.status']],
  [{ filter: { search: ' ' }, ...off }, ['filter.search']],
  [{ filter: { project_id: null, region: null }, ...off }, ['filter.project_id', 'filter.region']],
  [{ filter: { date_from: null }, ...off }, ['filter.date_from']],
  [{ filter: null, ...off }, ['terminal_ids']],
  [{ all: false, ...off }, ['all']],
  [{ all: null, ...off }, ['terminal_ids']],
  [{ all: true, filter: {}, ...off }, ['all']],
  [{ all: true, terminal_ids: ['x'], ...off }, ['all']],
  [{ all: true, ...off, plannedAt: '2100-01-01T00:00:00Z' }, ['plannedAt']],
  [{ all: true, ...off, planned_at: 'soon' }, ['planned_at']],
  [{ all: true, ...off, stagger_seconds: -1 }, ['stagger_seconds']],
  [{ all: true, ...off, stagger: 5 }, ['stagger']],
  [{ filter: { date_from: '2026-02-02', date_to: '2026-02-01' }, ...off }, ['filter.date_to']],
  [{ filter: {} }, ['type']],
  [{ filter: {}, type: TaskType.TERMINAL_INSTALL }, ['type']],
  [{ filter: {}, type: TaskType.TERMINAL_DESTROY }, ['type']],
  [{ filter: {}, type: MAX_TYPE + 1 }, ['type']],
  [{ filter: {}, type: TaskType.OPTIONS_AUTO_TRADE }, ['payload.allow_algo_trading']],
  [{ filter: {}, type: TaskType.ACCOUNT_LOGIN, payload: { login: '1', password: 'x' } }, ['payload.login']],
  [
    {
      filter: {},
      type: TaskType.EA_INSTALL,
      payload: { name: 'E', file_id: randomUUID(), symbol: 'EURUSD', period: 'H1' },
    },
    ['payload.file_id'],
  ],
])('a task for many terminals refuses what is wrong (case %#), and creates nothing', async (body, fields) => {
  const owner = await createOwner(1);
  const answer = await owner.post(body);
  expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, fields]);
  expect(await owner.countTasks()).toBe(0);
});

it('a task for many terminals refuses more terminals than a call may reach, and payloads that come to too much', async () => {
  const owner = await createOwner(MAX_BULK_TERMINALS + 1);
  const many = await owner.post({ filter: {}, ...off });
  expect([many.status, Object.keys(many.body.errors)]).toEqual([422, ['filter']]);
  const payload = {
    name: 'E',
    inputs: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`i${n}`, 'x'.repeat(100)])),
  };
  const terminal_ids = owner.ids.slice(0, MAX_BULK_TERMINALS);
  const large = await owner.post({ terminal_ids, type: TaskType.EA_UPDATE, payload });
  expect([large.status, Object.keys(large.body.errors)]).toEqual([422, ['payload']]);
  expect(await owner.countTasks()).toBe(0);
  expect(
    (await owner.post({ terminal_ids: terminal_ids.slice(0, 300), type: TaskType.EA_UPDATE, payload })).status,
  ).toBe(200);
});

it('a task for many terminals seals a secret for each terminal by itself', async () => {
  const owner = await createOwner(2);
  const payload = { password: 'sesame-of-many' };
  const { body } = await owner.post({ terminal_ids: owner.ids, type: TaskType.ACCOUNT_LOGIN, payload });
  expect(body.ok).toBe(true);
  const rows = await server.query('select payload, sealed from tasks where user_id = $1', [owner.user.id]);
  expect(rows.map((row) => (row.payload as { password: string }).password)).toEqual(['********', '********']);
  expect(new Set(rows.map((row) => row.sealed)).size).toBe(2);
  expect(JSON.stringify([rows, body])).not.toContain('sesame');
});

it('many terminals count once against the limit of creations', async () => {
  // Sixty requests may take longer than a minute on a machine that is busy.
  const config = { defaultPlatform: 'sandbox' as const, isRateLimited: true, rateWindowMs: 600_000 };
  const limited = await startTestServer({ config });
  try {
    const { token } = await limited.register('Limited');
    const body = { terminal_ids: Array.from({ length: 100 }, () => randomUUID()), ...off };
    const answers = [];
    for (let count = 0; count < 61; count += 1) answers.push(await limited.request('POST', BULK, { token, body }));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
  } finally {
    await limited.close();
  }
});
