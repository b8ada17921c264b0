import { HostStatus, ResultStatus, TaskStatus, TaskType } from '@berth/contract';
import {
  startTestServer,
  TestHost,
  toStep,
  patientTimes,
  waitFor,
  useTestServer,
  type TestServer,
} from '@berth/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useTestServer({ config: { times: { ...patientTimes, tickMs: 50 } } });

interface Scene {
  token: string;
  host: TestHost;
  terminalId: string;
  path: string;
  create: (body: object, headers?: Record<string, string>) => ReturnType<TestServer['request']>;
  createId: (body: object) => Promise<string>;
  read: (
    id: string,
  ) => Promise<Record<string, unknown> & { status: number; attempts: number; result: { status: number } }>;
}

/** A user with a host of their own and an installed terminal on it. */
const createScene = async (): Promise<Scene> => {
  const { token, user } = await server.register('Task Tester');
  const host = await TestHost.enrol(server, { name: `host-${user.id}` });
  await server.query(`update hosts set status = ${HostStatus.RETIRED} where id <> $1`, [host.id]);
  const terminalId = await server.createTerminal(token);
  await host.installAll();
  const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  const create: Scene['create'] = (task, headers) =>
    server.request('POST', path, { token, body: task, ...(headers ? { headers } : {}) });
  return {
    token,
    host,
    terminalId,
    path,
    create,
    createId: async (task) => ((await create(task)).body as { data: { id: string } }).data.id,
    read: async (id) => (await server.request('GET', `${path}/${id}`, { token })).body.data.task,
  };
};

it('a task is created PENDING with exactly four fields', async () => {
  const { create } = await createScene();
  const answer = await create({ type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 1 } });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ok: true,
    msg: expect.any(String),
    data: {
      id: expect.any(String),
      type: TaskType.OPTIONS_AUTO_TRADE,
      status: TaskStatus.PENDING,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    },
  });
});

it('a task shows delivery, start and end as Unix seconds', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  expect(await read(id)).toMatchObject({ delivered_at: null, started_at: null, finished_at: null });
  await host.complete((await host.claim())[0]!);
  const task = await read(id);
  for (const field of ['delivered_at', 'started_at', 'finished_at']) expect(Number.isInteger(task[field])).toBe(true);
});

it('a task has its turn after the older ones of its terminal, one at a time', async () => {
  const { host, createId } = await createScene();
  const ids = [
    await createId({ type: TaskType.EA_LOGS }),
    await createId({ type: TaskType.SCREENSHOT }),
    await createId({ type: TaskType.MARKET_WATCH_SHOW_ALL }),
  ];
  const seen: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const tasks = await host.claim();
    expect(tasks).toHaveLength(1);
    expect(await host.claim(100, 0)).toEqual([]);
    seen.push(tasks[0]!.id);
    await host.complete(tasks[0]!);
  }
  expect(seen).toEqual(ids);
});

it('a task that is planned for later blocks nobody and is delivered when it is due', async () => {
  const { host, createId, read } = await createScene();
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  const later = await createId({ type: TaskType.EA_LOGS, planned_at: inAnHour });
  const now = await createId({ type: TaskType.SCREENSHOT });
  const [first] = await host.claim();
  expect(first?.id).toBe(now);
  await host.complete(first!);
  expect(await host.claim(100, 0)).toEqual([]);
  await server.query('update tasks set planned_at = now() where id = $1', [later]);
  const [second] = await host.claim();
  expect(second?.id).toBe(later);
  expect((await read(later)).planned_at).toMatch(/Z$/);
});

it('a task carries the chart that is named beside its payload, and shows it', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.SCREENSHOT, chart_id: 'chart01' });
  expect((await host.claim())[0]?.payload).toMatchObject({ chart_id: 'chart01', width: 1280, height: 800 });
  expect(await read(id)).toMatchObject({ chart_id: 'chart01', payload: { chart_id: 'chart01' } });
  const inside = await createId({ type: TaskType.SCREENSHOT, payload: { chart_id: 'chart02' } });
  expect(await read(inside)).toMatchObject({ chart_id: 'chart02', payload: { chart_id: 'chart02' } });
  const both = await createId({ type: TaskType.EA_REMOVE, chart_id: 'chart03', payload: { chart_id: ' chart03 ' } });
  expect(await read(both)).toMatchObject({ chart_id: 'chart03', payload: { chart_id: 'chart03' } });
});

