import { setTimeout as delay } from 'node:timers/promises';
import {
  AccountStatus,
  LiveEvent,
  liveEvents,
  TaskStatus,
  TaskType,
  TerminalStatus,
  type LiveEventName,
} from '@berth/contract';
import { EventReader, farAhead, startTestServer, TestHost, waitFor, withClient, useTestServer } from '@berth/testing';
import { Ajv } from 'ajv';
import { beforeAll, expect, it } from 'vitest';
import { MAX_STREAMS } from '../src/events/live-events.ts';
import { ANNOUNCED_TABLES } from '../src/events/watchers.ts';

const fitsContract = new Ajv({ formats: { uuid: true }, strict: false }).compile(LiveEvent);

const server = useTestServer();
let host: TestHost;

beforeAll(async () => {
  host = await TestHost.enrol(server);
});

const watch = async (token: string): Promise<EventReader> => {
  const reader = await EventReader.open(server.url, token);
  await waitFor(() => reader.events[0]?.event === 'ready', { what: 'ready' });
  return reader;
};

const createTask = async (token: string, terminalId: string): Promise<string> => {
  const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  const created = await server.request('POST', path, { token, body: { type: TaskType.EA_LOGS } });
  return (created.body as { data: { id: string } }).data.id;
};

const countWatchers = (): Promise<number> =>
  withClient(server.databaseUrl, async (client) => {
    const { rows } = await client.query<{ total: number }>('select count(*)::int as total from event_watchers');
    return rows[0]!.total;
  });

it('live events report the life of a terminal and of its tasks, in their order, and notifications', async () => {
  const { token } = await server.register('Watcher');
  const reader = await watch(token);
  const terminalId = await server.createTerminal(token);
  await host.installAll();
  const id = await createTask(token, terminalId);
  await host.complete((await host.claim())[0]!);
  const ofTask = () => reader.dataOf('task').filter((task) => task.id === id);
  await waitFor(() => ofTask().at(-1)?.status === TaskStatus.COMPLETED, { what: 'the end of the task' });
  expect(ofTask()[0]).toEqual({ id, terminal_id: terminalId, type: TaskType.EA_LOGS, status: TaskStatus.PENDING });
  const statuses = ofTask().map(({ status }) => Number(status));
  expect(statuses).toEqual([...statuses].sort());
  expect(reader.dataOf('terminal')[0]).toEqual({ id: terminalId, status: TerminalStatus.PENDING });
  await waitFor(() => reader.dataOf('terminal').at(-1)?.status === TerminalStatus.ACTIVE, {
    what: 'the terminal at ACTIVE',
  });
  const answer = await server.request('GET', '/v1/my/account/notifications', { token });
  const notifications = (answer.body as { data: { id: string }[] }).data.map((notification) => notification.id);
  await waitFor(() => reader.dataOf('notification').length === notifications.length, { what: 'the notifications' });
  expect(reader.dataOf('notification').map((notification) => notification.id)).toEqual(
    expect.arrayContaining(notifications),
  );
  for (const event of reader.events) {
    expect([event, fitsContract(event)]).toEqual([event, true]);
    expect(Object.keys(event.data)).toEqual(Object.keys(liveEvents[event.event as LiveEventName].properties));
  }
  reader.close();
});

it('live events report a run that began, was canceled, and was dismissed, and none of its turns', async () => {
  const { token } = await server.register('Runner');
  await server.createTerminal(token);
  await host.installAll();
  const reader = await watch(token);
  const body = { type: TaskType.SCREENSHOT, planned_at: farAhead, all: true };
  const run = '/v1/my/trading/bulk-runs';
  const { id } = (await server.request('POST', run, { token, body })).body.data as { id: string };
  const notifications = (count: number) =>
    waitFor(() => reader.dataOf('bulk_run').length === count, { what: `${count} events of the run` });
  await notifications(1);
  await server.query(`update bulk_runs set served_at = now() where id = $1`, [id]);
  await server.request('POST', `${run}/${id}/cancel`, { token });
  await notifications(2);
  await server.query(`update bulk_runs set finished_at = now() where id = $1`, [id]);
  await notifications(3);
  expect((await server.request('DELETE', `${run}/${id}`, { token })).status).toBe(200);
  await notifications(4);
  expect(reader.dataOf('bulk_run')).toEqual(Array(4).fill({ id }));
  reader.close();
});

it('live events are those of one user only', async () => {
  const [one, other] = [await server.register('One'), await server.register('Other')];
  const [reader, stranger] = [await watch(one.token), await watch(other.token)];
  const terminalId = await server.createTerminal(one.token);
  await waitFor(() => reader.dataOf('terminal').length > 0);
  const ownId = await server.createTerminal(other.token);
  await waitFor(() => stranger.dataOf('terminal').length > 0);
  expect(JSON.stringify(stranger.events)).not.toContain(terminalId);
  expect(JSON.stringify(reader.events)).not.toContain(ownId);
  reader.close();
  stranger.close();
});

