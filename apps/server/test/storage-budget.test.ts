/** What a user may store in total: tasks, runs, deliveries, events, files and the rest. */
import { storageKinds, TaskType, type Schedule, type StorageUsage } from '@berth/contract';
import {
  insertTerminals,
  farAhead,
  LOOPBACK,
  useTestServer,
  startWebhookReceiver,
  TestHost,
  toStep,
  waitFor,
} from '@berth/testing';
import { expect, it } from 'vitest';
import { addUpChanges } from '../src/storage/budget.ts';

const MIB = 1024 * 1024;
const QUOTA_MIB = 1;
const TERMINALS = '/v1/my/trading/terminals';
const later = { type: TaskType.SCREENSHOT, payload: {}, planned_at: farAhead };
const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
const endings = [
  off,
  { type: TaskType.EA_REMOVE, payload: { name: 'Rider' } },
  { type: TaskType.ACCOUNT_LOGOUT },
  { type: TaskType.TERMINAL_STOP },
];

const storageLimits = new Map([[0, QUOTA_MIB]]);
const server = useTestServer({ config: { defaultPlatform: 'sandbox', outbound: LOOPBACK, storageLimits } });

const createOwner = async ({ terminals = 1 } = {}) => {
  const { token, user } = await server.register('Storing');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 1_000 });
  const ids = await insertTerminals(server, user.id, { hostId: host.id, count: terminals });
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    server.request(method, path, { token, headers, ...(body === undefined ? {} : { body }) });
  const post = (path: string, body?: unknown, headers = {}) => send('POST', path, body, headers);
  const addTask = (body: object) => post(`${TERMINALS}/${ids[0]}/tasks`, body);
  const upload = (content: Uint8Array) => server.upload(token, content);
  const readUsage = async () => (await send('GET', '/v1/my/account/usage')).body.data as StorageUsage;
  return { token, userId: user.id, host, ids, send, post, addTask, upload, readUsage };
};
type Owner = Awaited<ReturnType<typeof createOwner>>;

/** Fills the storage with tasks for another day, until one more is refused. */
const fill = async (owner: Owner) => {
  for (;;) {
    const answer = await owner.post(`${TERMINALS}/bulk/tasks`, { terminal_ids: owner.ids, ...later });
    if (answer.status !== 200) return answer;
  }
};

/** What is there, counted row by row. */
const recount = async (userId: string) => {
  const [row] = await server.query(
    `select
       (select coalesce(sum(size), 0) from files where user_id = $1)::float8 as files,
       (select coalesce(sum(task_bytes(payload, sealed, result)), 0) from tasks where user_id = $1)::float8 as tasks,
       (select coalesce(sum(run_bytes(payload, sealed, total)), 0) from bulk_runs where user_id = $1)::float8 as runs,
       (select coalesce(sum(delivery_bytes(d.attempts)), 0) from webhook_deliveries d
         join webhooks w on w.id = d.webhook_id where w.user_id = $1)::float8 as webhooks,
       (select coalesce(sum(row_bytes(data)), 0) from events where user_id = $1)::float8 as events,
       ((select coalesce(sum(row_bytes(data)), 0) from notifications where user_id = $1)
         + (select coalesce(sum(row_bytes(response)), 0) from idempotency_keys where user_id = $1)
         + 1024 * (select count(*) from alerts where user_id = $1)
         + 1024 * (select count(*) from alert_messages where user_id = $1))::float8 as other`,
    [userId],
  );
  return row;
};

const expectFull = ({ status, headers, body }: Awaited<ReturnType<Owner['post']>>, kind: string) => {
  expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([507, 'storage_full', '600']);
  expect(body.msg).toBe(`Your storage is full. Most of it is taken by ${kind} (1 MiB of 1 MiB).`);
};

