/** A host that was taken over, and says more than any agent does: the others are served, and the log stays short. */
import { randomUUID } from 'node:crypto';
import { createLogger } from '@berth/kit';
import { startAttack, TestHost, useTestServer, waitFor } from '@berth/testing';
import { expect, it } from 'vitest';

/** Calls of one host that may be under way. */
const MAX_CALLS = 16;

const lines: string[] = [];
const destination = { write: (line: string) => void lines.push(line) };
const server = useTestServer({ log: createLogger({ name: 'test', level: 'warn', destination }) });

it('a host has a limited number of calls in progress and gets a 429 beyond it, while others are answered', async () => {
  const [hostile, other] = [await TestHost.enrol(server), await TestHost.enrol(server)];
  const head = [
    'POST /v1/agent/report HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${hostile.credential}`,
    'Content-Type: application/json',
    'Content-Length: 100000',
    '',
    '{',
  ].join('\r\n');
  const attack = await startAttack({ url: server.url, count: MAX_CALLS + 1, toHead: () => head });
  await waitFor(() => attack.answers.get('429') === 1, { what: 'the end of what a host may have under way' });
  const refused = await hostile.heartbeat();
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'host_call_limit']);
  expect((await other.heartbeat()).status).toBe(200);
  await attack.stop();
  await waitFor(async () => (await hostile.heartbeat()).status === 200, { what: 'what the host gave back' });
});

it('a stale report is logged once for each call, however much of it is stale', async () => {
  const host = await TestHost.enrol(server);
  const stale = Array.from({ length: 300 }, () => ({ kind: 'started', task_id: randomUUID(), fence: 1 }) as const);
  lines.length = 0;
  expect(new Set(await host.report(...stale))).toEqual(new Set(['stale']));
  expect(lines.filter((line) => line.includes('stale'))).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ hostId: host.id, refused: 300 });
});
