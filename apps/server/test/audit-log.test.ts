/** The audit log: each change has its row, in its transaction, without secrets; nobody changes it. */
import { TaskType, TerminalStatus, type AuditEntry } from '@berth/contract';
import { LOOPBACK, TEST_PASSWORD, useTestServer, waitFor, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createLogger } from '@berth/kit';
import { Pruning } from '../src/scheduler/pruning.ts';

const server = useTestServer({ config: { outbound: LOOPBACK } });
let operator: Awaited<ReturnType<TestServer['registerOperator']>>;
let owner: Awaited<ReturnType<TestServer['register']>>;
beforeAll(async () => {
  operator = await server.registerOperator();
});
beforeEach(async () => {
  owner = await server.register('Owner');
});

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.request(method, `/v1/my/${path}`, { token: owner.token, headers, ...(body === undefined ? {} : { body }) });
/** A request that must not be refused. @returns its `data` */
const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
  const answer = await send(method, path, body);
  expect([path, answer.status, answer.body.ok]).toEqual([path, 200, true]);
  return answer.body.data;
};
const readOwn = async (query = ''): Promise<AuditEntry[]> => (await send('GET', `audit-log${query}`)).body.data;
const readAll = async (query: string): Promise<AuditEntry[]> =>
  (await server.request('GET', `/v1/operator/audit-log${query}`, { token: operator.token })).body.data;
/** What the own log has of an action, oldest first. */
const listOf = async (action: string) => (await readOwn(`?action=${action}`)).toReversed();
const countRows = async (): Promise<number> =>
  (await server.query('select count(*)::integer as total from audit_log'))[0]!.total as number;

const project = { name: 'Metals', description: null };

it('a creation, a change and a deletion have one row each, which says who, and only what changed', async () => {
  const { id } = await ask('POST', 'projects', project);
  await ask('PATCH', `projects/${id}`, { name: 'Gold' });
  await ask('PATCH', `projects/${id}`, { name: 'Gold' });
  await ask('DELETE', `projects/${id}`);
  const rows = (await readOwn(`?target=${id.toUpperCase()}`)).toReversed();
  expect(rows.map(({ action, before, after }) => [action, before, after])).toEqual([
    ['project.create', null, project],
    ['project.update', { name: 'Metals' }, { name: 'Gold' }],
    ['project.delete', { name: 'Gold', description: null }, null],
  ]);
  const tokenId = Number(owner.token.split('|')[0]);
  const actor = { kind: 'user', user_id: owner.user.id, name: 'Owner', token_id: tokenId, session_id: null };
  for (const row of rows)
    expect(row).toMatchObject({ actor, address: '127.0.0.1', user_id: owner.user.id, result: 'done' });
});

