/** Who gets a host when places are few: by region, in turns among users, and not for ever. */
import { HostStatus, ResultStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { SCHEDULER_LOCK, TestHost, waitFor, withClient, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { listStatements } from '../src/db/statement.ts';
import { failLongWaiting } from '../src/deployment/waiting.ts';

const LONDON = 0;
const NEW_YORK = 1;
const SINGAPORE = 2;
const FRANKFURT = 3;

interface Person {
  token: string;
  id: string;
}

const server = useTestServer();
let operator: Person;
beforeAll(async () => {
  const { token, user } = await server.registerOperator();
  operator = { token, id: user.id };
});

const query: TestServer['query'] = (text, values) => server.query(text, values);

const register = async (name: string): Promise<Person> => {
  const { token, user } = await server.register(name);
  return { token, id: user.id };
};

const create = ({ token }: Person, region: number | undefined, login = '1'): Promise<string> =>
  server.createTerminal(token, { login, region });

const createMany = (person: Person, region: number, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => create(person, region, String(number + 1))));

const read = async ({ token }: Person, id: string) =>
  (await server.request('GET', `/v1/my/trading/terminals/${id}`, { token })).body.data;

const countPlaced = async ({ id }: Person): Promise<number> =>
  (await query('select count(*)::int as total from terminals where user_id = $1 and host_id is not null', [id]))[0]!
    .total as number;

const withoutTicks = (run: () => Promise<void>): Promise<void> =>
  withClient(server.databaseUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [SCHEDULER_LOCK]);
    await run();
  });

it('places in one region are given whatever waits in another one', async () => {
  const many = await register('Many');
  const one = await register('One');
  await createMany(many, FRANKFURT, 120);
  const waiting = await create(one, LONDON);
  expect((await read(one, waiting)).status_reason).toContain('Waiting for a host');
  const first = await TestHost.enrol(server, { name: 'london', capacity: 5 });
  await waitFor(async () => (await read(one, waiting)).server_id === first.id, { what: 'the place' });

  // Retiring a host moves its terminal, too, while the hundred wait.
  const second = await TestHost.enrol(server, { name: 'london 2', capacity: 5 });
  await server.request('DELETE', `/v1/operator/hosts/${first.id}`, { token: operator.token });
  await waitFor(async () => (await read(one, waiting)).server_id === second.id, { what: 'the other host' });
  expect((await read(one, waiting)).status_reason).toContain('is installed on another one');
  expect(await countPlaced(many)).toBe(0);
});

it('places go round among users, the oldest of each first, however many one of them has', async () => {
  const many = await register('Hundred');
  const few = await register('Two');
  const single = await register('Single');
  const hundred = await createMany(many, NEW_YORK, 100);
  const two = [await create(few, NEW_YORK, '1'), await create(few, NEW_YORK, '2')];
  const last = await create(single, NEW_YORK);
  const counts = async () => Promise.all([many, few, single].map(countPlaced));

  await TestHost.enrol(server, { name: 'new york', region: NEW_YORK, capacity: 3 });
  await waitFor(async () => (await counts()).join() === '1,1,1', { what: 'one place each' });
  expect((await read(few, two[0]!)).server_id).not.toBeNull();
  expect((await read(single, last)).server_id).not.toBeNull();

  // Places that become free one by one go round as well.
  for (let number = 0; number < 2; number += 1) {
    const total = (await counts()).reduce((sum, count) => sum + count);
    await TestHost.enrol(server, { name: `new york ${number}`, region: NEW_YORK, capacity: 1 });
    await waitFor(async () => (await counts()).reduce((sum, count) => sum + count) > total, { what: 'a place' });
  }
  expect(await counts()).toEqual([2, 2, 1]);
  const [oldest] = await query(
    `select array_agg(host_id is not null order by waiting_since nulls first) as placed
       from terminals where id = any($1)`,
    [hundred],
  );
  expect(oldest!.placed.slice(0, 3)).toEqual([true, true, false]);
});

it('places are not taken by a new terminal while others wait for one', async () => {
  const patient = await register('Patient');
  const fast = await register('Fast');
  const waiting = await create(patient, SINGAPORE);
  let overtaking = '';
  await withoutTicks(async () => {
    await TestHost.enrol(server, { name: 'singapore', region: SINGAPORE, capacity: 1 });
    overtaking = await create(fast, SINGAPORE);
    expect((await read(fast, overtaking)).server_id).toBeNull();
  });
  await waitFor(async () => (await read(patient, waiting)).server_id !== null, { what: 'the place' });
  expect((await read(fast, overtaking)).server_id).toBeNull();
});

