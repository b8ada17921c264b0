import { NOT_RUNNING, TaskStatus, TaskType, TerminalStatus, UserEvent } from '@berth/contract';
import { EventReader, TestHost, waitFor, withClient, useTestServer } from '@berth/testing';
import { Ajv } from 'ajv';
import { beforeAll, expect, it } from 'vitest';
import { recordSkippedChanges } from '../src/events/record.ts';

const fitsContract = new Ajv({ formats: { uuid: true }, strict: false }).compile({
  oneOf: (UserEvent as { variants?: object[] }).variants,
});

const server = useTestServer();
let host: TestHost;

beforeAll(async () => {
  host = await TestHost.enrol(server);
});

interface Log {
  data: UserEvent[];
  pagination: { per_page: number; next_cursor: string | null };
}

const ask = (token: string, query: string) => server.request('GET', `/v1/my/events/log?${query}`, { token });

const read = async (token: string, query = ''): Promise<Log> => {
  const { status, body } = await ask(token, query);
  expect(status).toBe(200);
  return body as Log;
};

/** Events without an ado: of a type that nothing else here writes. */
const insert = (userId: string, count: number, age = '0') =>
  server.query(
    `insert into events (user_id, type, data, occurred_at)
     select $1, 'security.token_created', '{"token_id": 1, "name": "n"}', now() - $3::interval from generate_series(1, $2::int)`,
    [userId, count, age],
  );

const toTypes = ({ data }: Pick<Log, 'data'>) => data.map(({ type }) => type);
const toIds = ({ data }: Log) => data.map(({ id }) => id);

/** A user, whose terminal is active, and a task of it done. */
const live = async () => {
  const { user, token } = await server.register('Owner');
  const terminalId = await server.createTerminal(token);
  await host.installAll();
  const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  const created = await server.request('POST', path, { token, body: { type: TaskType.EA_LOGS } });
  await host.complete((await host.claim())[0]!);
  return { user, token, terminalId, taskId: created.body.data.id as string };
};

it('the log of events has what happened, oldest first, in the shapes of the contract, and is gone through by ids', async () => {
  const { token, terminalId, taskId } = await live();
  const log = await read(token);
  const ends = log.data.filter(({ type }) => type === 'task.finished');
  expect(ends.at(-1)).toMatchObject({
    terminal_id: terminalId,
    data: { task_id: taskId, type: TaskType.EA_LOGS, status: TaskStatus.COMPLETED },
  });
  expect(log.data.filter(({ type }) => type === 'terminal.status_changed').at(-1)?.data).toMatchObject({
    to: TerminalStatus.ACTIVE,
  });
  for (const event of log.data) expect([event, fitsContract(event)]).toEqual([event, true]);
  expect(toIds(log)).toEqual([...new Set(toIds(log))].sort((a, b) => a - b));
  expect(log.pagination.next_cursor).toBeNull();

  const pages: UserEvent[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const page: Log = await read(token, `after=${after}&per_page=2`);
    pages.push(...page.data);
    after = page.pagination.next_cursor;
  }
  expect(pages).toEqual(log.data);
  expect((await read(token, `after=${log.data.at(-1)!.id}`)).data).toEqual([]);
});

it('the log of events can be had by types, terminal and project, which is the one that the terminal was in', async () => {
  const { token, terminalId } = await live();
  const other = await server.createTerminal(token);
  const all = await read(token);
  expect(new Set(toTypes(await read(token, 'types=terminal.*')))).toEqual(new Set(['terminal.status_changed']));
  expect(toTypes(await read(token, 'types=task.finished,host.lost'))).toEqual(['task.finished', 'task.finished']);
  const own = await read(token, `terminal_id=${terminalId}`);
  expect(own.data).toEqual(all.data.filter((event) => event.terminal_id === terminalId));
  expect((await read(token, `terminal_id=${other}`)).data.length).toBeGreaterThan(0);
  expect((await read(token, 'terminal_id=nothing')).data).toEqual([]);

  const projectId = all.data[0]!.project_id!;
  const { body } = await server.request('POST', '/v1/my/projects', { token, body: { name: 'Metals' } });
  const moved = { project_id: body.data.id as string };
  await server.request('PATCH', `/v1/my/trading/terminals/${terminalId}`, { token, body: moved });
  expect((await read(token, `project_id=${projectId}`)).data).toEqual(all.data);
  expect((await read(token, `project_id=${moved.project_id}`)).data).toEqual([]);
});