it('what is refused, and what is rolled back, leaves no row; and without its row no change is made', async () => {
  await send('DELETE', 'projects/0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10');
  await send('POST', 'projects', { name: '' });
  await server.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$;
    create trigger planted before insert on webhooks for each row when (new.description = 'planted') execute function fail();
    create trigger planted before insert on audit_log for each row when (new.action = 'alert_channel.create') execute function fail();
    create constraint trigger late after insert on audit_log deferrable initially deferred
      for each row when (new.action = 'file.create') execute function fail()`);
  try {
    const hook = { url: 'https://example.com/hook', events: ['*'], description: 'planted' };
    const channel = { kind: 'ntfy', name: 'Phone', settings: { topic: 'mine' } };
    expect((await send('POST', 'webhooks', hook)).status).toBe(500);
    expect((await send('POST', 'alert-channels', channel)).status).toBe(500);
    expect((await send('POST', 'files?name=a.txt', new Uint8Array([65]))).status).toBeGreaterThanOrEqual(500);
  } finally {
    await server.query('drop function fail cascade');
  }
  expect((await readOwn()).map(({ action }) => action)).toEqual(['account.create']);
  const kept = `select (select count(*) from alert_channels where user_id = $1)::integer as channels,
    (select count(*) from files where user_id = $1)::integer as files`;
  expect(await server.query(kept, [owner.user.id])).toEqual([{ channels: 0, files: 0 }]);
});

it('nobody changes or removes a row, except the removal of those that are older than they are kept', async () => {
  for (const text of ['update audit_log set action = $$x$$', 'delete from audit_log', 'truncate audit_log'])
    await expect(server.query(text)).rejects.toThrow('the audit log is append-only');
  const insert = `insert into audit_log (id, at, user_id, actor_kind, action, target_type, result)
    select (lpad(to_hex(((extract(epoch from now()) - d * 86400) * 1000)::bigint), 12, '0') || '7'
        || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid, now() - d * interval '1 day', $1, 'user', 'old.' || d, 'x', 'done'
    from unnest('{364,366,400}'::integer[]) as d`;
  await server.query(insert, [owner.user.id]);
  await new Pruning({ ...server.services, log: createLogger({ name: 'test', level: 'silent' }) }).pruneAll();
  expect((await readOwn()).map(({ action }) => action)).toEqual(['account.create', 'old.364']);
  await expect(server.query('delete from audit_log')).rejects.toThrow('append-only');
});

it('ordinary tasks leave no row; what deletes, signs in, trades, stops or starts has one, and a run has one for all', async () => {
  const terminals = [await server.createTerminal(owner.token), await server.createTerminal(owner.token)];
  await server.query('update terminals set status = $2 where user_id = $1', [owner.user.id, TerminalStatus.ACTIVE]);
  const [id] = terminals;
  const before = await countRows();
  for (const key of ['', '1']) {
    const headers: Record<string, string> = key === '' ? {} : { 'idempotency-key': key };
    await send('POST', `trading/terminals/${id}/tasks`, { type: TaskType.SCREENSHOT }, headers);
  }
  await ask('POST', 'trading/bulk-runs', { all: true, type: TaskType.SCREENSHOT });
  await ask('POST', 'trading/terminals/bulk/tasks', { terminal_ids: terminals, type: TaskType.MARKET_WATCH_SHOW_ALL });
  expect(await countRows()).toBe(before);

  const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
  const login = { server_name: 'Demo', login: '7', password: 'planted-task-password' };
  await ask('POST', `trading/terminals/${id}/tasks`, off);
  for (let time = 0; time < 2; time += 1)
    await send('POST', `trading/terminals/${id}/tasks`, { type: TaskType.CLOSE_ALL }, { 'idempotency-key': 'same' });
  await ask('POST', `trading/terminals/${id}/tasks`, { type: TaskType.ACCOUNT_LOGIN, payload: login });
  await send('POST', `trading/terminals/${id}/tasks`, { type: TaskType.TERMINAL_INSTALL });
  const tasks = await listOf('task.create');
  expect(tasks.map(({ target, after }) => [target.id, after?.type])).toEqual([
    [id, 'OPTIONS_AUTO_TRADE'],
    [id, 'CLOSE_ALL'],
    [id, 'ACCOUNT_LOGIN'],
  ]);
  expect(tasks[2]!.after).toMatchObject({ payload: { login: '7', password: '********' } });

  const { id: runId } = await ask('POST', 'trading/bulk-runs', { all: true, ...off });
  const bulk = { terminal_ids: terminals, type: TaskType.TERMINAL_RESTART };
  await ask('POST', 'trading/terminals/bulk/tasks', bulk);
  await ask('POST', `trading/bulk-runs/${runId}/cancel`);
  await ask('POST', 'trading/stop');
  await ask('POST', 'trading/stop/end', { restore: false });
  await send('POST', `trading/terminals/${id}/tasks`, { type: TaskType.TERMINAL_DESTROY });
  await send('DELETE', `trading/terminals/${id}`);
  const later = (await readOwn('?per_page=50')).map(({ action }) => action).toReversed();
  expect(later.slice(later.lastIndexOf('task.create') + 1)).toEqual([
    ...['run.create', 'run.create', 'run.cancel', 'trading_stop.start', 'trading_stop.end', 'terminal.delete'],
  ]);
  expect((await listOf('run.create'))[0]).toMatchObject({ target: { id: runId }, after: { terminals: 2 } });
});

it('an import has one row, a dry run has none, and the end of a lock has who ended it and why', async () => {
  const items = [1, 2, 3].map((n) => ({ server_name: 'Demo', login: `${n}`, password: 'planted-import', region: 0 }));
  await ask('POST', 'trading/terminals/bulk', { items, dry_run: true });
  const [{ terminal_id: id }] = await ask('POST', 'trading/terminals/bulk', { items });
  expect((await listOf('terminal.import')).map(({ after }) => after?.terminals)).toEqual([3]);
  await ask('POST', `trading/terminals/${id}/unlock`, { reason: 'not locked' });
  await server.query(`update terminals set locked_reason = 'breached' where id = $1`, [id]);
  await ask('POST', `trading/terminals/${id}/unlock`, { reason: 'talked to the trader' });
  const unlocks = await listOf('terminal.unlock');
  expect(unlocks.map(({ after }) => after)).toEqual([{ reason: 'talked to the trader', reset_marks: false }]);
});

it('sign-ins are kept, those that fail once a minute for each address, and none for an address without an account', async () => {
  const { email } = owner.user;
  const signIn = (password: string, to = email) =>
    server.request('POST', '/v1/auth/login', { body: { email: to, password } });
  for (let time = 0; time < 3; time += 1) await signIn('wrong');
  await signIn('wrong', 'nobody@example.com');
  await signIn(TEST_PASSWORD);
  const rows = await waitFor(async () => {
    const found = await listOf('account.sign_in');
    return found.length > 1 && found;
  });
  expect(rows.map(({ result }) => result).sort()).toEqual(['done', 'refused']);
  expect(rows.find(({ result }) => result === 'refused')).toMatchObject({ address: '127.0.0.1', after: null });
  await server.request('POST', '/v1/auth/logout', { token: owner.token });
  expect((await readAll(`?target=${owner.user.id}`))[0]!.action).toBe('account.sign_out');
});

it('a user sees what operators did, but neither who nor from where nor what they noted; operators see all of it', async () => {
  const { id } = owner.user;
  const patch = (body: object) => server.request('PATCH', `/v1/operator/users/${id}`, { token: operator.token, body });
  await patch({ plan: 2, limits: { terminals: 4 } });
  await patch({ status: 'suspended', suspension: { reason: 'unpaid, as usual', terminals: 'keep' } });
  await patch({ status: 'active' });
  const seen = await readAll(`?action=user.update&target=${id}`);
  const own = await readOwn('?action=user.update');
  expect(own.map(({ after }) => after?.status ?? after?.plan)).toEqual(['active', 'suspended', 2]);
  for (const row of own) {
    expect(row).toMatchObject({ address: null, user_id: id });
    expect(row.actor).toEqual({ kind: 'operator', user_id: null, name: null, token_id: null, session_id: null });
  }
  expect(JSON.stringify(own)).not.toContain('unpaid');
  for (const row of seen)
    expect(row).toMatchObject({ address: '127.0.0.1', actor: { kind: 'operator', user_id: operator.user.id } });
  expect(JSON.stringify(seen)).toContain('unpaid');
  expect((await readAll(`?actor=${operator.user.id}`)).length).toBeGreaterThan(0);
  const stranger = await server.register('Stranger');
  const theirs = await server.request('GET', `/v1/my/audit-log?target=${id}`, { token: stranger.token });
  expect(theirs.body.data).toEqual([]);
});

it('an action that ends with a dot is the beginning of several, and rows can be asked for by the kind of who did it', async () => {
  const { id } = await ask('POST', 'projects', project);
  await ask('PATCH', `projects/${id}`, { name: 'Gold' });
  const path = `/v1/operator/users/${owner.user.id}`;
  await server.request('PATCH', path, { token: operator.token, body: { plan: 3 } });
  const list = async (query: string) => (await readOwn(query)).map(({ action }) => action);
  expect(await list('?action=project.')).toEqual(['project.update', 'project.create']);
  expect(await list('?action=project')).toEqual([]);
  expect(await list('?action=p%25.')).toEqual([]);
  expect(await list('?actor_kind=operator')).toEqual(['user.update']);
  expect(await list('?actor_kind=user&action=project.create')).toEqual(['project.create']);
  expect((await send('GET', 'audit-log?actor_kind=anybody')).status).toBe(422);
  const all = await readAll(`?actor_kind=operator&action=user.&target=${owner.user.id}`);
  expect(all.map(({ action }) => action)).toEqual(['user.update']);
});

it('rows are read by cursor and by time, each once', async () => {
  for (let n = 0; n < 5; n += 1) await ask('POST', 'projects', { name: `Project ${n}` });
  const whole = (await readOwn()).map(({ id }) => id);
  const seen: string[] = [];
  for (let after = 'start'; after;) {
    const { body } = await send('GET', `audit-log?per_page=2&after=${after}`);
    seen.push(...(body.data as AuditEntry[]).map(({ id }) => id));
    after = body.pagination.next_cursor;
  }
  expect(seen).toEqual(whole);
  const { at } = (await readOwn())[2]!;
  const [later, earlier] = [await readOwn(`?from=${at}`), await readOwn(`?to=${at}`)];
  expect([...later, ...earlier].map(({ id }) => id)).toEqual(whole);
  expect(later.every((row) => row.at >= at) && earlier.every((row) => row.at < at)).toBe(true);
});

it('an export has every row, as CSV whose cells are no formulas, or as one JSON object per line', async () => {
  await ask('PATCH', 'account/profile', { name: '=HYPERLINK("https://evil.example")' });
  for (let n = 0; n < 3; n += 1) await ask('POST', 'projects', { name: '@SUM(A1), "quoted"' });
  const read = async (accept: string) => {
    const headers = { authorization: `Bearer ${owner.token}`, accept };
    const answer = await fetch(`${server.url}/v1/my/audit-log?per_page=1`, { headers });
    return { type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const csv = await read('text/csv');
  const lines = csv.text.trimEnd().split('\r\n');
  expect([csv.type, lines.length, lines[0]!.slice(0, 6)]).toEqual(['text/csv; charset=utf-8', 6, 'id,at,']);
  expect(csv.text).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
  expect(csv.text).not.toMatch(/(?:^|,)"?[=+@-]/m);
  const jsonl = await read('application/jsonl');
  const rows = jsonl.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(rows).toEqual(await readOwn());
});

it('a row has room for so much: long texts, lists and objects are cut', async () => {
  const before = await countRows();
  const ids = Array.from({ length: 300 }, (_, n) => `${n}`.padStart(36, 'x'));
  const hooks = { url: `https://example.com/${'p'.repeat(1_900)}`, events: ['*'], description: 'd'.repeat(250) };
  await ask('POST', 'webhooks', hooks);
  const id = await server.createTerminal(owner.token);
  await ask('PATCH', `trading/terminals/${id}`, {
    notes: 'n'.repeat(2_000),
    tags: ids.slice(0, 10).map((tag) => tag.slice(0, 30)),
  });
  expect(await countRows()).toBe(before + 3);
  const sizes = await server.query(
    'select max(octet_length(before::text) + octet_length(after::text)) as bytes from audit_log',
  );
  expect(Number(sizes[0]!.bytes)).toBeLessThan(10_000);
});