it('live events come as an event stream that nobody stores, and a HEAD ends at once', async () => {
  const { token } = await server.register('Header');
  const reader = await watch(token);
  expect([reader.status, reader.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(reader.headers.get('cache-control')).toBe('no-store');
  expect(reader.headers.get('x-content-type-options')).toBe('nosniff');
  expect(reader.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  reader.close();
  const head = await server.request('HEAD', '/v1/my/events', { token });
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
});

it('live events end when their token is revoked, and no other does', async () => {
  const { token } = await server.register('Revoker');
  const body = { name: 'dashboard', abilities: ['read'] };
  const created = await server.request('POST', '/v1/my/account/tokens', { token, body });
  const { token: readToken } = (created.body as { data: { token: string } }).data;
  const [reader, other] = [await watch(readToken), await watch(token)];
  const path = `/v1/my/account/tokens/${readToken.split('|')[0]}`;
  expect((await server.request('DELETE', path, { token })).status).toBe(200);
  await reader.ended;
  await server.createTerminal(token);
  await waitFor(() => other.dataOf('terminal').length === 1);
  other.close();
});

it('live events end when the account is suspended', async () => {
  const { token, user } = await server.register('Suspended');
  const reader = await watch(token);
  await withClient(server.databaseUrl, (client) =>
    client.query(`update users set status = ${AccountStatus.SUSPENDED} where id = $1`, [user.id]),
  );
  await reader.ended;
  expect((await EventReader.open(server.url, token)).status).toBe(403);
});

it('live events continue after the listening connection was lost, with the advice to reload everything', async () => {
  const { token } = await server.register('Survivor');
  const reader = await watch(token);
  await withClient(server.databaseUrl, (client) =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'berth listener'`),
  );
  await waitFor(() => reader.dataOf('reset').length > 0, { what: 'the advice' });
  const terminalId = await server.createTerminal(token);
  await waitFor(() => reader.dataOf('terminal').some(({ id }) => id === terminalId), { what: 'the new terminal' });
  reader.close();
});

it('live events wait with "ready" until every change has ended that began before and could not know of the reader', async () => {
  const { token } = await server.register('Late');
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('update terminals set name = name where false');
    // The connection stands at once; what happens before "ready" is for the lists.
    const reader = await EventReader.open(server.url, token);
    expect(reader.status).toBe(200);
    await waitFor(async () => (await countWatchers()) > 0, { what: 'the reader to be noted' });
    await server.createTerminal(token);
    await server.request('GET', '/v1/my/account/profile', { token });
    expect(reader.events).toEqual([]);
    await client.query('commit');
    await waitFor(() => reader.events.length > 0, { what: 'ready' });
    expect(reader.events[0]!.event).toBe('ready');
    const terminalId = await server.createTerminal(token);
    await waitFor(() => reader.dataOf('terminal').some(({ id }) => id === terminalId), { what: 'the terminal' });
    reader.close();
  });
});

it('live events do not wait for a transaction that changes nothing that is announced, or is in another database', async () => {
  const { token } = await server.register('Busy');
  const elsewhere = new URL(server.databaseUrl);
  elsewhere.pathname = '/postgres';
  await withClient(elsewhere.href, (other) =>
    withClient(server.databaseUrl, async (client) => {
      for (const one of [other, client]) await one.query('begin');
      for (const one of [other, client]) await one.query('select pg_current_xact_id()');
      await client.query(`insert into idempotency_keys (user_id, key, request_hash, response)
          values (gen_random_uuid(), 'k', 'h', '{}')`);
      await client.query('select count(*) from tasks');
      (await watch(token)).close();
      for (const one of [other, client]) await one.query('rollback');
    }),
  );
});

it('live events end with their right also while they wait to be ready, and nothing is asked any more when nobody waits', async () => {
  const { token } = await server.register('Waiting');
  const body = { name: 'dashboard', abilities: ['read'] };
  const created = await server.request('POST', '/v1/my/account/tokens', { token, body });
  const { token: readToken } = (created.body as { data: { token: string } }).data;
  const lastAsked = () =>
    withClient(server.databaseUrl, async (client) => {
      const { rows } = await client.query<{ at: string | null }>(
        `select max(query_start)::text as at from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and query like '%virtualtransaction as change%'`,
      );
      return rows[0]!.at;
    });
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('update terminals set name = name where false');
    const reader = await EventReader.open(server.url, readToken);
    const other = await EventReader.open(server.url, token);
    const path = `/v1/my/account/tokens/${readToken.split('|')[0]}`;
    expect((await server.request('DELETE', path, { token })).status).toBe(200);
    await reader.ended;
    expect([reader.events, other.events]).toEqual([[], []]);
    other.close();
    await waitFor(async () => (await countWatchers()) === 0, { what: 'nobody watched' });
    // A poll that went on would ask once per second.
    await waitFor(
      async () => {
        const before = await lastAsked();
        await delay(1_500);
        return (await lastAsked()) === before;
      },
      { what: 'the end of the questions' },
    );
    await client.query('rollback');
  });
});

it('live events report the changes of every table whose trigger announces them', async () => {
  const tables = await withClient(server.databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
         where p.prosrc like '%announce(%' order by 1`,
    );
    return rows.map(({ name }) => name);
  });
  expect(ANNOUNCED_TABLES).toEqual(tables);
});

it('live events are refused to a reader too many, and nobody is noted when the last one left', async () => {
  const { token } = await server.register('Many');
  await waitFor(async () => (await countWatchers()) === 0, { what: 'an empty list of watched users' });
  const readers = await Promise.all(Array.from({ length: MAX_STREAMS }, () => watch(token)));
  const refused = await server.request('GET', '/v1/my/events', { token });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'event_stream_limit']);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(await countWatchers()).toBe(1);
  for (const reader of readers) reader.close();
  await waitFor(async () => (await countWatchers()) === 0, { what: 'nobody watched' });
});

it('live events end when the server stops', async () => {
  const stopping = await startTestServer();
  const { token } = await stopping.register('Last');
  const reader = await EventReader.open(stopping.url, token);
  await waitFor(() => reader.events.length > 0);
  stopping.services.draining.abort();
  await reader.ended;
  const refused = await stopping.request('GET', '/v1/my/events', { token });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
  await stopping.close();
});