it('the log of events is that of one user only', async () => {
  const [one, other] = [await live(), await live()];
  expect(JSON.stringify(await read(one.token))).not.toContain(other.terminalId);
  expect(toIds(await read(one.token, `after=${(await read(other.token)).data[0]!.id}`))).not.toContain(
    (await read(other.token)).data.at(-1)!.id,
  );
});

it('the log of events refuses a place and types that there are not', async () => {
  const { token } = await server.register('Refused');
  for (const query of [
    'after=abc',
    'after=-1',
    'after=999999999999',
    'after=',
    'types=nothing',
    'types=',
    'types=terminal.*,x.*',
    'per_page=0',
  ]) {
    expect([query, (await ask(token, query)).status]).toEqual([query, 422]);
  }
});

it('the log of events shows nothing behind what a transaction under way may still write, and leaves nothing out', async () => {
  const { user, token } = await server.register('Late');
  await insert(user.id, 1);
  const [{ id: first }] = (await read(token)).data as [UserEvent];
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(
      `insert into events (user_id, type, data) values ($1, 'security.token_created', '{"token_id": 2, "name": "late"}')`,
      [user.id],
    );
    await insert(user.id, 1);
    expect(toIds(await read(token))).toEqual([first]);
    expect(toIds(await read(token, `after=${first}`))).toEqual([]);
    await client.query('commit');
  });
  const followed = await waitFor(async () => {
    const { data } = await read(token, `after=${first}`);
    return data.length === 2 && data;
  });
  expect((followed[0]!.data as { name: string }).name).toBe('late');
});

it('the log of events looks at so many entries for a page, however rare a type is, and goes on from there', async () => {
  const { user, token } = await server.register('Rare');
  await insert(user.id, 10_050);
  await server.query(`insert into events (user_id, type, data) values ($1, 'host.lost', '{}')`, [user.id]);
  const page = await read(token, 'types=host.lost');
  expect([page.data, typeof page.pagination.next_cursor]).toEqual([[], 'string']);
  expect(toTypes(await read(token, `types=host.lost&after=${page.pagination.next_cursor}`))).toEqual(['host.lost']);
});

it('the log of events is pruned after 30 days, and informs readers who are left with a gap', async () => {
  const { user, token } = await server.register('Old');
  await insert(user.id, 2_100, '31 days');
  await insert(user.id, 1, '29 days');
  const [oldest] = toIds(await read(token, 'per_page=1'));
  await server.prune();
  const left = await read(token);
  expect(left.data.length).toBe(1);
  expect((await ask(token, `after=${oldest}`)).body).toMatchObject({
    errors: { after: expect.any(Array) as unknown },
  });
  expect((await read(token, `after=${left.data[0]!.id}`)).data).toEqual([]);
});

it('a terminal goes down once, whatever its status is then, and is back once it is active', async () => {
  const { token, terminalId } = await live();
  const report = (status: TerminalStatus) =>
    host.report({ kind: 'terminal', terminal_id: terminalId, status, reason: `by ${status}` } as never);
  const { DISCONNECTED, CONNECTING, LOGIN_FAILED, ACTIVE, STOPPED } = TerminalStatus;
  for (const status of [DISCONNECTED, CONNECTING, LOGIN_FAILED, CONNECTING, ACTIVE, CONNECTING, ACTIVE, DISCONNECTED])
    await report(status);
  const { data } = await read(token, 'types=terminal.down,terminal.up');
  expect(data.map(({ type, data: facts }) => [type, (facts as { status?: number }).status])).toEqual([
    ['terminal.down', DISCONNECTED],
    ['terminal.up', undefined],
    ['terminal.down', DISCONNECTED],
  ]);
  // Its owner logs it out: it is neither down nor back.
  await report(STOPPED);
  expect((await server.query('select * from terminal_downs where terminal_id = $1', [terminalId])).length).toBe(0);
  expect((await read(token, 'types=terminal.down,terminal.up')).data.length).toBe(3);
});

