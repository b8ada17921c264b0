/** What an operator sees of the whole: how full the regions are, who holds the places, and who waits. */
import { HostStatus, MAX_OVERVIEW_USERS, type OperatorOverview } from '@berth/contract';
import { TestHost, withClient, useTestServer } from '@berth/testing';
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { listStatements } from '../src/db/statement.ts';

const URL_OF_OVERVIEW = '/v1/operator/overview';
const [LONDON, NEW_YORK] = [0, 1];

const server = useTestServer({ without: ['the scheduler'] });
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});
beforeEach(() => server.query('truncate terminals, hosts cascade'));

const read = async (): Promise<OperatorOverview> => {
  const { status, body } = await server.request('GET', URL_OF_OVERVIEW, { token: operator });
  expect(status).toBe(200);
  return body.data as OperatorOverview;
};

const create = async (token: string, count: number, region?: number): Promise<void> => {
  for (let login = 1; login <= count; login += 1) {
    const body = { server_name: 'Demo', login: String(login), password: 'secret-password', region };
    expect((await server.request('POST', '/v1/my/trading/terminals', { token, body })).status).toBe(200);
  }
};

const register = async (name: string) => {
  const { token, user } = await server.register(name);
  return { token, shown: { id: user.id, name, email: user.email } };
};

it('the overview says which version answers, and where it keeps its data', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as OperatorOverview;
  expect(await read()).toMatchObject({ version: manifest.version, data_directory: server.dataDir });
});

it('each region counts its places, and what waits for one of them; an open region is counted apart', async () => {
  await TestHost.enrol(server, { capacity: 2, region: LONDON });
  const { token } = await server.register('Trader');
  await create(token, 3, LONDON);
  await create(token, 2, NEW_YORK);
  await create(token, 4);
  const { regions, waiting_any_region: open } = await read();
  const shown = { waiting_since: expect.any(String), accepts_terminals: true };
  expect(regions.slice(0, 2)).toEqual([
    { id: LONDON, name: 'London', capacity: 2, held: 2, free: 0, waiting: 1, ...shown },
    { id: NEW_YORK, name: 'New York', capacity: 0, held: 0, free: 0, waiting: 2, ...shown },
  ]);
  expect([regions.length, open]).toEqual([4, 4]);
});

it('places of a host that is offline are held or taken by nobody, and those of a retired one are gone', async () => {
  const { token } = await server.register('Trader');
  const offline = await TestHost.enrol(server, { capacity: 5, name: 'offline' });
  await create(token, 1, LONDON);
  await TestHost.enrol(server, { capacity: 7, name: 'online' });
  const retired = await TestHost.enrol(server, { capacity: 9, name: 'retired' });
  for (const [id, status] of [
    [offline.id, HostStatus.LOST],
    [retired.id, HostStatus.RETIRED],
  ])
    await server.query('update hosts set status = $2 where id = $1', [id, status]);
  const { hosts, regions } = await read();
  expect(hosts).toEqual({ enrolled: 0, online: 1, offline: 1, retired: 1 });
  expect(regions[0]).toMatchObject({ capacity: 12, held: 1, free: 7 });
});

it('users who hold places or wait are named, those with most terminals first, and nobody else is', async () => {
  await TestHost.enrol(server, { capacity: 3 });
  const [holder, waiter, both, idle] = [
    await register('Holder'),
    await register('Waiter'),
    await register('Both'),
    await register('Idle'),
  ];
  await create(both.token, 1, LONDON);
  await create(holder.token, 2, LONDON);
  await create(both.token, 1, LONDON);
  await create(waiter.token, 3, NEW_YORK);
  await create(idle.token, 1, LONDON);
  await server.query('update terminals set deleted_at = now() where user_id = $1', [idle.shown.id]);
  const { users } = await read();
  expect(users[0]).toEqual({ ...waiter.shown, held: 0, waiting: 3 });
  expect(users.slice(1).sort((a, b) => b.held - a.held)).toEqual([
    { ...holder.shown, held: 2, waiting: 0 },
    { ...both.shown, held: 1, waiting: 1 },
  ]);
});

it('the overview of many users names those with most terminals, and no more than it promises', async () => {
  const host = await TestHost.enrol(server, { capacity: 10_000 });
  await server.query(
    `with people as (
       insert into users (id, name, email, password_hash, default_project_id)
       select gen_random_uuid(), 'Crowd ' || n, 'crowd' || n || '@example.com', 'x', (select id from projects limit 1)
       from generate_series(1, 150) as n returning id, substr(name, 7)::integer as n
     )
     insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login)
     select gen_random_uuid(), p.id, (select id from projects limit 1), $1, 0, 'sandbox', 't', 's', '1'
     from people p cross join lateral generate_series(1, p.n)`,
    [host.id],
  );
  const { users } = await read();
  expect(users.map(({ held }) => held)).toEqual(
    Array.from({ length: MAX_OVERVIEW_USERS }, (_user, index) => 150 - index),
  );
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows of the table that a plan read, also those that it passed over. */
const countRows = (plan: Plan, table: string): number => {
  const here = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === table ? here * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + countRows(child, table), own);
};

it.each(['list_region_places', 'count_waiting_any_region', 'list_user_places'])(
  '%s reads what is on hosts and what waits, however many terminals are deleted and however many users have none',
  async (name) => {
    const host = await TestHost.enrol(server, { capacity: 3 });
    const { token } = await server.register('Trader');
    await create(token, 5, LONDON);
    await create(token, 1);
    const rows = await withClient(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('set local session_replication_role = replica');
      await client.query(
        `insert into users (id, name, email, password_hash, default_project_id)
         select gen_random_uuid(), 'n', 'idle' || n, 'x', gen_random_uuid() from generate_series(1, 5000) as n`,
      );
      await client.query(
        `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, deleted_at)
         select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, 0, 'sandbox', 't', 's', '1', now()
         from generate_series(1, 5000)`,
        [host.id],
      );
      await client.query('analyze users, terminals');
      const { text } = listStatements().find((statement) => statement.name === name)!;
      const explained = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, timing off, format json) ${text}`,
      );
      await client.query('rollback');
      const [{ Plan: plan }] = explained.rows[0]!['QUERY PLAN'];
      return countRows(plan, 'terminals') + countRows(plan, 'users');
    });
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(20);
  },
);
