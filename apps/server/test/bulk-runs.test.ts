/** Runs: the same task on many terminals, which the server carries on by itself. */
import { randomUUID } from 'node:crypto';
import { TaskType, TerminalStatus, type BulkRun, type BulkRunItem } from '@berth/contract';
import { insertTerminals, farAhead, TestHost, toStep, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { createBatch } from '../src/runs/runs.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const RUNS = '/v1/my/trading/bulk-runs';
const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };

const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}`, capacity: 10_000 });
  const ids = await insertTerminals(server, user.id, { hostId: host.id, count: terminals });
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path, { token, body, headers });
  const begin = (body: unknown, headers?: Record<string, string>) => send('POST', RUNS, body, headers);
  const read = async (id: string) => (await send('GET', `${RUNS}/${id}`)).body.data as BulkRun;
  const listItems = async (id: string, query = '?per_page=100') =>
    (await send('GET', `${RUNS}/${id}/items${query}`)).body.data as BulkRunItem[];
  const waitForEnd = (id: string) =>
    waitFor(async () => ((await read(id)).finished_at === null ? undefined : read(id)), { what: 'the end of the run' });
  const setStatus = (status: TerminalStatus, ...ids: string[]) =>
    server.query(`update terminals set status = $1 where id = any($2)`, [status, ids]);
  const countTasks = async () =>
    (await server.query('select count(*)::int as total from tasks where user_id = $1', [user.id]))[0]?.total as number;
  return { ...{ token, user, host, ids, send, begin, read, listItems }, waitForEnd, setStatus, countTasks };
};

it('a run passes over what is not installed, so that it has an end, and shows first what wants somebody', async () => {
  const owner = await createOwner(6);
  const [, , pending, installing, failed, destroying] = owner.ids as [string, string, string, string, string, string];
  await owner.setStatus(TerminalStatus.PENDING, pending);
  await owner.setStatus(TerminalStatus.INSTALLING, installing);
  await owner.setStatus(TerminalStatus.FAILED, failed);
  await owner.setStatus(TerminalStatus.DESTROYING, destroying);
  const { status, body } = await owner.begin({ all: true, ...off });
  expect([status, body.msg]).toEqual([200, 'The run has begun.']);
  const run = body.data as BulkRun;
  expect(run).toMatchObject({ ...off, total: 6, skipped: 4, in_progress: 2, pending: 0, finished_at: null });
  const claimed: Awaited<ReturnType<TestHost['claim']>> = [];
  const claimMore = async () => {
    claimed.push(...(await owner.host.claim(100, 0)));
    return claimed.length === 2;
  };
  await waitFor(claimMore, { what: 'both tasks' });
  const [good, bad] = claimed as [(typeof claimed)[0], (typeof claimed)[0]];
  await owner.host.complete(good, { enabled: false, verified: true });
  const seen = toStep({ ok: false, code: 'E_UNSUPPORTED', message: 'The terminal still says that trading is on.' });
  const of = { task_id: bad.id, fence: bad.fence };
  await owner.host.report({ kind: 'started', ...of }, { kind: 'failed', ...of, steps: [seen] });
  expect(await owner.waitForEnd(run.id)).toMatchObject({ succeeded: 1, failed: 1, skipped: 4, in_progress: 0 });
  const items = await owner.listItems(run.id);
  expect(items.map(({ state }) => state)).toEqual(['failed', ...Array(4).fill('skipped'), 'succeeded']);
  expect(items[0]).toMatchObject({
    terminal_id: bad.terminal.id,
    terminal_name: expect.stringMatching(/^T00[12]$/),
    task_id: bad.id,
    reason: 'The terminal still says that trading is on.',
    code: 'E_UNSUPPORTED',
  });
  expect(items[5]).toMatchObject({ terminal_id: good.terminal.id, reason: null });
  const reasons = new Map(items.map(({ terminal_id: id, reason }) => [id, reason]));
  expect(reasons.get(pending)).toContain('not installed yet');
  expect(reasons.get(installing)).toContain('not installed yet');
  expect(reasons.get(failed)).toContain('The installation of the terminal failed');
  expect(reasons.get(destroying)).toBe('The terminal is being destroyed.');
  expect(await owner.listItems(run.id, '?state=skipped&per_page=2&page=2')).toHaveLength(2);
  expect(await owner.countTasks()).toBe(2);
});

it('a run reaches more terminals than one call of tasks, each once, also when its key is sent again', async () => {
  const owner = await createOwner(700);
  const key = { 'idempotency-key': randomUUID() };
  const first = await owner.begin({ filter: {}, ...off }, key);
  expect(first.body.data).toMatchObject({ total: 700, pending: 200, in_progress: 500 });
  expect((await owner.begin({ filter: {}, ...off }, key)).body).toEqual(first.body);
  const { id } = first.body.data as BulkRun;
  await waitFor(async () => (await owner.read(id)).in_progress === 700, { what: 'all tasks' });
  const [row] = await server.query(
    `select count(*)::int as tasks, count(distinct terminal_id)::int as terminals from tasks where user_id = $1`,
    [owner.user.id],
  );
  expect(row).toEqual({ tasks: 700, terminals: 700 });
  expect((await owner.send('POST', `${RUNS}/${id}/cancel`)).body.ok).toBe(true);
  expect(await owner.waitForEnd(id)).toMatchObject({ canceled: 700, in_progress: 0 });
});

it('a run is gone on with where a server died between two batches, and nothing is created twice', async () => {
  const owner = await createOwner(3);
  const { id } = (await owner.begin({ all: true, ...off, planned_at: farAhead })).body.data as BulkRun;
  // As a server leaves it that dies before it has committed the first batch.
  await server.query(`delete from tasks where user_id = $1`, [owner.user.id]);
  const { db } = server.services;
  const dying = db.transaction(async (tx) => {
    await tx.query({ name: '', text: `update bulk_run_items set state = 4, task_id = null where run_id = $1` }, [id]);
    await createBatch(tx, server.services, id);
    throw new Error('killed');
  });
  await expect(dying).rejects.toThrow('killed');
  await server.query(`update bulk_run_items set state = 4, task_id = null where run_id = $1`, [id]);
  await waitFor(async () => (await owner.read(id)).in_progress === 3, { what: 'the tasks' });
  expect(await owner.countTasks()).toBe(3);
  await owner.send('POST', `${RUNS}/${id}/cancel`);
});

it('a run has the members of the moment at which it began, also those that are deleted at once', async () => {
  const owner = await createOwner(2);
  const [gone, kept] = owner.ids as [string, string];
  const { id } = (await owner.begin({ all: true, ...off, planned_at: farAhead })).body.data as BulkRun;
  await owner.send('DELETE', `/v1/my/trading/terminals/${gone}`);
  await waitFor(async () => (await owner.read(id)).canceled === 1, { what: 'the end of the deleted' });
  expect((await owner.listItems(id)).map(({ terminal_id: one, state }) => [one, state])).toEqual([
    [gone, 'canceled'],
    [kept, 'in_progress'],
  ]);
  await owner.send('POST', `${RUNS}/${id}/cancel`);
  expect(await owner.waitForEnd(id)).toMatchObject({ canceled: 2 });
});

it('a run is planned and staggered over all batches', async () => {
  const owner = await createOwner(502);
  const body = { all: true, ...off, planned_at: farAhead, stagger_seconds: 10 };
  const { id } = (await owner.begin(body)).body.data as BulkRun;
  await waitFor(async () => (await owner.read(id)).pending === 0, { what: 'all tasks' });
  const [row] = await server.query(
    `select min(planned_at) as first, max(planned_at) as last, count(distinct planned_at)::int as times
       from tasks where user_id = $1`,
    [owner.user.id],
  );
  const first = new Date(farAhead);
  expect(row).toEqual({ first, last: new Date(first.getTime() + 5_010_000), times: 502 });
  await owner.send('POST', `${RUNS}/${id}/cancel`);
});

it('a run keeps its secrets sealed, and has none when it is over', async () => {
  const owner = await createOwner(1);
  const order = { type: TaskType.ACCOUNT_LOGIN, payload: { password: 'sesame-of-runs' } };
  const { id, payload } = (await owner.begin({ all: true, ...order, planned_at: farAhead })).body.data as BulkRun;
  expect(payload).toEqual({ password: '********' });
  const dump = async () =>
    JSON.stringify(
      await server.query(`select r.*, t.payload as task from bulk_runs r, tasks t where r.id = $1 and t.user_id = $2`, [
        id,
        owner.user.id,
      ]),
    );
  expect(await dump()).toContain('v1.');
  expect(await dump()).not.toContain('sesame');
  await owner.send('POST', `${RUNS}/${id}/cancel`);
  await owner.waitForEnd(id);
  expect((await server.query(`select sealed from bulk_runs where id = $1`, [id]))[0]?.sealed).toBe(null);
});

const destroy = { type: TaskType.TERMINAL_DESTROY };

it('a run of deletions destroys the terminals that are named, in batches, and follows each to its end', async () => {
  const owner = await createOwner(32);
  const [waiting, leaving, ...others] = owner.ids as [string, string, ...string[]];
  await server.query(`update terminals set host_id = null, status = 0 where id = $1`, [waiting]);
  await owner.send('DELETE', `/v1/my/trading/terminals/${leaving}`);
  const key = { 'idempotency-key': randomUUID() };
  const order = { terminal_ids: owner.ids, ...destroy };
  const { body } = await owner.begin(order, key);
  expect((await owner.begin(order, key)).body).toEqual(body);
  const { id } = body.data as BulkRun;
  expect(body.data).toMatchObject({ total: 32, skipped: 1 });
  await waitFor(async () => (await owner.read(id)).in_progress === others.length, { what: 'all tasks' });
  expect(await owner.read(id)).toMatchObject({ succeeded: 1, skipped: 1, pending: 0 });
  // What was begun is not taken back.
  await owner.send('POST', `${RUNS}/${id}/cancel`);
  const claimed: Awaited<ReturnType<TestHost['claim']>> = [];
  const claimMore = async () => {
    claimed.push(...(await owner.host.claim(100, 0)));
    return claimed.length === others.length + 1;
  };
  await waitFor(claimMore, { what: 'the tasks' });
  expect(new Set(claimed.map(({ type }) => type))).toEqual(new Set([TaskType.TERMINAL_DESTROY]));
  for (const task of claimed) await owner.host.complete(task, { freed_bytes: 1 });
  expect(await owner.waitForEnd(id)).toMatchObject({ succeeded: 31, skipped: 1, canceled: 0, failed: 0 });
  const [skipped] = await owner.listItems(id);
  expect(skipped).toMatchObject({ terminal_id: leaving, reason: 'The terminal is being destroyed.' });
  const left = await server.query(`select from terminals where user_id = $1 and deleted_at is null`, [owner.user.id]);
  expect(left).toEqual([]);
});

it('a run of deletions is refused for terminals that nobody named, for later, and without the right to delete', async () => {
  const owner = await createOwner(1);
  for (const [field, body] of Object.entries({
    all: { all: true },
    filter: { filter: {} },
    planned_at: { terminal_ids: owner.ids, planned_at: farAhead },
    stagger_seconds: { terminal_ids: owner.ids, stagger_seconds: 1 },
  })) {
    const refused = await owner.begin({ ...body, ...destroy });
    expect([field, refused.status, Object.keys(refused.body.errors)]).toEqual([field, 422, [field]]);
  }
  const made = await owner.send('POST', '/v1/my/account/tokens', { name: 'writer', abilities: ['read', 'write'] });
  const body = { terminal_ids: owner.ids, ...destroy };
  const writer = await server.request('POST', RUNS, { token: made.body.data.token, body });
  expect(writer.status).toBe(403);
  expect((await owner.begin({ terminal_ids: [], ...destroy })).status).toBe(422);
  expect(await owner.countTasks()).toBe(0);
});

it('the results of a run of logins say which terminals share an account', async () => {
  const owner = await createOwner(3);
  const [one, twin] = owner.ids as [string, string];
  await server.query(`update terminals set login = '7001', name = 'Twin' where id = any($1)`, [[one, twin]]);
  const { id } = (await owner.begin({ all: true, type: TaskType.ACCOUNT_LOGIN, planned_at: farAhead })).body
    .data as BulkRun;
  const items = await owner.listItems(id, '?per_page=100&include=warnings');
  const warned = items.filter(({ warnings }) => warnings?.length).map(({ terminal_id: of }) => of);
  expect(new Set(warned)).toEqual(new Set([one, twin]));
  expect(items.flatMap(({ warnings = [] }) => warnings)[0]).toContain('experts on both would trade twice');
  expect((await owner.listItems(id))[0]).not.toHaveProperty('warnings');
  await owner.send('POST', `${RUNS}/${id}/cancel`);
});

const later = { all: true, planned_at: farAhead };

it('runs on more than 500 terminals are five at most, but switching trading off is never barred by others', async () => {
  const owner = await createOwner(501);
  const shots = { ...later, type: TaskType.SCREENSHOT };
  for (let count = 0; count < 5; count += 1) expect((await owner.begin(shots)).body.ok).toBe(true);
  const refused = await owner.begin(shots);
  expect([refused.status, refused.body.ok, refused.headers.get('x-error-code')]).toEqual([200, false, 'run_limit']);
  expect((await owner.begin({ ...shots, all: undefined, terminal_ids: owner.ids.slice(1) })).body.ok).toBe(true);
  expect((await owner.begin({ all: true, ...off })).body.ok).toBe(true);
  const racing = await Promise.all(Array.from({ length: 6 }, () => owner.begin({ ...later, ...off })));
  expect(racing.filter(({ body }) => body.ok)).toHaveLength(4);
});

it('runs are listed newest first, dismissed when they are over, and removed after a week', async () => {
  const owner = await createOwner(1);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.push((await owner.begin({ ...later, ...off })).body.data.id);
  const list = async () => ((await owner.send('GET', RUNS)).body.data as BulkRun[]).map(({ id }) => id);
  expect(await list()).toEqual(ids.toReversed());
  const [first, second, third] = ids as [string, string, string];
  const early = await owner.send('DELETE', `${RUNS}/${first}`);
  expect([early.body.ok, early.headers.get('x-error-code')]).toEqual([false, 'run_open']);
  for (const id of [first, second]) {
    await owner.send('POST', `${RUNS}/${id}/cancel`);
    await owner.waitForEnd(id);
  }
  expect((await owner.send('POST', `${RUNS}/${first}/cancel`)).body.ok).toBe(false);
  expect((await owner.send('DELETE', `${RUNS}/${first}`)).body).toMatchObject({ ok: true, data: null });
  expect(await list()).toEqual([third, second]);
  await server.query(`update bulk_runs set finished_at = now() - interval '8 days' where id = $1`, [second]);
  await server.prune();
  expect(await list()).toEqual([third]);
  expect(await server.query(`select from bulk_run_items where run_id = any($1)`, [[first, second]])).toEqual([]);
});

it('runs of nothing, and of terminals of another user, are errors', async () => {
  const [owner, stranger] = [await createOwner(1), await createOwner(0)];
  for (const which of [{ all: true }, { filter: { region: 99 } }, { terminal_ids: owner.ids }]) {
    const { status, headers } = await stranger.begin({ ...which, ...off });
    expect([status, headers.get('x-error-code')]).toEqual([409, 'nothing_matched']);
  }
  const wrong = await stranger.begin({ terminal_ids: ['nonsense'], ...off });
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['terminal_ids.0']]);
});
