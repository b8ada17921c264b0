/** What the overview says needs an operator: tasks, hosts, mail, backups, limits. */
import { HostStatus, TaskStatus, type OperatorOverview } from '@berth/contract';
import { TestHost, useTestServer, withClient } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { listStatements } from '../src/db/statement.ts';
import { withState } from '../src/mail/state.ts';

const server = useTestServer({ without: ['the scheduler'], config: { terminalLimits: new Map([[0, 2]]) } });
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});
beforeEach(() => server.query('truncate terminals, hosts, tasks, task_leases, mail_state, scheduled_backup cascade'));

const read = async (): Promise<OperatorOverview> => {
  const { status, body } = await server.request('GET', '/v1/operator/overview', { token: operator });
  expect(status).toBe(200);
  return body.data as OperatorOverview;
};

const ageTasks = (changes: string) => server.query(`update tasks set ${changes}`);

it('an installation in which all is well has nothing that needs its operator', async () => {
  const host = await TestHost.enrol(server, { capacity: 2, name: 'quay' });
  const { token } = await server.register('Trader');
  await server.createTerminal(token);
  const overview = await read();
  expect(overview).toMatchObject({
    ...{ hosts_in_trouble: [], stuck_tasks: [], failed_tasks: { total: 0, items: [] } },
    ...{ backup: null, mail: null, limited_users: [] },
    agents: [{ version: expect.any(String), hosts: 1 }],
  });
  expect(overview.disk.available_mb).toBeGreaterThan(0);
  expect(overview.disk.total_mb).toBeGreaterThanOrEqual(overview.disk.available_mb);
  expect(host.id).toBeTruthy();
});

it('a task that failed is listed for a day with its code, and nothing of what its owner calls it', async () => {
  const host = await TestHost.enrol(server, { capacity: 2, name: 'quay' });
  const { token, user } = await server.register('Trader');
  const terminal_id = await server.createTerminal(token);
  const result = JSON.stringify({ runner_result: [{ code: 'E_FIRST' }, { code: 'E_LAST', message: 'private' }] });
  await ageTasks(`status = ${TaskStatus.FAILED}, result = '${result}', finished_at = now() - interval '1 hour'`);
  const { failed_tasks: failed } = await read();
  expect(failed).toMatchObject({
    total: 1,
    items: [
      { terminal_id, user_id: user.id, user_name: 'Trader', host_id: host.id, host_name: 'quay', code: 'E_LAST' },
    ],
  });
  expect(JSON.stringify(failed)).not.toContain('private');
  await ageTasks(`finished_at = now() - interval '25 hours'`);
  expect((await read()).failed_tasks).toEqual({ total: 0, items: [] });
});

it('a task is stuck when its online host does not take it in ten minutes, or when it runs on after its deadline', async () => {
  const host = await TestHost.enrol(server, { capacity: 2, name: 'quay' });
  const { token } = await server.register('Trader');
  const id = await server.createTerminal(token);
  expect((await read()).stuck_tasks).toEqual([]);
  await ageTasks(`state_since = now() - interval '11 minutes'`);
  expect((await read()).stuck_tasks).toMatchObject([{ terminal_id: id, reason: 'waiting', host_name: 'quay' }]);
  await server.query('update hosts set status = $1', [HostStatus.LOST]);
  expect((await read()).stuck_tasks).toEqual([]);
  await server.query('update hosts set status = $1', [HostStatus.ONLINE]);
  await server.query(
    `insert into task_leases (terminal_id, task_id, host_id, fence, expires_at, deadline_at)
     select terminal_id, id, host_id, 1, now(), now() - interval '2 minutes' from tasks`,
  );
  expect((await read()).stuck_tasks).toMatchObject([{ terminal_id: id, reason: 'overdue', host_id: host.id }]);
});

it('hosts that are offline come first, then those whose disk is nearly full', async () => {
  const [lost, full, fine] = [
    await TestHost.enrol(server, { name: 'lost' }),
    await TestHost.enrol(server, { name: 'full' }),
    await TestHost.enrol(server, { name: 'fine' }),
  ];
  const setDisk = (id: string, disk_available_mb: number) =>
    server.query(
      `insert into host_facts (host_id, facts) values ($1, $2) on conflict (host_id) do update set facts = excluded.facts`,
      [id, { disk_total_mb: 100_000, disk_available_mb }],
    );
  await setDisk(full.id, 4_999);
  await setDisk(fine.id, 5_001);
  await server.query('update hosts set status = $2 where id = $1', [lost.id, HostStatus.LOST]);
  expect((await read()).hosts_in_trouble).toMatchObject([
    { id: lost.id, trouble: 'offline' },
    { id: full.id, trouble: 'disk_low', disk_available_mb: 4_999 },
  ]);
});

