/** What one user asks for at once, and what waits for a row of theirs, holds few connections: others are served meanwhile. */
import { TaskType } from '@berth/contract';
import { farAhead, TestHost, waitFor, withClient, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

/** More than the server has connections. */
const MANY = 40;

const server = useTestServer();

const createFile = async (token: string): Promise<string> => {
  return (await server.upload(token, Buffer.from('a'))).body.data.id as string;
};

/** Somebody waits for a row in this database. */
const isWaiting = async (): Promise<boolean> => {
  const rows = await server.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length > 0;
};

it.each(['creations of tokens', 'deletions of a file'])('many %s of one user hold up no other', async (what) => {
  const [busy, other] = [await server.register('Busy'), await server.register('Other')];
  const { token } = busy;
  const fileId = await createFile(token);
  const ask = () =>
    what === 'creations of tokens'
      ? server.request('POST', '/v1/my/account/tokens', { token, body: { name: 'n' } })
      : server.request('DELETE', `/v1/my/files/${fileId}`, { token });
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('select from users where id = $1 for update', [busy.user.id]);
    await client.query('select from files where id = $1 for update', [fileId]);
    const asked = Array.from({ length: MANY }, ask);
    await waitFor(isWaiting, { what: 'somebody who waits for the row' });
    const answer = await server.request('POST', '/v1/my/projects', { token: other.token, body: { name: 'Mine' } });
    await client.query('commit');
    const answers = await Promise.all(asked);
    expect(answer.status).toBe(200);
    expect(new Set(answers.map(({ status }) => status)).has(503)).toBe(false);
  });
});

it.each([
  ['users', 'id', 'PATCH', '/v1/my/account/profile', { name: 'Another name' }],
  ['projects', 'user_id', 'PATCH', '/v1/my/projects/:project', { name: 'Another name' }],
  ['terminals', 'user_id', 'PATCH', '/v1/my/trading/terminals/:terminal', { name: 'Another name' }],
  ['tasks', 'user_id', 'POST', '/v1/my/trading/terminals/:terminal/tasks/:task/cancel', {}],
  ['notifications', 'user_id', 'POST', '/v1/my/account/notifications/:notification/read', {}],
])('a change that waits for a row of %s holds up no other user', async (table, column, method, path, body) => {
  const [busy, other] = [await server.register('Busy'), await server.register('Other')];
  const { token } = busy;
  const account = { server_name: 'Demo', login: '1', password: 'x', region: 0, platform: 'sandbox' };
  await TestHost.enrol(server);
  const { body: created } = await server.request('POST', '/v1/my/trading/terminals', { token, body: account });
  await server.request('POST', '/v1/my/account/tokens', { token, body: { name: 'n' } });
  const { body: notifications } = await server.request('GET', '/v1/my/account/notifications', { token });
  const { default_project_id: project } = await busy.berth.account.profile();
  const terminal = created.data.id as string;
  const later = { type: TaskType.SCREENSHOT, planned_at: farAhead };
  const planned = await server.request('POST', `/v1/my/trading/terminals/${terminal}/tasks`, { token, body: later });
  const ids = {
    project,
    terminal,
    task: planned.body.data.id as string,
    notification: notifications.data[0].id as string,
  };
  const target = path.replaceAll(/:(\w+)/g, (_, name: keyof typeof ids) => ids[name]);
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(`select from ${table} where ${column} = $1 for update`, [busy.user.id]);
    const changed = server.request(method, target, { token, body });
    await waitFor(isWaiting, { what: 'somebody who waits for the row' });
    let isServed = false;
    const served = server.request('GET', '/v1/my/account/profile', { token: other.token }).then(({ status }) => {
      isServed = status === 200;
    });
    // Not after the lock is gone.
    // eslint-disable-next-line typescript/no-misused-promises -- it is waited for
    await waitFor(() => isServed, { what: 'the answer to the other user', timeoutMs: 30_000 }).finally(async () => {
      await client.query('commit');
      await Promise.all([served, changed]);
    });
    expect((await changed).status).toBe(200);
  });
});
