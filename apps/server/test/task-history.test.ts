import { TaskType } from '@berth/contract';
import { patientTimes, TestHost, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer({
  config: { defaultPlatform: 'sandbox', times: { ...patientTimes, tickMs: 10 * 60_000 } },
});
// Without the scheduler's turns: a task that it moves at this very moment is left out of a claim, and has one move more.

test('the history of a task has each move, its time, and who made it', async () => {
  const host = await TestHost.enrol(server);
  const { token } = await server.register('Reader');
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const tasks = `/v1/my/trading/terminals/${await server.createTerminal(token)}/tasks`;
  await host.installAll();
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
});