it('a task is refused when it names two charts, or one where its type has none', async () => {
  const { create } = await createScene();
  const two = await create({ type: TaskType.SCREENSHOT, chart_id: 'a', payload: { chart_id: 'b' } });
  const errors = { chart_id: ['The chart id field and payload.chart_id must be the same.'] };
  expect([two.status, two.body.errors]).toEqual([422, errors]);
  const none = await create({ type: TaskType.MARKET_WATCH_SHOW_ALL, chart_id: 'a' });
  const text = 'The chart id field does not apply to the type MARKET_WATCH_SHOW_ALL.';
  expect([none.status, none.body.errors]).toEqual([422, { chart_id: [text] }]);
});

it('a task is handed to one of two claims of its host that wait at once', async () => {
  const { host, createId } = await createScene();
  const waiting = [host.claim(10, 3_000), host.claim(10, 3_000)];
  const id = await createId({
    type: TaskType.ACCOUNT_OPEN_DEMO,
    payload: { server_name: 'Demo', name: 'Ada', email: 'ada@example.com' },
  });
  const delivered = (await Promise.all(waiting)).flat();
  expect(delivered.map((task) => [task.id, task.fence])).toEqual([[id, 1]]);
});

it('a task is QUEUED by the scheduler while its host asks for nothing', async () => {
  const { createId, read } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  await waitFor(async () => (await read(id)).status === TaskStatus.QUEUED, { what: 'QUEUED' });
  const moves = await server.query(
    'select from_status as from, to_status as to from task_history where task_id = $1 order by id',
    [id],
  );
  expect(moves.map(({ from, to }) => [from, to])).toEqual([
    [null, 0],
    [0, 1],
  ]);
});

it('a report under an old fence is refused, and changes nothing', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  const [first] = await host.claim();
  expect(await host.report({ kind: 'interrupted', task_id: id, fence: 1 })).toEqual(['accepted']);
  expect((await read(id)).status).toBe(1);
  expect(await host.report({ kind: 'completed', task_id: id, fence: 1, steps: [toStep()] })).toEqual(['stale']);
  const [second] = await host.claim();
  expect([first?.fence, second?.fence]).toEqual([1, 2]);
  expect(await host.report({ kind: 'completed', task_id: id, fence: 1, steps: [toStep()] })).toEqual(['stale']);
  expect((await read(id)).status).toBe(2);
});

it('a report that is repeated is a duplicate', async () => {
  const { host, createId } = await createScene();
  await createId({ type: TaskType.EA_LOGS });
  const [task] = await host.claim();
  expect(await host.complete(task!)).toEqual(['accepted', 'accepted']);
  expect(await host.complete(task!)).toEqual(['duplicate', 'duplicate']);
});

it('a report of another host is refused', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  await host.claim();
  const stranger = await TestHost.enrol(server, { name: 'stranger' });
  expect(await stranger.report({ kind: 'completed', task_id: id, fence: 1, steps: [toStep()] })).toEqual(['stale']);
  expect((await read(id)).status).toBe(2);
});

it('a report of a failure that may pass leads to up to three attempts', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.ACCOUNT_LOGIN });
  for (let fence = 1; fence <= 3; fence += 1) {
    const [task] = await host.claim();
    expect(task).toMatchObject({ id, fence });
    await host.report({ kind: 'started', task_id: id, fence });
    const step = toStep({ ok: false, code: 'E_NO_CONNECTION', message: 'no link' });
    await host.report({ kind: 'failed', task_id: id, fence, steps: [step] });
  }
  expect(await read(id)).toMatchObject({
    status: TaskStatus.FAILED,
    attempts: 3,
    result: { status: ResultStatus.FAILED },
  });
});

it('a report of an attempt that took too long ends the task without a repetition', async () => {
  const { host, createId, read } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  await host.claim();
  const step = toStep({ ok: false, code: 'E_TIMEOUT', message: 'too long' });
  expect(await host.report({ kind: 'timed_out', task_id: id, fence: 1, steps: [step] })).toEqual(['accepted']);
  expect(await read(id)).toMatchObject({
    status: TaskStatus.FAILED,
    attempts: 1,
    result: { status: ResultStatus.TIMED_OUT, runner_result: [step] },
  });
});