const exit = { code: null, signal: 'SIGKILL' };
it.each([
  ['crashed, if its host says how its program ended', { exit }, 'TerminalCrashed', { cause: 'process', exit }],
  ['lost its broker, if not', {}, 'TerminalDisconnected', { cause: 'connection', exit: null }],
])('a terminal that is disconnected: %s', async (_, facts, type, expected) => {
  const { token, terminalId } = await live();
  const status = TerminalStatus.DISCONNECTED;
  await host.report({ kind: 'terminal', terminal_id: terminalId, status, reason: 'x', ...facts } as never);
  const { data } = await read(token, 'types=terminal.down');
  expect(data).toMatchObject([{ data: { status, reason: 'x', ...expected } }]);
  expect(data.every((event) => fitsContract(event))).toBe(true);
  const { body } = await server.request('GET', '/v1/my/account/notifications', { token });
  expect(body.data[0]).toMatchObject({ type: `App\\Notifications\\${type}`, data: { id: terminalId } });
});

it('a terminal that is disconnected keeps its cause in the event that sums up what was skipped', async () => {
  const { token, terminalId } = await live();
  const report = (status: TerminalStatus, facts = {}) =>
    host.report({ kind: 'terminal', terminal_id: terminalId, status, ...facts } as never);
  await server.query('update event_allowances set remaining = 0, counted_at = now() where terminal_id = $1', [
    terminalId,
  ]);
  await report(TerminalStatus.DISCONNECTED, { exit, reason: `${NOT_RUNNING}: it was killed.` });
  await server.query('update event_allowances set remaining = 2 where terminal_id = $1', [terminalId]);
  await server.services.db.transaction((tx) => recordSkippedChanges(tx, 1_000));
  const { data } = await read(token, 'types=terminal.down');
  expect(data).toMatchObject([{ data: { cause: 'process', exit: { code: null, signal: null } } }]);
});

it('a terminal whose status changes all the time has so many events written, and one that sums up what was skipped', async () => {
  const { token, terminalId } = await live();
  const kinds = 'types=terminal.status_changed,terminal.login_failed';
  const before = (await read(token, kinds)).data.length;
  const report = (status: TerminalStatus) =>
    host.report({ kind: 'terminal', terminal_id: terminalId, status, reason: `flap ${status}` } as never);
  for (let round = 0; round < 40; round += 1) {
    await report(TerminalStatus.DISCONNECTED);
    await report(TerminalStatus.ACTIVE);
  }
  await report(TerminalStatus.LOGIN_FAILED);
  const flapped = (await read(token, `${kinds}&per_page=100`)).data.slice(before);
  expect(flapped.length).toBeGreaterThan(40);
  expect(flapped.length).toBeLessThanOrEqual(60);
  const last = flapped.at(-1)!;
  // A minute later.
  await server.query(`update event_allowances set counted_at = now() - interval '61 s' where terminal_id = $1`, [
    terminalId,
  ]);
  const summed = await waitFor(async () => {
    const { data } = await read(token, `${kinds}&after=${last.id}`);
    return data.length > 0 && data;
  });
  expect(toTypes({ data: summed })).toEqual(['terminal.status_changed', 'terminal.login_failed']);
  expect(summed[0]!.data).toEqual({
    name: expect.any(String) as unknown,
    from: (last.data as { to: TerminalStatus }).to,
    to: TerminalStatus.LOGIN_FAILED,
    reason: `flap ${TerminalStatus.LOGIN_FAILED}`,
    // The 81 changes of status, and the login that failed.
    skipped: 82 - flapped.length,
  });
  const { data: notified } = (await server.request('GET', '/v1/my/account/notifications?per_page=100', { token }))
    .body as { data: unknown[] };
  expect(notified.length).toBeLessThanOrEqual(65);
});

it('a terminal whose status changes all the time is still said to be deleted', async () => {
  const { token, terminalId } = await live();
  await server.query(
    `insert into event_allowances (terminal_id, remaining, skipped) values ($1, 0, 1)
       on conflict (terminal_id) do update set remaining = 0, counted_at = now() + interval '1 hour', skipped = 1`,
    [terminalId],
  );
  await server.request('DELETE', `/v1/my/trading/terminals/${terminalId}`, { token });
  await host.complete((await host.claim())[0]!);
  const { data } = await read(token, 'types=terminal.status_changed');
  expect(data.at(-1)).toMatchObject({ terminal_id: terminalId, data: { to: TerminalStatus.DESTROYED } });
  // Once: what was skipped before is not summed up when nothing is left.
  await server.query(`update event_allowances set counted_at = now() - interval '1 hour' where terminal_id = $1`, [
    terminalId,
  ]);
  await server.services.db.transaction((tx) => recordSkippedChanges(tx, 500));
  expect((await read(token, `after=${data.at(-1)!.id}`)).data).toEqual([]);
});

