/** The end of an account: refused at once, brought back within the grace, and then removed without a trace. */
import { AccountStatus, HostStatus, TaskType, TerminalStatus, type ManagedUser } from '@berth/contract';
import { TestHost, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { removeClosedUsers } from '../src/deployment/removed-users.ts';
import { Pruning } from '../src/scheduler/pruning.ts';
import { Tidying } from '../src/scheduler/tidying.ts';

type Account = Awaited<ReturnType<TestServer['register']>>;

const server = useTestServer({ without: ['closed accounts'] });
const USERS = '/v1/operator/users';
/** Stands in every name and address that belongs to the user. */
let mark: string;
let marks = 0;
let owner: Account;
let user: Account;
let host: TestHost;

beforeAll(async () => {
  owner = await server.registerOperator();
});
beforeEach(async () => {
  mark = `Zanzibar${(marks += 1)}x`;
  user = await server.register(`${mark} Trader`);
  host = await TestHost.enrol(server);
  await server.query(`update hosts set status = ${HostStatus.RETIRED} where id <> $1`, [host.id]);
});

const send = (method: string, path: string, body?: unknown) =>
  server.request(method, `${USERS}/${user.user.id}${path}`, {
    token: owner.token,
    ...(body === undefined ? {} : { body }),
  });
const close = async () => (await send('DELETE', '', { reason: 'Left' })).body.data as ManagedUser;
const callAs = (account: Account) => server.request('GET', '/v1/my/account/profile', { token: account.token });
const settle = () =>
  server.query(`update scheduler set last_run_at = now(), downtime_ended_at = now() - interval '3 hours'`);
/** A round of the loop, as if so many days had passed since the closing. */
const remove = async (days: number, stopping = new AbortController().signal) => {
  await settle();
  await server.query(`update users set closed_at = now() - make_interval(days => $2) where id = $1`, [
    user.user.id,
    days,
  ]);
  await removeClosedUsers({ ...server.services, stopping });
};
/** The stop, and the destruction behind it. */
const finishAll = async () => {
  for (let tasks = await host.claim(10, 0); tasks.length > 0; tasks = await host.claim(10, 0))
    for (const task of tasks) await host.complete(task);
};
const isRemoved = async () =>
  (await server.query('select from users where id = $1 and deleted_at is not null', [user.user.id])).length > 0;

it('a closed account is refused at once, its terminals stop, and it stays so until it is reopened, suspended', async () => {
  await server.createTerminal(user.token);
  await host.installAll();
  const closed = await close();
  expect(closed).toMatchObject({ status: 'closed', suspension: { reason: 'Left', terminals: 'stop' } });
  expect(Date.parse(closed.closes_at!) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
  expect((await callAs(user)).status).toBe(403);
  expect(await host.claim()).toMatchObject([{ type: TaskType.TERMINAL_STOP }]);
  expect((await close()).closes_at).toBe(closed.closes_at);
  for (const body of [{ status: 'active' }, { status: 'suspended', suspension: { reason: 'x', terminals: 'keep' } }]) {
    const answer = await send('PATCH', '', body);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'user_closed']);
  }
  await remove(29);
  const reopened = (await send('POST', '/reopen')).body.data as ManagedUser;
  expect(reopened).toMatchObject({ status: 'suspended', suspension: { reason: 'Left' }, closes_at: null });
  expect((await send('POST', '/reopen')).headers.get('x-error-code')).toBe('user_not_closed');
  expect((await send('PATCH', '', { status: 'active' })).status).toBe(200);
  expect((await callAs(user)).status).toBe(200);
});

