/** Every end of a task is counted for operators, whoever decided it. */
import { HostStatus, TaskStatus, TaskType } from '@berth/contract';
import type { DeliveredTask } from '@berth/contract/agent';
import { TestHost, toStep, patientTimes, waitFor, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, it } from 'vitest';

/** The slow part of a tick comes with every thirtieth; the machine may be slow. */
const TICK_TIMEOUT_MS = 240_000;

const server = useTestServer({ config: { times: { ...patientTimes, tickMs: 50 } } });
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** How many tasks of the type came to this end, as `/metrics` says it. */
const readCount = async (type: string, outcome: string): Promise<number> => {
  const { bytes } = await server.request('GET', '/metrics', { token: operator });
  const line = new RegExp(`^berth_tasks_ended_total\\{type="${type}",outcome="${outcome}"\\} (\\d+)$`, 'm');
  return Number(line.exec(bytes.toString())?.[1] ?? 0);
};

/** Resolves once one more task of the type was counted. */
const expectCounted = async (type: string, outcome: string, act: () => Promise<unknown>): Promise<void> => {
  const before = await readCount(type, outcome);
  await act();
  await waitFor(async () => (await readCount(type, outcome)) === before + 1, {
    what: `one more ${type} that ended ${outcome}`,
    timeoutMs: TICK_TIMEOUT_MS / 2,
  });
};

/** Terminals of a host that was retired before come to the next one, too, in claims of their own. */
const claimFor = async (host: TestHost, terminalId: string): Promise<DeliveredTask> => {
  for (;;) {
    const task = (await host.claim()).find(({ terminal }) => terminal.id === terminalId);
    if (task) return task;
  }
};

/** A terminal on a host of its own, installed, with a task that waits. */
const createScene = async () => {
  await query(`update hosts set status = ${HostStatus.RETIRED} where status <> ${HostStatus.RETIRED}`);
  const host = await TestHost.enrol(server, { name: 'ends' });
  const { token } = await server.register('Trader');
  const terminalId = await server.createTerminal(token);
  const path = `/v1/my/trading/terminals/${terminalId}`;
  await host.complete(await claimFor(host, terminalId));
  const task = await server.request('POST', `${path}/tasks`, { token, body: { type: TaskType.SCREENSHOT } });
  return { host, token, path, terminalId, taskId: task.body.data.id as string };
};

it('a task that ended is counted when its user canceled it', async () => {
  const { token, path, taskId } = await createScene();
  await expectCounted('SCREENSHOT', 'canceled', () =>
    server.request('POST', `${path}/tasks/${taskId}/cancel`, { token }),
  );
});

it('a task that ended is counted when its terminal is destroyed', async () => {
  const { token, path } = await createScene();
  await expectCounted('SCREENSHOT', 'canceled', () => server.request('DELETE', path, { token }));
});

it('a task that ended is counted when the operator retired its host', async () => {
  const { host, terminalId } = await createScene();
  await claimFor(host, terminalId);
  await expectCounted('SCREENSHOT', 'terminated', () =>
    server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: operator }),
  );
});

it(
  'a task that ended is counted when its host fell silent for the last time',
  { timeout: TICK_TIMEOUT_MS },
  async () => {
    const { host, terminalId, taskId } = await createScene();
    await claimFor(host, terminalId);
    // The schema of the tests is older than their server: the first tick takes that for a downtime, and no silence counts
    // for a while.
    await query(`update scheduler set downtime_ended_at = now() - interval '1 hour'`);
    await query(`update tasks set attempts = 3 where id = $1`, [taskId]);
    await expectCounted('SCREENSHOT', 'failed', () =>
      query(`update task_leases set fence = 3, expires_at = now() - interval '1 second' where task_id = $1`, [taskId]),
    );
  },
);

it('a task that ended is counted when no host took it in an hour', { timeout: TICK_TIMEOUT_MS }, async () => {
  const { taskId } = await createScene();
  await expectCounted('SCREENSHOT', 'failed', () =>
    query(
      `update tasks set status = ${TaskStatus.QUEUED}, state_since = now() - interval '2 hours', available_at = now() - interval '2 hours'
         where id = $1`,
      [taskId],
    ),
  );
});

it('a task that ended is counted when the installation that it waited for came to nothing', async () => {
  await query(`update hosts set status = ${HostStatus.RETIRED} where status <> ${HostStatus.RETIRED}`);
  const host = await TestHost.enrol(server, { name: 'full' });
  const { token } = await server.register('Trader');
  const terminalId = await server.createTerminal(token, { login: '2' });
  const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  await server.request('POST', path, { token, body: { type: TaskType.SCREENSHOT } });
  const { id, fence } = await claimFor(host, terminalId);
  const steps = [toStep({ ok: false, code: 'E_DISK', message: 'No space.' })];
  await expectCounted('SCREENSHOT', 'failed', () =>
    host.report({ kind: 'started', task_id: id, fence }, { kind: 'failed', task_id: id, fence, steps }),
  );
});
