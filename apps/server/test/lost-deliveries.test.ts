/**
 * Claims that say what they know get again what was handed out to their session and did not arrive; nothing else, and
 * no other session.
 */
import { randomUUID } from 'node:crypto';
import { HostStatus, TaskType, type DeliveredTask } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';
import { TaskClaims } from '../src/tasks/claims.ts';

const server = useTestServer();
let host: TestHost;
let paths: string[];
let token: string;

beforeEach(async () => {
  await server.query(`update hosts set status = ${HostStatus.RETIRED}`);
  ({ token } = await server.register('Lost'));
  host = await TestHost.enrol(server, { name: `host-${randomUUID().slice(0, 8)}` });
  paths = [];
  for (let count = 0; count < 2; count += 1) {
    paths.push(`/v1/my/trading/terminals/${await server.createTerminal(token)}/tasks`);
  }
  await host.installAll();
  for (const path of paths) await server.request('POST', path, { token, body: { type: TaskType.EA_LOGS } });
});

const claimKnowing = async (
  known: Pick<DeliveredTask, 'id' | 'fence'>[],
  slots = 100,
  waitMs = 0,
): Promise<DeliveredTask[]> => {
  const body = { slots, wait_ms: waitMs, known: known.map(({ id, fence }) => ({ task_id: id, fence })) };
  return ((await host.call('claim', body)).body as { tasks: DeliveredTask[] }).tasks;
};

const claimBoth = async (): Promise<[DeliveredTask, DeliveredTask]> => {
  const [first, second] = await host.claim();
  expect(second).toBeDefined();
  return [first!, second!];
};

it('a claim that says what it knows gets what was lost, as the same attempts, as often as it is lost, up to its slots', async () => {
  const both = await claimBoth();
  expect(await claimKnowing([])).toEqual(both);
  expect(await claimKnowing([])).toEqual(both);
  expect(await claimKnowing([], 1)).toEqual([both[0]]);
  for (const task of both) expect(await host.complete(task)).toEqual(['accepted', 'accepted']);
  expect(await claimKnowing([])).toEqual([]);
});

it('a claim that says what it knows does not get what it knows, nor what is started', async () => {
  const [first, second] = await claimBoth();
  expect(await claimKnowing([first, second])).toEqual([]);
  expect(await claimKnowing([first])).toEqual([second]);
  expect(await claimKnowing([first, { ...second, fence: second.fence + 1 }])).toEqual([second]);
  await host.report({ kind: 'started', task_id: second.id, fence: second.fence });
  expect(await claimKnowing([first])).toEqual([]);
});

it('a claim that says what it knows does not get what another session of the host was given, which may have started it', async () => {
  await claimBoth();
  await host.startSession();
  expect(await claimKnowing([])).toEqual([]);
});

it('a claim that says what it knows does not get an attempt whose lease ends before a heartbeat could renew it', async () => {
  const [first] = await claimBoth();
  const age = `update task_leases set expires_at = now() + interval '4 seconds' where task_id <> $1`;
  await server.query(age, [first.id]);
  expect(await claimKnowing([])).toEqual([first]);
});

it('a claim that says what it knows gets what was lost first, and alone; the next claim gets what is due', async () => {
  const both = await claimBoth();
  await host.complete(both[1]);
  await server.request('POST', paths[1]!, { token, body: { type: TaskType.EA_LOGS } });
  expect(await claimKnowing([])).toEqual([both[0]]);
  // The scheduler may just hold the task to promote it: then the claim gets it once that is done.
  const next = await claimKnowing([both[0]], 100, 20_000);
  expect(next).toMatchObject([{ terminal: both[1].terminal, fence: 1 }]);
});

it('a claim that says what it knows gets it whatever another host says that it knows, in a statement for both', async () => {
  const [first, second] = await claimBoth();
  const other = await TestHost.enrol(server, { name: `host-${randomUUID().slice(0, 8)}` });
  const claims = new TaskClaims(server.services.db, server.services);
  const known = [first, second].map(({ id, fence }) => ({ task_id: id, fence }));
  const [own, others, silent] = await Promise.all([
    claims.claim({ hostId: host.id, sessionId: host.sessionId, slots: 10, known: [] }),
    claims.claim({ hostId: other.id, sessionId: other.sessionId, slots: 10, known }),
    claims.claim({ hostId: randomUUID(), sessionId: other.sessionId, slots: 10 }),
  ]);
  expect([own, others, silent]).toEqual([[first, second], [], []]);
});

it('a claim that says what it knows is refused when what it knows has no shape', async () => {
  const answer = await host.call('claim', { slots: 1, wait_ms: 0, known: [{ task_id: 'x', fence: 0 }] });
  expect(answer.status).toBe(422);
});

it('a claim that says what it knows is not there for others: a claim without it gets nothing again', async () => {
  await claimBoth();
  expect(await host.claim(100, 0)).toEqual([]);
});