it('what a user stores is what a count of all rows says, whatever was written, changed and removed', async () => {
  const owner = await createOwner({ terminals: 3 });
  const receiver = await startWebhookReceiver();
  receiver.answer = () => ({ status: 500, body: 'x'.repeat(900) });
  const hook = { url: receiver.url, events: ['*'] };
  const [one, two] = await Promise.all([owner.post('/v1/my/webhooks', hook), owner.post('/v1/my/webhooks', hook)]);
  await owner.upload(Buffer.alloc(1_000));
  const login = {
    type: TaskType.ACCOUNT_LOGIN,
    payload: { login: '5', password: 'p'.repeat(100), server_name: 'Demo' },
  };
  await owner.addTask(login);
  for (const key of ['a', 'b']) {
    await owner.post(
      `${TERMINALS}/${owner.ids[1]}/tasks`,
      { type: TaskType.MARKET_WATCH_SHOW_ALL },
      { 'idempotency-key': key },
    );
  }
  await owner.post('/v1/my/trading/bulk-runs', { all: true, ...off });
  await owner.addTask(later);
  const tasks = await owner.host.claim();
  for (const task of tasks) {
    const { id: task_id, fence } = task;
    await owner.host.report({
      kind: 'failed',
      task_id,
      fence,
      steps: [toStep({ ok: false, code: 'E_NOT_RUNNING', message: 'm'.repeat(2_000) })],
    });
  }
  await waitFor(() => receiver.received.length >= 4, { what: 'calls of both webhooks' });
  await waitFor(async () => (await owner.readUsage()).by.webhooks > 4_000, { what: 'what was answered' });
  // A webhook goes with its deliveries; a day later a key is used for something else.
  await owner.send('DELETE', `/v1/my/webhooks/${one.body.data.id}`);
  await server.query(`update idempotency_keys set created_at = now() - interval '25 hours' where user_id = $1`, [
    owner.userId,
  ]);
  await owner.post(
    `${TERMINALS}/${owner.ids[2]}/tasks`,
    { type: TaskType.MARKET_WATCH_SHOW_ALL },
    { 'idempotency-key': 'a' },
  );
  await owner.send('PATCH', `/v1/my/webhooks/${two.body.data.id}`, { status: 'disabled' });
  await addUpChanges(server.services.db.slow);
  const usage = await owner.readUsage();
  expect(usage.by).toEqual(await recount(owner.userId));
  for (const kind of storageKinds) expect([kind, usage.by[kind] > 0]).toEqual([kind, true]);
  expect(usage.used_bytes).toBe(storageKinds.reduce((sum, kind) => sum + usage.by[kind], 0));
  expect(usage.quota_bytes).toBe(QUOTA_MIB * MIB);
  // Years later.
  await server.query(`update idempotency_keys set created_at = now() - interval '9 years' where user_id = $1`, [
    owner.userId,
  ]);
  await server.query(`update events set occurred_at = now() - interval '9 years' where user_id = $1`, [owner.userId]);
  await server.query(`update bulk_runs set finished_at = now() - interval '9 years' where user_id = $1`, [
    owner.userId,
  ]);
  await server.prune();
  expect((await owner.readUsage()).by).toMatchObject({ runs: 0, events: 0 });
  expect((await owner.readUsage()).by).toEqual(await recount(owner.userId));
  await receiver.close();
});

it('what a user stores is added up by any number of servers at once, and no change is counted twice or never', async () => {
  const { userId, readUsage } = await createOwner();
  const add = (bytes: number) =>
    server.query(
      `insert into storage_changes (user_id, kind, bytes) select $1, 'runs', $2 from generate_series(1, 500)`,
      [userId, bytes],
    );
  const addUp = () => addUpChanges(server.services.db.slow);
  await Promise.all([add(3), addUp(), add(5), addUp(), add(-1), addUp()]);
  expect((await readUsage()).by.runs).toBe(3_500);
  await addUp();
  expect((await readUsage()).by.runs).toBe(3_500);
  expect(
    await server.query(`select bytes::int from storage_usage where user_id = $1 and kind = 'runs'`, [userId]),
  ).toEqual([{ bytes: 3_500 }]);
});

