/** What operators do about what the overview shows: a backup now, a task that is canceled. */
import { TaskStatus, type AuditEntry, type BackupState, type OperatorOverview } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const server = useTestServer({ without: ['the scheduler'] });
let operator: Awaited<ReturnType<typeof server.registerOperator>>;
beforeAll(async () => {
  operator = await server.registerOperator();
});
beforeEach(() => server.query('truncate terminals, hosts, tasks, task_leases, scheduled_backup cascade'));

const post = (path: string, token = operator.token) => server.request('POST', `/v1/operator/${path}`, { token });
const readAudit = async (path: string, token: string) =>
  (await server.request('GET', path, { token })).body.data as AuditEntry[];
const planBackup = (dueIn: string) =>
  server.query(`insert into scheduled_backup (plan, interval_seconds, due_at) values ('x', 60, now() + $1::interval)`, [
    dueIn,
  ]);

it('a backup that an operator asks for is due at once, and noted with who asked', async () => {
  await planBackup('1 day');
  const { status, body } = await post('backups');
  expect([status, body.ok]).toEqual([200, true]);
  expect(Date.parse((body.data as BackupState).next_at)).toBeLessThanOrEqual(Date.now());
  const [row] = await readAudit('/v1/operator/audit-log?action=backup.run', operator.token);
  expect(row).toMatchObject({ actor: { kind: 'operator', user_id: operator.user.id }, user_id: null });
});

it('a backup is refused while one is due or under way, and where none are scheduled', async () => {
  const refuse = async () => {
    const { status, headers } = await post('backups');
    return [status, headers.get('x-error-code')];
  };
  expect(await refuse()).toEqual([409, 'no_backups']);
  await planBackup('1 day');
  const answers = await Promise.all([1, 2, 3, 4].map(() => post('backups')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(await refuse()).toEqual([409, 'backup_under_way']);
  await server.query(
    `update scheduled_backup set lease_id = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
  );
  expect(await refuse()).toEqual([409, 'backup_under_way']);
});

/** A user with a terminal whose installation waits on a host. */
const createWaiting = async () => {
  const host = await TestHost.enrol(server, { capacity: 2 });
  const owner = await server.register('Trader');
  const terminalId = await server.createTerminal(owner.token);
  const [task] = await server.query('select id, type from tasks where terminal_id = $1', [terminalId]);
  return { host, owner, terminalId, task: task as { id: string; type: number } };
};

it('an operator cancels a task that waits, and its owner sees by whom, and no more', async () => {
  const { owner, terminalId, task } = await createWaiting();
  await server.query(`update tasks set state_since = now() - interval '11 minutes'`);
  const overview = await server.request('GET', '/v1/operator/overview', { token: operator.token });
  const [stuck] = (overview.body.data as OperatorOverview).stuck_tasks;
  const { body } = await post(`tasks/${stuck!.id}/cancel`);
  expect(body).toMatchObject({ ok: true, data: { id: task.id, status: TaskStatus.CANCELED } });
  const path = `/v1/my/trading/terminals/${terminalId}/tasks/${task.id}`;
  const shown = JSON.stringify((await server.request('GET', path, { token: owner.token })).body);
  expect(shown).toContain('The task was canceled by an operator.');
  const moves = await server.request('GET', `${path}/history`, { token: owner.token });
  expect(moves.body.data.at(-1)).toMatchObject({ actor: 'operator', to: TaskStatus.CANCELED });
  const [row] = await readAudit('/v1/my/audit-log?action=task.cancel', owner.token);
  expect(row).toMatchObject({ target: { type: 'task', id: task.id }, actor: { kind: 'operator', user_id: null } });
  expect(JSON.stringify(row)).not.toContain(operator.user.id);
});

it('a task that a host has, that has ended or that nobody has is left as it is', async () => {
  const { host, owner, task } = await createWaiting();
  await host.claim();
  const before = await server.query('select * from tasks');
  expect((await post(`tasks/${task.id}/cancel`)).body).toMatchObject({
    ok: false,
    msg: expect.stringContaining('a host has it') as string,
  });
  expect((await post('tasks/0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10/cancel')).status).toBe(404);
  expect((await post('tasks/nothing/cancel')).status).toBe(404);
  expect((await post(`tasks/${task.id}/cancel`, owner.token)).status).toBe(403);
  expect(await server.query('select * from tasks')).toEqual(before);
  expect(await readAudit('/v1/my/audit-log?action=task.cancel', owner.token)).toEqual([]);
});