const open = async (token: string, last?: number | string) => {
  const reader = await EventReader.open(server.url, token, last);
  await waitFor(() => reader.events[0]?.event === 'ready', { what: 'ready' });
  return reader;
};
const entriesOf = (reader: EventReader) => reader.dataOf('happened') as unknown as UserEvent[];

it('live events from the log come once each and in order, to all who watch, with their ids', async () => {
  const { user, token } = await server.register('Watching');
  await insert(user.id, 3);
  const readers = [await open(token), await open(token)];
  // From now on: what was before is in the log.
  await waitFor(async () => {
    await insert(user.id, 1);
    return readers.every((reader) => entriesOf(reader).length > 0);
  });
  await insert(user.id, 1_200);
  const rows = await server.query('select id::float8 as id from events where user_id = $1 order by id', [user.id]);
  const all = rows.map((row) => Number(row.id));
  for (const reader of readers) {
    await waitFor(() => entriesOf(reader).at(-1)?.id === all.at(-1), { what: 'the last entry' });
    const came = entriesOf(reader).map(({ id }) => id);
    expect(came).toEqual(all.slice(all.length - came.length));
    const framed = reader.events.filter(({ event }) => event === 'happened');
    expect(framed.map(({ id }) => id)).toEqual(came.map(String));
    reader.close();
  }
});

it('live events from the log begin after the id of ready, also for one who is cut off before the first of them', async () => {
  const { user, token } = await server.register('Cut');
  await insert(user.id, 2);
  const first = await open(token);
  const { id } = first.events[0]!;
  expect(id).toMatch(/^\d+$/);
  first.close();
  await insert(user.id, 3);
  const second = await open(token, id);
  // Who has an entry keeps it until he has received what he missed.
  expect(second.events[0]).not.toHaveProperty('id');
  await waitFor(() => entriesOf(second).length === 3, { what: 'what was missed' });
  expect(entriesOf(second).map((entry) => entry.id)).toEqual(toIds(await read(token)).slice(-3));
  second.close();
});

it('live events from the log go on after the last one that came', async () => {
  const { user, token } = await server.register('Returning');
  await insert(user.id, 5);
  const ids = toIds(await read(token));
  const reader = await open(token, ids[1]);
  await waitFor(() => entriesOf(reader).length === 3, { what: 'what was missed' });
  await insert(user.id, 1);
  await waitFor(() => entriesOf(reader).length === 4, { what: 'what came then' });
  expect(entriesOf(reader).map(({ id }) => id)).toEqual(toIds(await read(token)).slice(2));
  expect(reader.dataOf('reset')).toEqual([]);
  reader.close();
});

it('live events from the log say reset where they cannot', async () => {
  const { user, token } = await server.register('Lost');
  await insert(user.id, 1_002);
  const [first = 0] = toIds(await read(token, 'per_page=1'));
  for (const last of ['x', '', first + 1_000_000, first]) {
    const reader = await open(token, last);
    await waitFor(() => reader.dataOf('reset').length > 0, { what: `reset after ${last}` });
    expect(reader.events.find(({ event }) => event === 'reset')?.id).toMatch(/^\d+$/);
    expect(entriesOf(reader)).toEqual([]);
    reader.close();
  }
});

it('live events from the log say reset when the database is an older one, and go on in it', async () => {
  const { user, token } = await server.register('Restored');
  await insert(user.id, 1);
  const reader = await open(token, 'x');
  await waitFor(() => reader.dataOf('reset').length === 1, { what: 'a reader that has its place' });
  await server.query(`select setval('events_id_seq', 1)`);
  await insert(user.id, 1);
  await waitFor(() => reader.dataOf('reset').length > 1, { what: 'the advice to read anew' });
  await insert(user.id, 1);
  await waitFor(() => entriesOf(reader).length > 0, { what: 'an entry of that database' });
  reader.close();
});