it('a storage that is full refuses what would grow it, and names what takes most; another user notices nothing', async () => {
  const owner = await createOwner({ terminals: 100 });
  expectFull(await fill(owner), 'tasks');
  while ((await owner.addTask(later)).status === 200);
  const usage = await owner.readUsage();
  expect(usage.used_bytes).toBeLessThanOrEqual(QUOTA_MIB * MIB);
  const terminal = { server_name: 'Demo', login: '77', password: 'p', region: 0 };
  const items = Array.from({ length: 50 }, (_, index) => ({ ...terminal, login: String(index) }));
  const attempts = [
    ...Array.from({ length: 50 }, () => owner.addTask(later)),
    owner.post('/v1/my/trading/bulk-runs', { all: true, ...later }),
    owner.post(`${TERMINALS}/bulk`, { items }),
    owner.upload(Buffer.alloc(200_000)),
  ];
  const answers = await Promise.all(attempts);
  for (const answer of answers) expectFull(answer, 'tasks');
  expectFull(await owner.post(`${TERMINALS}/${owner.ids[0]}/screenshot`), 'tasks');
  expectFull(await owner.post(TERMINALS, terminal), 'tasks');
  const other = await createOwner();
  expect((await other.addTask(later)).status).toBe(200);
});

it('a storage that is full lets pass what ends trading, deletions, cancellations and answers that are sent again', async () => {
  const owner = await createOwner({ terminals: 100 });
  const again = { 'idempotency-key': 'again' };
  const first = await owner.post(`${TERMINALS}/${owner.ids[0]}/tasks`, later, again);
  await fill(owner);
  while ((await owner.addTask(later)).status === 200);
  expect(await owner.addTask(later)).toMatchObject({ status: 507 });
  for (const ending of endings) expect([ending.type, (await owner.addTask(ending)).status]).toEqual([ending.type, 200]);
  expect((await owner.post('/v1/my/trading/bulk-runs', { all: true, ...off })).body.ok).toBe(true);
  expect((await owner.post(`${TERMINALS}/${owner.ids[0]}/tasks`, later, again)).body).toEqual(first.body);
  expect((await owner.post(`${TERMINALS}/${owner.ids[0]}/tasks/${first.body.data.id}/cancel`)).body.ok).toBe(true);
  expect((await owner.send('DELETE', `${TERMINALS}/${owner.ids[1]}`)).body.ok).toBe(true);
});

it('a storage that is full lets pass what ends trading only if it is to happen now, and not without end', async () => {
  const owner = await createOwner({ terminals: 100 });
  const stopAll = (when: object) => owner.post('/v1/my/trading/bulk-runs', { all: true, ...off, ...when });
  await fill(owner);
  while ((await owner.addTask(later)).status === 200);
  expectFull(await stopAll({ planned_at: farAhead }), 'tasks');
  expectFull(await stopAll({ stagger_seconds: 1 }), 'tasks');
  expectFull(await owner.addTask({ ...off, planned_at: farAhead }), 'tasks');
  expectFull(
    await owner.post(`${TERMINALS}/bulk/tasks`, { terminal_ids: owner.ids, ...off, planned_at: farAhead }),
    'tasks',
  );
  await server.query(`insert into storage_changes (user_id, kind, bytes) values ($1, 'tasks', $2)`, [
    owner.userId,
    64 * MIB,
  ]);
  await waitFor(async () => (await owner.addTask(off)).status === 507, { what: 'a refusal' });
  expect((await stopAll({})).status).toBe(507);
  expect((await owner.send('DELETE', `${TERMINALS}/${owner.ids[1]}`)).body.ok).toBe(true);
});

it('a storage that is full has room at once for what was deleted', async () => {
  const owner = await createOwner();
  const { id } = (await owner.upload(Buffer.alloc(MIB - 100_000))).body.data;
  expectFull(
    await owner.post('/v1/my/trading/terminals/bulk', { items: Array.from({ length: 30 }, () => ({})) }),
    'files',
  );
  expect((await owner.send('DELETE', `/v1/my/files/${id}`)).status).toBe(200);
  expect((await owner.upload(Buffer.alloc(MIB - 100_000))).status).toBe(200);
});