it('a report of an interrupted ACCOUNT_OPEN_DEMO ends it as TERMINATED with an unknown outcome', async () => {
  const { host, createId, read } = await createScene();
  const payload = { server_name: 'Demo', name: 'Ada', email: 'ada@example.com' };
  const id = await createId({ type: TaskType.ACCOUNT_OPEN_DEMO, payload });
  await host.claim();
  await host.report({ kind: 'started', task_id: id, fence: 1 }, { kind: 'interrupted', task_id: id, fence: 1 });
  expect(await read(id)).toMatchObject({
    status: TaskStatus.TERMINATED,
    attempts: 1,
    result: { status: ResultStatus.UNKNOWN },
  });
  expect(await host.claim(100, 0)).toEqual([]);
});

describe('a lease', () => {
  // The schema of the tests is older than their server: the first tick takes that for a downtime, and no silence counts for
  // a while.
  beforeAll(async () => {
    const text = `select 1 from scheduler where completed_at > now() - interval '2 seconds'`;
    await waitFor(async () => (await server.query(text)).length > 0, { what: 'a tick' });
    await server.query(`update scheduler set downtime_ended_at = now() - interval '1 hour'`);
  });

  const expire = (id: string) =>
    server.query(`update task_leases set expires_at = now() - interval '1 second' where task_id = $1`, [id]);

  it('a lease that nobody renews brings the task back to the queue', async () => {
    const { host, createId, read } = await createScene();
    const id = await createId({ type: TaskType.EA_LOGS });
    await host.claim();
    await expire(id);
    await waitFor(async () => (await read(id)).status === TaskStatus.QUEUED, { what: 'the task back in the queue' });
    const [again] = await host.claim();
    expect(again).toMatchObject({ id, fence: 2 });
  });

  it('a lease is renewed by a heartbeat that names the attempt, and revoked under an old fence', async () => {
    const { host, createId } = await createScene();
    const id = await createId({ type: TaskType.EA_LOGS });
    await host.claim();
    expect((await host.heartbeat([{ id, fence: 1 }])).body).toMatchObject({ revoked: [], resync: false });
    expect((await host.heartbeat([{ id, fence: 2 }])).body).toMatchObject({ revoked: [id], resync: false });
  });

  it('a lease past its deadline ends the attempt as timed out', async () => {
    const { host, createId, read } = await createScene();
    const id = await createId({ type: TaskType.EA_LOGS });
    await host.claim();
    await host.report({ kind: 'started', task_id: id, fence: 1 });
    await server.query(`update task_leases set deadline_at = now() - interval '1 second' where task_id = $1`, [id]);
    await waitFor(async () => (await read(id)).status === TaskStatus.FAILED, { what: 'the end of the attempt' });
    expect((await read(id)).result.status).toBe(2);
  });
});

it('a downtime between two ticks of the scheduler below zero is a clock that was set back: leases do not last an hour longer for it', async () => {
  const { host, createId } = await createScene();
  const id = await createId({ type: TaskType.EA_LOGS });
  await host.claim();
  await server.query(
    `with downtime as (update scheduler set last_run_at = last_run_at + interval '1 hour')
      update task_leases set expires_at = expires_at + interval '1 hour', deadline_at = deadline_at + interval '1 hour'
      where task_id = $1`,
    [id],
  );
  const rest = `select extract(epoch from greatest(expires_at, deadline_at) - now())::integer as seconds
      from task_leases where task_id = $1`;
  await waitFor(async () => (await server.query(rest, [id]))[0]!.seconds < 60 * 60, {
    what: 'the lease to follow the clock',
  });
});

it('cancelling works until a host has the task', async () => {
  const { token, host, path, createId, read } = await createScene();
  const first = await createId({ type: TaskType.EA_LOGS });
  const second = await createId({ type: TaskType.SCREENSHOT });
  await host.claim();
  const late = await server.request('POST', `${path}/${first}/cancel`, { token });
  expect(late.body).toEqual({ ok: false, msg: expect.stringContaining('no longer') });
  const canceled = await server.request('POST', `${path}/${second}/cancel`, { token });
  expect(canceled.body).toMatchObject({ ok: true, data: { id: second, status: TaskStatus.CANCELED } });
  expect(await read(second)).toMatchObject({ status: TaskStatus.CANCELED, result: { status: ResultStatus.REFUSED } });
  expect(await host.report({ kind: 'completed', task_id: second, fence: 0 + 1, steps: [] })).toEqual(['stale']);
});

