/** A claim that still waits when another agent takes its host over is given nothing, at whatever server it waits. */
import { randomBytes } from 'node:crypto';
import { HostStatus, TaskType } from '@berth/contract';
import {
  createTestDatabase,
  startTestServer,
  TestHost,
  waitFor,
  type TestDatabase,
  type TestServer,
} from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

const WAIT_MS = 2_000;
let database: TestDatabase;
let first: TestServer;
let second: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  const config = { secretKey: randomBytes(32).toString('hex') };
  first = await startTestServer({ database, config });
  second = await startTestServer({ database, config });
});
afterAll(async () => {
  await first.close();
  await second.close();
  await database.close();
});

it.each([
  ['the other server', () => second],
  ['the same server', () => first],
])('not at %s, and the task goes to the agent that has the host', async (_, getServer) => {
  await first.query(`update hosts set status = ${HostStatus.RETIRED}`);
  const { token } = await first.register('Owner');
  const host = await TestHost.enrol(first, { name: 'taken-over' });
  const body = { server_name: 'Demo', login: '1', password: 'secret-password', region: 0 };
  const { id } = (await first.request('POST', '/v1/my/trading/terminals', { token, body })).body.data;
  await host.installAll();

  const older = new TestHost(getServer(), host);
  older.sessionId = host.sessionId;
  const waiting = older.claim(10, WAIT_MS);
  const { wakeups } = getServer().services;
  await waitFor(() => wakeups.findWaiting(host.id) !== undefined, { what: 'the claim of the older agent' });
  await host.startSession();
  const task = { type: TaskType.EA_LOGS };
  const created = await first.request('POST', `/v1/my/trading/terminals/${id}/tasks`, { token, body: task });
  expect(await waiting).toEqual([]);
  expect((await host.claim()).map((each) => each.id)).toEqual([created.body.data.id]);
  expect((await older.call('claim', { slots: 1, wait_ms: 0 })).status).toBe(409);
});