it('a storage that is full makes the run of a schedule fail with the reason', async () => {
  const owner = await createOwner({ terminals: 100 });
  const schedule = { name: 'Nightly', type: TaskType.SCREENSHOT, payload: {}, all: true };
  const when = { cron: '0 21 * * 5', time_zone: 'UTC', missed: 'run_once' };
  const { id } = (await owner.post('/v1/my/schedules', { ...schedule, ...when })).body.data as Schedule;
  await fill(owner);
  await server.query('update schedules set next_at = now() where id = $1', [id]);
  const read = async () => (await owner.send('GET', `/v1/my/schedules/${id}`)).body.data as Schedule;
  const run = await waitFor(async () => (await read()).last_run ?? undefined, { what: 'a run of the schedule' });
  expect(run).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('Your storage is full.') as string,
  });
});

const EVENTS = 1_000;
/** An eighth of the storage, of which a delivery takes 1 KiB at least; and what one round of each webhook adds. */
const MOST = (QUOTA_MIB * MIB) / 8 + 2 * 200 * 1_024 * 2;

const happen = (userId: string) =>
  server.query(
    `insert into events (user_id, type, data)
       select $1, 'security.token_created', jsonb_build_object('token_id', n, 'name', 'n') from generate_series(1, ${EVENTS}) n`,
    [userId],
  );

it('deliveries of webhooks take a part of the storage at the most: the oldest give way, and each event is still sent', async () => {
  const { userId, post, readUsage } = await createOwner();
  const receiver = await startWebhookReceiver();
  receiver.answer = () => ({ status: 200, body: 'x'.repeat(1_000) });
  const hook = { url: receiver.url, events: ['security.token_created'] };
  await Promise.all([post('/v1/my/webhooks', hook), post('/v1/my/webhooks', hook)]);
  await happen(userId);
  await waitFor(() => receiver.received.length === 2 * EVENTS, { what: 'the last event', timeoutMs: 60_000 });
  const sent = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(sent.size).toBe(2 * EVENTS);
  await waitFor(
    async () =>
      (
        await server.query(
          `select from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where w.user_id = $1 and d.status = 'pending'`,
          [userId],
        )
      ).length === 0,
    { what: 'what came of the last' },
  );
  expect((await readUsage()).by.webhooks).toBeLessThanOrEqual(MOST);
  expect((await readUsage()).by.webhooks).toBe((await recount(userId))?.webhooks);
  await receiver.close();
});

it('deliveries of webhooks wait in the log where those that wait take that part, and go out when there is room again', async () => {
  const { userId, post, readUsage } = await createOwner();
  const receiver = await startWebhookReceiver();
  receiver.answer = () => ({ status: 500, body: 'x'.repeat(1_000) });
  const hook = { url: receiver.url, events: ['security.token_created'] };
  const { id } = (await post('/v1/my/webhooks', hook)).body.data;
  await happen(userId);
  const pending = async () => (await server.query('select from webhook_deliveries where webhook_id = $1', [id])).length;
  await waitFor(async () => (await pending()) > 0 && (await readUsage()).by.webhooks >= MIB / 8, {
    what: 'a full part',
  });
  expect((await readUsage()).by.webhooks).toBeLessThanOrEqual(MOST);
  receiver.answer = () => ({ status: 200 });
  const goOn = async () => {
    await server.query(
      `with due as (update webhook_deliveries set next_attempt_at = now() where webhook_id = $1 and status = 'pending')
         update webhooks set paused_until = null, due_at = now() where id = $1`,
      [id],
    );
    return new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size >= EVENTS;
  };
  await waitFor(goOn, { what: 'every event', timeoutMs: 60_000 });
  await receiver.close();
});