it('nobody closes the own account, and one active owner remains', async () => {
  const own = await server.request('DELETE', `${USERS}/${owner.user.id}`, {
    token: owner.token,
    body: { reason: 'Oops' },
  });
  expect([own.status, own.headers.get('x-error-code')]).toEqual([409, 'own_account']);
  const second = await server.registerOperator();
  const closeAs = (by: Account, id: string) =>
    server.request('DELETE', `${USERS}/${id}`, { token: by.token, body: { reason: 'Feud' } });
  const answers = await Promise.all([closeAs(owner, second.user.id), closeAs(second, owner.user.id)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  await server.query(
    'update users set status = 0, closed_at = null, suspended_reason = null, suspended_terminals = null',
  );
});

/** Rows of all tables in which the mark is found. */
const findTraces = async (text: string) => {
  const tables = await server.query(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await server.query(`select from "${name as string}" r where r::text ilike $1 limit 1`, [`%${text}%`]);
    if (rows.length > 0) found.push(name as string);
  }
  return found.sort();
};

it('a closed account is removed after the grace: terminals by tasks, then all data; the audit log keeps ids, and no name', async () => {
  await server.createTerminal(user.token, { name: `${mark} gold`, login: '77' });
  await host.installAll();
  const as = { token: user.token };
  await server.request('POST', '/v1/my/projects', { ...as, body: { name: `${mark} fund` } });
  await server.request('POST', `/v1/my/files?name=${mark}.set`, {
    ...as,
    body: Buffer.from('x'),
    headers: { 'content-type': 'application/octet-stream' },
  });
  await server.request('POST', '/v1/my/account/tokens', { ...as, body: { name: `${mark} token` } });
  await server.query(`update users set external_id = '${mark}-1' where id = $1`, [user.user.id]);
  await close();
  await remove(31);
  expect((await send('POST', '/reopen')).headers.get('x-error-code')).toBe('user_not_closed');
  const tasks = await server.query(`select type from tasks where user_id = $1 and finished_at is null`, [user.user.id]);
  expect(tasks.map(({ type }) => type as number)).toContain(TaskType.TERMINAL_DESTROY);
  expect(await isRemoved()).toBe(false);
  await finishAll();
  await remove(31);
  expect(await isRemoved()).toBe(true);
  await settle();
  await new Pruning({ ...server.services, stopping: new AbortController().signal }).pruneAll();
  // Events expire by themselves.
  await server.query('delete from events where user_id = $1', [user.user.id]);
  const [event] = await server.query('select count(*)::int as total from audit_log where user_id = $1', [user.user.id]);
  expect(event?.total).toBeGreaterThan(0);
  expect(await findTraces(mark)).toEqual([]);
  expect(await server.query('select from terminals where user_id = $1', [user.user.id])).toEqual([]);
  const again = { name: 'Another', email: user.user.email, password: 'correct horse battery' };
  expect((await server.request('POST', '/v1/auth/register', { body: again })).status).toBe(200);
});

it('a host that is gone holds the terminals of a closed account, and nothing else; retired, it lets them go', async () => {
  await server.createTerminal(user.token);
  await host.installAll();
  await server.query(`update hosts set status = ${HostStatus.LOST} where id = $1`, [host.id]);
  await close();
  await remove(40);
  expect(await server.query('select from tokens where user_id = $1', [user.user.id])).toEqual([]);
  expect(await isRemoved()).toBe(false);
  await remove(200);
  expect(await server.query('select status from terminals where user_id = $1', [user.user.id])).toEqual([
    { status: TerminalStatus.DESTROYING },
  ]);
  await server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: owner.token });
  await new Tidying({ ...server.services, stopping: new AbortController().signal }).tidy();
  await remove(200);
  expect(await isRemoved()).toBe(true);
});

it('after months without a server nothing is removed at once: an operator has an hour to take the closing back', async () => {
  await close();
  await server.query(`update users set closed_at = now() - interval '120 days' where id = $1`, [user.user.id]);
  await server.query(`update scheduler set last_run_at = now(), downtime_ended_at = now() - interval '10 minutes'`);
  const parts = { ...server.services, stopping: new AbortController().signal };
  await removeClosedUsers(parts);
  expect(await isRemoved()).toBe(false);
  expect((await send('POST', '/reopen')).status).toBe(200);
  await remove(0);
  const [row] = await server.query('select status, name from users where id = $1', [user.user.id]);
  expect(row).toMatchObject({ status: AccountStatus.SUSPENDED, name: `${mark} Trader` });
});

it('a removal that is cut off at any step is gone on with by the next round, and two servers at once do no harm', async () => {
  await server.createTerminal(user.token);
  await host.installAll();
  await close();
  const steps = 12;
  for (let step = 0; step < steps && !(await isRemoved()); step += 1) {
    const cut = new AbortController();
    const { db } = server.services;
    let left = step;
    // Ends after so many statements, as a process that is killed.
    const slow = {
      query: (...given: Parameters<typeof db.slow.query>) => {
        if ((left -= 1) < 0) cut.abort();
        return cut.signal.aborted ? Promise.reject(new Error('killed')) : db.slow.query(...given);
      },
    };
    await settle();
    await server.query(
      `update users set closed_at = now() - interval '31 days' where id = $1 and closed_at is not null`,
      [user.user.id],
    );
    const parts = { ...server.services, stopping: cut.signal };
    await removeClosedUsers({ ...parts, db: Object.assign(Object.create(db) as typeof db, { slow }) }).catch(() => {});
    await finishAll();
  }
  await Promise.all([remove(31), remove(31)]);
  await finishAll();
  await Promise.all([remove(31), remove(31)]);
  expect(await isRemoved()).toBe(true);
});

/** Kept by design, or removed with what it belongs to. */
const KEPT = ['audit_log', 'events', 'users', 'projects', 'placement_turns'];
const WITH_OTHERS = ['alert_messages', 'deals', 'risk_evidence_heads', 'tasks', 'terminals', 'trading_stop_terminals'];
const COUNTS = ['storage_changes', 'storage_usage', 'user_storage'];

it('the removal of an account knows every table that has rows of users', async () => {
  const { readFile } = await import('node:fs/promises');
  const source = await readFile(new URL('../src/deployment/removed-users.ts', import.meta.url), 'utf8');
  const removed = [...source.matchAll(/^ {4}\['(\w+)'/gm)].map(([, table]) => table!);
  const tables = await server.query(
    `select distinct table_name as name from information_schema.columns c join information_schema.tables t using (table_name)
     where c.column_name = 'user_id' and t.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
  );
  const known = new Set([...removed, ...KEPT, ...WITH_OTHERS, ...COUNTS]);
  expect(tables.map(({ name }) => name as string).filter((name) => !known.has(name))).toEqual([]);
});