it('a terminal whose owner chose no region gets the first place that becomes free in any region, in turn with those of others', async () => {
  await query('truncate terminals, hosts cascade');
  const [many, one, choosy] = [await register('Open'), await register('Also open'), await register('Choosy')];
  const open: string[] = [];
  for (let number = 1; number <= 5; number += 1) open.push(await create(many, undefined, String(number)));
  const other = await create(one, undefined);
  const chosen = await create(choosy, LONDON);
  const before = await read(many, open[0]!);
  expect(before).toMatchObject({ status_reason: 'Waiting for a host with free capacity in any region.' });
  const elsewhere = before.region === SINGAPORE ? FRANKFURT : SINGAPORE;

  const host = await TestHost.enrol(server, { name: 'elsewhere', region: elsewhere, capacity: 2 });
  await waitFor(async () => (await countPlaced(many)) + (await countPlaced(one)) === 2, { what: 'both places' });
  const placed = { server_id: host.id, region: elsewhere, status_reason: null };
  expect(await read(many, open[0]!)).toMatchObject(placed);
  expect(await read(one, other)).toMatchObject(placed);
  expect(await read(choosy, chosen)).toMatchObject({ server_id: null, region: LONDON });

  // It has its region now, also when it has to wait again.
  await server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: operator.token });
  const third = elsewhere === FRANKFURT ? SINGAPORE : FRANKFURT;
  const last = await TestHost.enrol(server, { name: 'third', region: third, capacity: 6 });
  await waitFor(async () => (await read(many, open[4]!)).server_id === last.id, { what: 'the other places' });
  expect(await read(one, other)).toMatchObject({ server_id: null, region: elsewhere });
});

it('a terminal whose owner chose no region is created where its platform is offered', async () => {
  await query('truncate terminals, hosts cascade');
  await TestHost.enrol(server, { name: 'roomy', region: LONDON });
  const { id } = await TestHost.enrol(server, { name: 'small', region: FRANKFURT, capacity: 1 });
  await query(`update hosts set platforms = '{mt5}' where id = $1`, [id]);
  const { token } = await register('Trader');
  const body = { server_name: 'Demo', login: '1', password: 'secret-password', platform: 'mt5' };
  const { body: answer } = await server.request('POST', '/v1/my/trading/terminals', { token, body });
  expect(answer.data).toMatchObject({ region: FRANKFURT });
});

it('a terminal that waits for a host longer than the setting allows fails with its tasks, says what to do, and its owner is notified', async () => {
  const owner = await register('Forgotten');
  const { token } = owner;
  const id = await create(owner, FRANKFURT);
  const { db, ends } = server.services;
  const giveUp = () => db.transaction((tx) => failLongWaiting({ tx, ends, now: new Date() }, 24, 500));
  await query(`update terminals set waiting_since = now() - interval '23 hours' where id = $1`, [id]);
  await giveUp();
  expect((await read(owner, id)).status).toBe(0);
  // A month without any server is no time that it waited.
  await query(`update scheduler set time_lost = interval '30 days'`);
  await query(`update terminals set waiting_since = now() - interval '30 days 23 hours' where id = $1`, [id]);
  await giveUp();
  expect((await read(owner, id)).status).toBe(0);
  await query(`update terminals set waiting_since = now() - interval '30 days 25 hours' where id = $1`, [id]);
  await giveUp();
  expect(await read(owner, id)).toMatchObject({
    status: TerminalStatus.FAILED,
    status_reason: expect.stringMatching(/within 24 hours.*Delete it and create it again/),
  });
  const tasks = await server.request('GET', `/v1/my/trading/terminals/${id}/tasks`, { token });
  expect(tasks.body.data).toEqual([
    expect.objectContaining({
      type: TaskType.TERMINAL_INSTALL,
      status: TaskStatus.FAILED,
      result: { status: ResultStatus.TIMED_OUT, runner_result: [expect.objectContaining({ code: 'E_HOST_LOST' })] },
    }),
  ]);
  const notifications = await server.request('GET', '/v1/my/account/notifications', { token });
  expect(notifications.body.data).toMatchObject([{ type: 'App\\Notifications\\TerminalFailed', data: { id } }]);
  await query(`update scheduler set time_lost = interval '0'`);
});