it('a terminal refuses a second installation always', async () => {
  const { create } = await createScene();
  expect((await create({ type: TaskType.TERMINAL_INSTALL })).body).toEqual({ ok: false, msg: expect.any(String) });
});

it('a terminal that is deleted cancels what waits, destroys once, and is gone', async () => {
  const { token, host, terminalId, path, createId, read } = await createScene();
  const waiting = await createId({ type: TaskType.EA_LOGS });
  const remove = () => server.request('DELETE', `/v1/my/trading/terminals/${terminalId}`, { token });
  const [first, second] = [await remove(), await remove()];
  expect([first.status, first.body.data, second.status]).toEqual([200, terminalId, 200]);
  expect((await read(waiting)).status).toBe(6);
  const tasks = await host.claim();
  expect(tasks.map((task) => task.type)).toEqual([1]);
  await host.complete(tasks[0]!, { freed_bytes: 1 });
  expect((await remove()).status).toBe(404);
  expect((await server.request('GET', path, { token })).body.data).toHaveLength(3);
  expect(await server.query('select from terminal_secrets where terminal_id = $1', [terminalId])).toEqual([]);
});

it('a terminal without a host waits with a reason, and gets one when a host comes', async () => {
  const { token } = await server.register('Waiting');
  const id = await server.createTerminal(token, { login: '3', region: 3 });
  const read = () => server.request('GET', `/v1/my/trading/terminals/${id}`, { token });
  expect((await read()).body.data).toMatchObject({
    status_name: 'PENDING',
    server_id: null,
    status_reason: expect.any(String),
  });
  const host = await TestHost.enrol(server, { region: 3, name: 'late' });
  await waitFor(async () => (await read()).body.data.server_id === host.id, { what: 'a host for the terminal' });
  expect((await host.claim())[0]).toMatchObject({
    type: TaskType.TERMINAL_INSTALL,
    secrets: { password: 'secret-password' },
  });
});

it('a terminal counts against the limit of the plan, also when many are created at once', async () => {
  const limited = await startTestServer({ config: { terminalLimits: new Map([[0, 3]]) } });
  try {
    const { token } = await limited.register('Limited');
    const body = { server_name: 'Demo', login: '4', password: 'secret-password' };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => limited.request('POST', '/v1/my/trading/terminals', { token, body })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ body: answer }) => answer.ok)).toHaveLength(3);
    const refused = answers.find(({ body: answer }) => !answer.ok);
    expect(refused?.headers.get('x-error-code')).toBe('plan_limit');
    expect(refused?.body.msg).toContain('no more than 3 terminals.');
  } finally {
    await limited.close();
  }
});

it('the stored password goes only to the task that needs it', async () => {
  const { host, createId } = await createScene();
  await createId({ type: TaskType.SCREENSHOT });
  const [screenshot] = await host.claim();
  expect(screenshot?.secrets).toEqual({});
  await host.complete(screenshot!);
  await createId({ type: TaskType.ACCOUNT_LOGIN });
  const [login] = await host.claim();
  expect(login?.secrets).toEqual({ password: 'secret-password' });
});

it('the stored password is replaced by a login that worked, and only by that', async () => {
  const { host, createId } = await createScene();
  const login = { login: '9', password: 'new-password', server_name: 'Other' };
  await createId({ type: TaskType.ACCOUNT_LOGIN, payload: login });
  const [failing] = await host.claim();
  expect(failing).toMatchObject({ secrets: { password: 'new-password' }, payload: { password: '********' } });
  await host.report({
    kind: 'failed',
    task_id: failing!.id,
    fence: 1,
    steps: [toStep({ ok: false, code: 'E_AUTH' })],
  });
  await createId({ type: TaskType.ACCOUNT_LOGIN });
  const [old] = await host.claim();
  expect(old?.secrets).toEqual({ password: 'secret-password' });
  await host.complete(old!);
  await createId({ type: TaskType.ACCOUNT_LOGIN, payload: login });
  const [working] = await host.claim();
  await host.complete(working!, { login: '9', server_name: 'Other', connected: true });
  await createId({ type: TaskType.ACCOUNT_LOGIN });
  expect((await host.claim())[0]).toMatchObject({ secrets: { password: 'new-password' }, terminal: { login: '9' } });
});
