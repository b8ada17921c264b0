/** A locked terminal refuses what could trade, whatever was asked for a moment before. */
import { TaskStatus, TaskType, type Task } from '@berth/contract';
import { TestHost, toProof, toStep, useTestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';
import { lockTerminal } from '../src/risk/lock-terminal.ts';

const REASON = 'The daily loss limit was reached.';
const server = useTestServer();
let host: TestHost;
let token: string;
let terminal: string;
let url: string;

beforeEach(async () => {
  ({ token } = await server.register('Owner'));
  host = await TestHost.enrol(server);
  await server.query('update hosts set status = 3 where id <> $1', [host.id]);
  terminal = await server.createTerminal(token);
  url = `/v1/my/trading/terminals/${terminal}`;
  await host.installAll();
});

const lock = () =>
  server.services.db.transaction((tx) => lockTerminal(tx, server.services, terminal, { reason: REASON, endsAt: null }));
const ask = (type: TaskType, payload = {}) =>
  server.request('POST', `${url}/tasks`, { token, body: { type, payload } });
const read = async (id: string): Promise<Task> =>
  (await server.request('GET', `${url}/tasks/${id}`, { token })).body.data.task as Task;
const on = { allow_algo_trading: 1 };

it('a locked terminal refuses logins, trading and the start with 403, and takes what ends trading', async () => {
  await lock();
  const refused = [
    [TaskType.ACCOUNT_LOGIN, {}],
    [TaskType.ACCOUNT_OPEN_DEMO, { server_name: 'Demo', name: 'A', email: 'a@example.com' }],
    [TaskType.OPTIONS_AUTO_TRADE, on],
    [TaskType.EA_UPDATE, { name: 'Trend', inputs: { Lots: 1 } }],
    [TaskType.TERMINAL_START, {}],
  ] as const;
  for (const [type, payload] of refused) {
    const answer = await ask(type, payload);
    expect([type, answer.status, answer.headers.get('x-error-code')]).toEqual([type, 403, 'account_locked']);
  }
  const taken = [TaskType.CLOSE_ALL, TaskType.TERMINAL_STOP, TaskType.TERMINAL_RESTART, TaskType.SCREENSHOT];
  for (const type of taken) expect((await ask(type)).body).toMatchObject({ ok: true });
  expect((await ask(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 })).body).toMatchObject({ ok: true });
  const body = { terminal_ids: [terminal], type: TaskType.OPTIONS_AUTO_TRADE, payload: on };
  const bulk = await server.request('POST', '/v1/my/trading/terminals/bulk/tasks', { token, body });
  expect(bulk.body.data).toMatchObject([{ ok: false, msg: expect.stringContaining('locked') as string }]);
  const shown = await server.request('GET', `${url}?include=details`, { token });
  expect(shown.body.data).toMatchObject({ locked_reason: REASON });
});

it('cancels what waits for it, also what is planned for later', async () => {
  const blocked = (await ask(TaskType.SCREENSHOT)).body.data.id as string;
  const [task] = await host.claim();
  expect(task!.id).toBe(blocked);
  const waiting = (await ask(TaskType.OPTIONS_AUTO_TRADE, on)).body.data.id as string;
  const harmless = (await ask(TaskType.SCREENSHOT)).body.data.id as string;
  await lock();
  expect(await read(waiting)).toMatchObject({ status: TaskStatus.CANCELED });
  expect((await read(waiting)).result.runner_result.at(-1)?.message).toContain(REASON);
  expect((await read(harmless)).status).toBeLessThan(TaskStatus.DELIVERED);
});

it('a lock takes back what a host has already, and switches trading off after it', async () => {
  const id = (await ask(TaskType.OPTIONS_AUTO_TRADE, on)).body.data.id as string;
  await host.claim();
  await host.report({ kind: 'started', task_id: id, fence: 1 });
  await lock();
  expect(await read(id)).toMatchObject({ status: TaskStatus.FAILED });
  const late = {
    kind: 'completed' as const,
    task_id: id,
    fence: 1,
    steps: [toStep({ data: { enabled: true, verified: true } })],
  };
  expect(await host.report(late)).not.toEqual(['accepted']);
  expect(await read(id)).toMatchObject({ status: TaskStatus.FAILED });
  expect(await host.claim()).toMatchObject([{ type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } }]);
});

it('decides between a task and a lock at the same moment: refused, or ended by the lock', async () => {
  for (let round = 0; round < 15; round += 1) {
    const asked = Array.from({ length: 4 }, () => ask(TaskType.OPTIONS_AUTO_TRADE, on));
    const [answers] = await Promise.all([Promise.all(asked), lock(), host.claim(1, 0)]);
    for (const answer of answers) {
      if (answer.status === 403) continue;
      const { status } = await read(answer.body.data.id as string);
      expect([TaskStatus.CANCELED, TaskStatus.FAILED]).toContain(status);
    }
    // Only what ends trading is left for the host.
    for (let next = await host.claim(10, 0); next.length > 0; next = await host.claim(10, 0)) {
      const [task] = next;
      expect(task!.payload).toEqual({ allow_algo_trading: 0 });
      const end = { kind: 'completed' as const, task_id: task!.id, fence: task!.fence };
      await host.report({ ...end, steps: [toStep({ data: toProof(task!) })] });
    }
    await server.query('update terminals set locked_reason = null where id = $1', [terminal]);
  }
});

it('a terminal is unlocked with the ability risk and a reason, once, and that is an event', async () => {
  await lock();
  const unlock = (body: object, as = token) => server.request('POST', `${url}/unlock`, { token: as, body });
  const weak = { name: 'weak', abilities: ['read', 'write', 'delete'] };
  const { token: weaker } = (await server.request('POST', '/v1/my/account/tokens', { token, body: weak })).body.data;
  expect((await unlock({ reason: 'I looked.' }, weaker as string)).status).toBe(403);
  expect((await unlock({})).status).toBe(422);
  expect((await unlock({ reason: 'I looked.', resaon: 1 })).status).toBe(422);
  const stranger = await server.register('Stranger');
  expect((await unlock({ reason: 'I looked.' }, stranger.token)).status).toBe(404);
  expect((await ask(TaskType.TERMINAL_START)).status).toBe(403);
  const both = await Promise.all([unlock({ reason: 'I looked.' }), unlock({ reason: 'I looked.' })]);
  for (const answer of both) expect(answer.body.data).toMatchObject({ locked_reason: null });
  expect((await ask(TaskType.TERMINAL_START)).body).toMatchObject({ ok: true });
  const log = await server.request('GET', `/v1/my/events/log?types=security.unlocked`, { token });
  expect(log.body.data).toMatchObject([{ terminal_id: terminal, data: { reason: 'I looked.' } }]);
});

it('a lock keeps its first reason, and lasts over everything that happens to the terminal', async () => {
  await lock();
  await server.services.db.transaction((tx) =>
    lockTerminal(tx, server.services, terminal, { reason: 'Another.', endsAt: null }),
  );
  await host.startSession();
  const shown = await server.request('GET', `${url}?include=details`, { token });
  expect(shown.body.data).toMatchObject({ locked_reason: REASON });
});
