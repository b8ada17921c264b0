/** Files on their way to hosts, and claims whose answers are not read any more. */
import { createHash, randomBytes } from 'node:crypto';
import { TaskType } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, test } from 'vitest';

const server = useTestServer();
let host: TestHost;
let token: string;
let terminalId: string;

beforeAll(async () => {
  host = await TestHost.enrol(server);
  ({ token } = await server.register('Owner'));
  terminalId = await server.createTerminal(token, {
    server_name: 'Harbour-Demo',
    login: '5001',
    password: 'pass-5001',
  });
  await host.installAll();
});

const createTask = (type: number, payload: object) =>
  server.request('POST', `/v1/my/trading/terminals/${terminalId}/tasks`, { token, body: { type, payload } });

test('a host gets a file with its hash, and the rest of it where an answer broke off', async () => {
  const content = randomBytes(2 * 1024 * 1024 + 17);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const fileId = (await server.upload(token, content, 'Expert.ex5')).body.data.id as string;
  await createTask(TaskType.EA_INSTALL, { name: 'Expert', file_id: fileId, symbol: 'EURUSD', period: 'H1' });
  const [task] = await host.claim();
  const whole = await host.download(task!, fileId);
  expect([whole.status, whole.headers.get('etag')]).toEqual([200, `"${sha256}"`]);
  expect(whole.bytes.equals(content)).toBe(true);
  const from = 1024 * 1024 + 5;
  const range = `bytes=${from}-`;
  const rest = await host.download(task!, fileId, { range, 'if-range': `"${sha256}"` });
  expect(rest.status).toBe(206);
  expect(rest.headers.get('content-range')).toBe(`bytes ${from}-${content.length - 1}/${content.length}`);
  expect(rest.bytes.equals(content.subarray(from))).toBe(true);
  for (const other of [
    { range },
    { range, 'if-range': '"of another content"' },
    { range: `bytes=${content.length}-`, 'if-range': `"${sha256}"` },
    { range: 'bytes=5-9', 'if-range': `"${sha256}"` },
  ]) {
    const answer = await host.download(task!, fileId, other);
    expect([answer.status, answer.bytes.length]).toEqual([200, content.length]);
  }
  await host.complete(task!);
});

test('a claim that waits ends when the same host claims again, so that a delivery goes to the one who reads it', async () => {
  const abandoned = host.claim();
  let isOver = false;
  void abandoned.then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = host.claim();
  const [first] = await Promise.race([abandoned.then(() => ['abandoned']), waiting.then(() => ['waiting'])]);
  expect([first, isOver, await abandoned]).toEqual(['abandoned', true, []]);
  await createTask(TaskType.EA_LOGS, { source: 'journal' });
  const [task] = await waiting;
  expect(task?.type).toBe(TaskType.EA_LOGS);
  await host.complete(task!);
});