it('a terminal that waits for a host because its host, the only one of its region, was retired, says so', async () => {
  const owner = await register('Left alone');
  await query(`update hosts set status = ${HostStatus.RETIRED} where region_id = $1`, [LONDON]);
  const host = await TestHost.enrol(server, { name: 'only' });
  const id = await create(owner, LONDON);
  await waitFor(async () => (await read(owner, id)).server_id === host.id, { what: 'the place' });
  await host.installAll();
  const { token } = operator;
  const retired = await server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token });
  expect(retired.body.msg).toBe(
    'The host was retired; 1 of its terminals wait for a host with free capacity in the region.',
  );
  expect(await read(owner, id)).toMatchObject({
    status: TerminalStatus.PENDING,
    server_id: null,
    status_reason: expect.stringContaining('waits for another host'),
  });
});

it.each([
  ['list_waiting_terminals', 0],
  ['change_open_regions', 1],
])('a tick looks at few of those that wait, however many there are: %s', async (name, region) => {
  const { id: userId } = await register('Template');
  const rows = await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(`set local session_replication_role = replica`);
    await client.query(
      `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, waiting_since, any_region)
         select gen_random_uuid(), case when n % 2 = 0 then $1 else gen_random_uuid() end, gen_random_uuid(), $2, 'sandbox',
           'n', 's', '1', now(), $2 = 1 from generate_series(1, 20000) as n`,
      [userId, region],
    );
    await client.query(
      `insert into hosts (id, region_id, name, platforms, capacity, status) values (gen_random_uuid(), 0, 'h', '{sandbox}', 50, 1)`,
    );
    await client.query(
      'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off',
    );
    const { text } = listStatements().find((statement) => statement.name === name)!;
    await client.query(`prepare waiting as ${text}`);
    await client.query('set local plan_cache_mode = force_generic_plan');
    const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      'explain (analyze, format json) execute waiting (100)',
    );
    await client.query('rollback');
    return countRows(plans[0]!['QUERY PLAN'][0].Plan);
  });
  expect(rows).toBeGreaterThan(50);
  expect(rows).toBeLessThan(1_000);
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows of terminals that a plan read. */
const countRows = (plan: Plan): number => {
  const here = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === 'terminals' ? here * plan['Actual Loops'] : 0;
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + countRows(child), 0);
};

it('a host that falls silent is told to operators too, whoever has terminals on it, and so is its return', async () => {
  const host = await TestHost.enrol(server, { name: 'silent' });
  await query(`update hosts set last_seen_at = now() - interval '1 hour' where id = $1`, [host.id]);
  await query(`update scheduler set downtime_ended_at = '1970-01-01'`);
  const { token } = operator;
  const list = async (path: string) => (await server.request('GET', path, { token })).body.data as object[];
  await waitFor(async () => (await list('/v1/my/events/log?types=host.lost')).length > 0, { what: 'the loss' });
  const about = { host_id: host.id, name: 'silent' };
  expect(await list('/v1/my/events/log?types=host.lost')).toMatchObject([{ data: about }]);
  const notified = { type: 'App\\Notifications\\HostLost', data: { id: host.id, name: 'silent' } };
  expect((await list('/v1/my/account/notifications'))[0]).toMatchObject(notified);
  await host.heartbeat();
  await waitFor(async () => (await list('/v1/my/events/log?types=host.back')).length === 1, { what: 'the return' });
});

it('a host that begins a session, or beats, while it is retired stays retired and gets nothing', async () => {
  await query('truncate terminals, hosts cascade');
  const person = await register('Retiring');
  const host = await TestHost.enrol(server, { region: LONDON, name: 'retiring', capacity: 1 });
  const terminal = await create(person, LONDON);
  await waitFor(async () => (await read(person, terminal)).server_id === host.id, { what: 'its place' });
  await withClient(server.databaseUrl, async (client) => {
    const isWaiting = (name: string) =>
      waitFor(
        async () => {
          const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`;
          return (await query(waiting, [`%${name}%`])).length === 1;
        },
        { what: `${name} that waits` },
      );
    await client.query('begin');
    // The retirement holds the row of the host from here on.
    await client.query('select from terminals where id = $1 for update', [terminal]);
    const retired = server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: operator.token });
    await isWaiting('update terminals');
    const beaten = host.heartbeat();
    const begun = host.call('session', { agent_version: 'test', platforms: ['sandbox'] });
    await Promise.all([isWaiting('agent_version = $3'), isWaiting('update hosts h set last_seen_at')]);
    await client.query('commit');
    expect((await retired).status).toBe(200);
    expect((await begun).status).toBe(401);
    expect((await beaten).body).toMatchObject({ resync: false });
  });
  const [row] = await query('select status, session_id, credential_hash from hosts where id = $1', [host.id]);
  expect(row).toEqual({ status: HostStatus.RETIRED, session_id: null, credential_hash: null });
  expect((await host.heartbeat()).status).toBe(401);
  expect((await read(person, terminal)).server_id).toBeNull();
});
