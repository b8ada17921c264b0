import { randomUUID } from 'node:crypto';
import { TaskType } from '@berth/contract';
import { patientTimes, TestHost, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox', times: { ...patientTimes, tickMs: 10 * 60_000 } },
});
// Without the scheduler's turns: a task that it moves at this very moment is left out of a claim, and has one move more.

const TERMINALS = '/v1/my/trading/terminals';

test('the history of a task has each move, its time, and who made it', async () => {
  const host = await TestHost.enrol(server);
  const { token } = await server.register('Reader');
  const account = { server_name: 'Demo', login: '1', password: 'x', region: 0 };
  const send = (method: string, path: string, body?: unknown, by = token) =>
    server.request(method, path, { token: by, body });
  const { data: terminal } = (await send('POST', TERMINALS, account)).body;
  await host.installAll();
  const tasks = `${TERMINALS}/${terminal.id}/tasks`;
  const { data: task } = (await send('POST', tasks, { type: TaskType.EA_LOGS })).body;
  const [claimed] = await host.claim();
  await host.complete(claimed!, { lines: [] });
  const { status, body } = await send('GET', `${tasks}/${task.id}/history`);
  expect([status, body.ok]).toEqual([200, true]);
  type Move = { from: number | null; to: number; actor: string; attempt: number; at: string };
  const moves = body.data as Move[];
  expect(moves.map(({ from, to, actor, attempt }) => [from, to, actor, attempt])).toEqual([
    [null, 0, 'user', 0],
    [0, 1, 'agent', 1],
    [1, 2, 'agent', 1],
    [2, 3, 'agent', 1],
    [3, 4, 'agent', 1],
  ]);
  const times = moves.map(({ at }) => at);
  for (const at of times) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect([...times].sort()).toEqual(times);

  const stranger = await server.register('Stranger');
  const refusals: [string, string, string][] = [
    [stranger.token, `${tasks}/${task.id}/history`, 'Terminal not found.'],
    [token, `${tasks}/${randomUUID()}/history`, 'Task not found.'],
    [token, `${tasks}/nonsense/history`, 'Task not found.'],
    [token, `${TERMINALS}/${randomUUID()}/tasks/${task.id}/history`, 'Terminal not found.'],
  ];
  for (const [by, path, msg] of refusals) {
    const answer = await send('GET', path, undefined, by);
    expect([answer.status, answer.body.msg]).toEqual([404, msg]);
  }
});
