/** A claim that still waits when another agent takes its host over is given nothing, at whatever server it waits. */
import { HostStatus, TaskType } from '@berth/contract';
import { TestHost, useTwoServers, waitFor } from '@berth/testing';
import { expect, it } from 'vitest';

const WAIT_MS = 2_000;
const [first, second] = useTwoServers();

it.each([
  ['the other server', second],
  ['the same server', first],
])('a claim of an older agent gets nothing at %s, and the task goes to the agent that has the host', async (_, at) => {
  await first.query(`update hosts set status = ${HostStatus.RETIRED}`);
  const { token } = await first.register('Owner');
  const host = await TestHost.enrol(first, { name: 'taken-over' });
  const id = await first.createTerminal(token);
  await host.installAll();

  const older = new TestHost(at, host);
  older.sessionId = host.sessionId;
  const waiting = older.claim(10, WAIT_MS);
  const { wakeups } = at.services;
  await waitFor(() => wakeups.findWaiting(host.id) !== undefined, { what: 'the claim of the older agent' });
  await host.startSession();
  const task = { type: TaskType.EA_LOGS };
  const created = await first.request('POST', `/v1/my/trading/terminals/${id}/tasks`, { token, body: task });
  expect(await waiting).toEqual([]);
  expect((await host.claim()).map((each) => each.id)).toEqual([created.body.data.id]);
  expect((await older.call('claim', { slots: 1, wait_ms: 0 })).status).toBe(409);
});