it('mail fails until one is sent again, and an address that its server does not know says nothing', async () => {
  const { db, log } = server.services;
  const mail = { to: 'ada@example.com', subject: 'x', text: 'secret text' };
  const failing = (cause?: object) =>
    withState({ send: () => Promise.reject(new Error(`refused ${'x'.repeat(500)}`, { cause })) }, db, log);
  await expect(failing({ command: 'RCPT TO' }).send(mail)).rejects.toThrow('refused');
  expect((await read()).mail).toBeNull();
  await expect(failing().send(mail)).rejects.toThrow('refused');
  const { mail: state } = await read();
  expect(state).toMatchObject({
    is_failing: true,
    last_sent_at: null,
    error: expect.stringMatching(/^refused x{292}$/),
  });
  await withState({ send: async () => undefined }, db, log).send(mail);
  expect((await read()).mail).toMatchObject({ is_failing: false, last_failed_at: state?.last_failed_at });
});

it('the state of the scheduled backup is shown, and that it is late', async () => {
  await server.query(
    `insert into scheduled_backup (plan, interval_seconds, due_at, last_succeeded_at, size_bytes, error)
     values ('daily', 86400, now(), now() - interval '47 hours', 7000000000, 'no room')`,
  );
  expect((await read()).backup).toMatchObject({ size_bytes: 7_000_000_000, error: 'no room', is_late: false });
  await server.query(`update scheduled_backup set last_succeeded_at = now() - interval '49 hours'`);
  expect((await read()).backup).toMatchObject({ is_late: true });
});

it('users who have as many terminals as they may, or nearly all of their storage, are listed', async () => {
  await TestHost.enrol(server, { capacity: 9 });
  const { token, user } = await server.register('Full');
  await server.createTerminal(token);
  expect((await read()).limited_users).toEqual([]);
  await server.createTerminal(token);
  await server.query('update users set storage_mib = 1 where id = $1', [user.id]);
  await server.query(
    `insert into storage_usage (user_id, kind, bytes) values ($1, 'other', 1048576)
     on conflict (user_id, kind) do update set bytes = excluded.bytes`,
    [user.id],
  );
  expect((await read()).limited_users).toMatchObject([
    { id: user.id, limit: 'terminals', used: 2, most: 2 },
    { id: user.id, limit: 'storage', most: 1_048_576 },
  ]);
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const countRows = (plan: Plan): number => {
  const isTask = plan['Relation Name'] === 'tasks' || plan['Relation Name'] === 'terminals';
  const own = isTask ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + countRows(child), own);
};

it.each(['list_failed_lately', 'count_failed_lately', 'list_overdue_tasks', 'list_stuck_tasks'])(
  '%s reads few rows, however many tasks have ended and however many wait behind others',
  async (name) => {
    const host = await TestHost.enrol(server, { capacity: 3 });
    const { token, user } = await server.register('Trader');
    const id = await server.createTerminal(token);
    const rows = await withClient(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('set local session_replication_role = replica');
      await client.query(
        `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at)
         select gen_random_uuid(), $1, $2, $3, 6, case when n % 10 = 0 then 5 else 4 end, now() - interval '2 days'
         from generate_series(1, 20000) n`,
        [user.id, host.id, id],
      );
      await client.query(
        `insert into tasks (id, user_id, host_id, terminal_id, type, status)
         select gen_random_uuid(), $1, $2, $3, 6, 1 from generate_series(1, 20000)`,
        [user.id, host.id, id],
      );
      await client.query('analyze tasks, terminals');
      const { text } = listStatements().find((statement) => statement.name === name)!;
      const { rows: explained } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, timing off, format json) ${text}`,
      );
      await client.query('rollback');
      return countRows(explained[0]!['QUERY PLAN'][0].Plan);
    });
    expect(rows).toBeLessThan(20);
  },
);
