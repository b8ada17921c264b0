/** What ends trading goes before what waits, and interrupts what runs where that may be repeated. */
import { TaskStatus, TaskType, type Task } from '@berth/contract';
import { TestHost, toProof, toStep, waitFor, useTestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let token: string;
let url: string;

beforeEach(async () => {
  ({ token } = await server.register('Owner'));
  host = await TestHost.enrol(server);
  await server.query('update hosts set status = 3 where id <> $1', [host.id]);
  const id = await server.createTerminal(token);
  url = `/v1/my/trading/terminals/${id}/tasks`;
  await host.installAll();
});

const create = async (type: TaskType, payload = {}, more = {}): Promise<string> => {
  const { body } = await server.request('POST', url, { token, body: { type, payload, ...more } });
  expect(body).toMatchObject({ ok: true });
  return body.data.id as string;
};
const read = async (id: string): Promise<Task> =>
  (await server.request('GET', `${url}/${id}`, { token })).body.data.task as Task;
const off = { allow_algo_trading: 0 };
const remove = () => create(TaskType.EA_REMOVE, { name: 'Trend' });

it('a stop goes before everything that waits, and stops among themselves keep their order', async () => {
  const running = await create(TaskType.ACCOUNT_OPEN_DEMO, { server_name: 'Demo', name: 'A', email: 'a@example.com' });
  const [first] = await host.claim();
  expect(first!.id).toBe(running);
  const waiting = await remove();
  const stops = [await create(TaskType.CLOSE_ALL), await create(TaskType.OPTIONS_AUTO_TRADE, off)];
  stops.push(await create(TaskType.TERMINAL_STOP));
  // What must not be repeated is not interrupted.
  expect(await host.claim(10, 0)).toEqual([]);
  await host.report({ kind: 'completed', task_id: running, fence: 1, steps: [toStep({ data: toProof(first!) })] });
  for (const expected of [...stops, waiting]) {
    const [task] = await host.claim();
    expect(task!.id).toBe(expected);
    const event = { kind: 'completed' as const, task_id: task!.id, fence: task!.fence };
    expect(await host.report({ ...event, steps: [toStep({ data: toProof(task!) })] })).toEqual(['accepted']);
  }
});

it.each([
  ['CLOSE_ALL', TaskType.CLOSE_ALL, {}],
  ['algo trading off', TaskType.OPTIONS_AUTO_TRADE, off],
  ['TERMINAL_STOP', TaskType.TERMINAL_STOP, {}],
])('a stop interrupts what runs: %s', async (_, type, payload) => {
  const running = await remove();
  await host.claim();
  await host.report({ kind: 'started', task_id: running, fence: 1 });
  const stop = await create(type, payload);
  const [claimed] = await host.claim();
  expect(claimed).toMatchObject({ id: stop, fence: 1 });
  expect(await read(running)).toMatchObject({ status: TaskStatus.QUEUED, attempts: 1 });
  // Whatever the interrupted attempt still reports counts for nothing.
  const late = { kind: 'completed' as const, task_id: running, fence: 1, steps: [toStep({ data: { removed: [] } })] };
  expect(await host.report(late)).toEqual(['stale']);
  await host.report({ kind: 'completed', task_id: stop, fence: 1, steps: [toStep({ data: toProof(claimed!) })] });
  expect(await host.claim()).toMatchObject([{ id: running, fence: 2 }]);
});

it('a stop leaves the tasks of other terminals alone, and does not interrupt another stop', async () => {
  const stop = await create(TaskType.OPTIONS_AUTO_TRADE, off);
  await host.claim();
  const second = await create(TaskType.TERMINAL_STOP);
  expect(await host.claim(10, 0)).toEqual([]);
  expect(await read(stop)).toMatchObject({ status: TaskStatus.DELIVERED, attempts: 1 });
  expect((await read(second)).status).toBeLessThan(TaskStatus.DELIVERED);
});

it('a stop interrupts when it is due, not when it is created', async () => {
  const running = await remove();
  await host.claim();
  const planned = await create(
    TaskType.TERMINAL_STOP,
    {},
    { planned_at: new Date(Date.now() + 3_600_000).toISOString() },
  );
  expect(await host.claim(10, 0)).toEqual([]);
  expect((await read(running)).status).toBe(TaskStatus.DELIVERED);
  await server.query(`update tasks set planned_at = now() where id = $1`, [planned]);
  expect(await host.claim()).toMatchObject([{ id: planned }]);
});

it('a stop waits behind the installation of its terminal', async () => {
  const id = await server.createTerminal(token, { login: '2' });
  url = `/v1/my/trading/terminals/${id}/tasks`;
  const [install] = await host.claim();
  expect(install).toMatchObject({ type: TaskType.TERMINAL_INSTALL });
  const stop = await create(TaskType.TERMINAL_STOP);
  expect(await host.claim(10, 0)).toEqual([]);
  await host.report({
    kind: 'completed',
    task_id: install!.id,
    fence: 1,
    steps: [toStep({ data: toProof(install!) })],
  });
  expect(await host.claim()).toMatchObject([{ id: stop }]);
});

it('a stop counts as done only with evidence', async () => {
  const end = async (id: string, data: object): Promise<Task> => {
    const [task] = await host.claim();
    expect(task!.id).toBe(id);
    const event = {
      kind: 'completed' as const,
      task_id: id,
      fence: task!.fence,
      steps: [toStep({ data: { ...data } })],
    };
    await host.report(event);
    return read(id);
  };
  const left = {
    closed: 1,
    total: 2,
    left_open: [{ ticket: '7', symbol: 'EURUSD', message: 'Closed.' }],
    remaining: 1,
  };
  for (const [facts, isRetried] of [
    [left, true],
    [{ closed: 2, total: 2, left_open: [], remaining: null }, true],
    [{ closed: 2, total: 2, left_open: [], remaining: 0 }, false],
  ] as const) {
    const task = await end(await create(TaskType.CLOSE_ALL), facts);
    expect(task.status, JSON.stringify(facts)).toBe(isRetried ? TaskStatus.QUEUED : TaskStatus.COMPLETED);
    await server.request('POST', `${url}/${task.id}/cancel`, { token });
  }
  const stopped = await end(await create(TaskType.TERMINAL_STOP), { running: false });
  expect(stopped.status).toBe(TaskStatus.COMPLETED);
});

it('a stop with an empty filter or unknown fields is refused', async () => {
  for (const payload of [{ symbols: [] }, { symbol: 'EURUSD' }, { magic: -1 }, { magic: '7' }]) {
    const answer = await server.request('POST', url, { token, body: { type: TaskType.CLOSE_ALL, payload } });
    expect([payload, answer.status]).toEqual([payload, 422]);
  }
});

it('a stop on many terminals gets through while five other runs are open', async () => {
  const running = await remove();
  await host.claim();
  const body = { all: true, type: TaskType.TERMINAL_STOP };
  const answer = await server.request('POST', '/v1/my/trading/terminals/bulk/tasks', { token, body });
  expect(answer.body).toMatchObject({ ok: true });
  await waitFor(async () => (await read(running)).status === TaskStatus.QUEUED, { what: 'the interruption' });
  expect(await host.claim()).toMatchObject([{ id: answer.body.data[0].task_id }]);
});
