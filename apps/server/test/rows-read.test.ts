/** How many rows of tasks a tick, a claim and tidying read: in proportion to what there is to do, not to what waits. */
import { HostStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { withClient, useTestServer, type TestServer } from '@berth/testing';
import type { Client } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { INDEXED } from '../src/db/connection.ts';
import { listStatements } from '../src/db/statement.ts';
import { Tidying } from '../src/scheduler/tidying.ts';
import { releasePlanned } from '../src/tasks/planned.ts';
import { FIRST_PLACE } from '../src/tasks/strays.ts';

const SESSION = '00000000-0000-4000-8000-000000000001';
const TERMINALS = 20;
/** Rows: some of each terminal. */
const FEW = 4 * TERMINALS;

const server = useTestServer({ without: ['the scheduler', 'planned tasks', 'tidying'] });
let hostId: string;
beforeAll(async () => {
  await server.register('Planner');
});

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** Terminals on one host, or on none; without a task. */
const createTerminals = (
  count: number,
  { host = hostId, status = TerminalStatus.ACTIVE }: { host?: string | null; status?: TerminalStatus } = {},
) =>
  query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status, waiting_since)
     select gen_random_uuid(), id, default_project_id, $2, 0, 'sandbox', 't', 's', n, $3, case when $2::uuid is null then now() end
     from users cross join generate_series(1, $1::int) as n`,
    [count, host, status],
  );

beforeEach(async () => {
  await query('truncate tasks, terminals, hosts cascade');
  const [host] = await query(
    `insert into hosts (id, region_id, name, platforms, capacity, status, session_id)
     values (gen_random_uuid(), 0, 'h', '{sandbox}', 100, ${HostStatus.ONLINE}, $1) returning id`,
    [SESSION],
  );
  hostId = host!.id as string;
});

/** So many tasks on each terminal. `plannedAt` and `lane` are SQL expressions. */
const createTasks = (
  each: number,
  {
    plannedAt = 'null::timestamptz',
    lane = 1,
    type = TaskType.EA_LOGS,
  }: { plannedAt?: string; lane?: number; type?: TaskType } = {},
) =>
  query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, lane, planned_at)
     select gen_random_uuid(), user_id, host_id, id, $2, $3, ${plannedAt}
     from terminals cross join generate_series(1, $1::int) as n`,
    [each, type, lane],
  );

const later = `now() + n * interval '1 hour'`;
const earlier = `now() - n * interval '1 second'`;

interface Node {
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

const listNodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

const withIndexed = <Result>(run: (client: Client) => Promise<Result>): Promise<Result> => {
  const url = new URL(server.databaseUrl);
  url.searchParams.set('options', INDEXED);
  return withClient(url.href, run);
};

/** How many rows of tasks the statement reads, also those that it passes over. What it changes is undone. */
const countRead = (name: string, values: unknown[]): Promise<number> =>
  withIndexed(async (client) => {
    const { text } = listStatements().find((statement) => statement.name === name)!;
    await client.query('begin');
    const { rows } = await client.query<Record<string, [{ Plan: Node }]>>(
      `explain (analyze, timing off, format json) ${text}`,
      values,
    );
    await client.query('rollback');
    const read = listNodes(Object.values(rows[0]!)[0]![0].Plan).filter((node) => node['Relation Name'] === 'tasks');
    const toRows = (node: Node) => (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
    return read.reduce((sum, node) => sum + toRows(node) * (node['Actual Loops'] ?? 0), 0);
  });

const promote = () => countRead('promote_tasks', [5_000]);
const claim = () =>
  countRead('claim_tasks', [[hostId], [10], 60_000, 60_000, [SESSION], [null], [true], [], [], [], 0, null]);
const listStops = () => countRead('list_attempts_before_stops', [null]);
const look = (limit = 1_000) =>
  countRead('look_for_stray_tasks', [FIRST_PLACE.host_id, FIRST_PLACE.terminal_id, limit]);

const release = () => releasePlanned(server.services.db.slow, server.services.stopping);

describe('however many tasks are planned for later, only some rows of each terminal are read', () => {
  it.each([
    ['by a tick', promote],
    ['by a claim', claim],
    ['by the look for stops', listStops],
  ])('%s', async (_, count) => {
    await createTerminals(TERMINALS);
    await createTasks(1);
    await createTasks(200, { plannedAt: later, lane: 0, type: TaskType.TERMINAL_STOP });
    await createTasks(200, { plannedAt: later });
    expect(await count()).toBeLessThanOrEqual(FEW);
  });

  it.each([
    ['by a tick', promote],
    ['by a claim', claim],
  ])('%s, once those that are due have their place in the queue', async (_, count) => {
    await createTerminals(TERMINALS);
    await createTasks(200, { plannedAt: earlier });
    await createTasks(200, { plannedAt: later });
    await release();
    expect(await count()).toBeLessThanOrEqual(FEW);
  });
});

const readHeads = async (): Promise<unknown[]> => {
  const { text } = listStatements().find(({ name }) => name === 'claim_tasks')!;
  return withIndexed(async (client) => {
    await client.query('begin');
    const values = [[hostId], [10], 60_000, 60_000, [SESSION], [null], [true], [], [], [], 0, null];
    const { rows } = await client.query<{ id: string }>(text, values);
    await client.query('rollback');
    const promotion = listStatements().find(({ name }) => name === 'promote_tasks')!;
    await client.query('begin');
    await client.query(promotion.text, [100]);
    const { rows: queued } = await client.query(`select id from tasks where status = ${TaskStatus.QUEUED}`);
    await client.query('rollback');
    expect(queued.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    return rows.map(({ id }) => id);
  });
};
const listIds = async () => (await query('select id from tasks order by seq')).map(({ id }) => id);
/** As when their time comes. */
const pass = (id: unknown) =>
  query(
    `update tasks set planned_at = now(), waits_until = case when waits_until is not null then now() end where id = $1`,
    [id],
  );

it('the head of a queue is a planned task from the moment on at which it is due, before what was created after it', async () => {
  await createTerminals(1);
  await createTasks(1, { plannedAt: later });
  await createTasks(1);
  const [planned, plain] = await listIds();
  expect(await readHeads()).toEqual([plain]);
  await pass(planned);
  expect(await readHeads()).toEqual([planned]);
  await release();
  expect(await readHeads()).toEqual([planned]);
});

it('the head of a queue is a stop that is due before what is older, and an older task before a planned one', async () => {
  await createTerminals(1);
  await createTasks(1);
  await createTasks(2, { plannedAt: later });
  await createTasks(1, { plannedAt: later, lane: 0, type: TaskType.TERMINAL_STOP });
  const [plain, first, , stop] = await listIds();
  await pass(first);
  expect(await readHeads()).toEqual([plain]);
  await pass(stop);
  expect(await readHeads()).toEqual([stop]);
  await release();
  expect(await readHeads()).toEqual([stop]);
});

it('the head of a queue is none of what is planned, where the clock was set back after it was due', async () => {
  await createTerminals(1);
  await createTasks(1, { plannedAt: earlier });
  await createTasks(1);
  await release();
  const [planned, plain] = await listIds();
  expect(await readHeads()).toEqual([planned]);
  await query(`alter table tasks disable trigger tasks_planned_anew`);
  await query(`update tasks set planned_at = now() + interval '1 hour' where id = $1`, [planned]);
  await query(`alter table tasks enable trigger tasks_planned_anew`);
  expect(await readHeads()).toEqual([plain]);
});

const tidy = () => new Tidying(server.services).tidy();
const countOpen = async () =>
  (await query('select count(*)::int as open from tasks where finished_at is null'))[0]!.open as number;

it('tidying reads one task of each terminal that waits for a host, and of no more than a batch of them', async () => {
  await createTerminals(TERMINALS, { host: null, status: TerminalStatus.PENDING });
  await createTasks(500);
  expect(await look()).toBeLessThanOrEqual(FEW);
  expect(await look(TERMINALS / 4)).toBeLessThanOrEqual(FEW / 4);
});

it('tidying ends what is left on deleted and failed terminals in batches, all of it, and nothing else', async () => {
  await createTerminals(1, { status: TerminalStatus.FAILED });
  await createTerminals(1, { status: TerminalStatus.DESTROYED });
  await query(`update terminals set deleted_at = now() where status = ${TerminalStatus.DESTROYED}`);
  await createTasks(1_500);
  await createTerminals(1);
  await createTasks(1);
  await tidy();
  expect(await countOpen()).toBe(1);
});

it('tidying lets all tasks follow their terminal to its host', async () => {
  await createTerminals(2, { host: null, status: TerminalStatus.PENDING });
  await createTasks(1_500);
  await query('update terminals set host_id = $1 where id = (select min(id::text)::uuid from terminals)', [hostId]);
  await tidy();
  const rows = await query(
    `select t.host_id = m.host_id as is_there, count(*)::int from tasks t join terminals m on m.id = t.terminal_id
       group by 1 order by 1`,
  );
  expect(rows).toEqual([
    { is_there: true, count: 1_500 },
    { is_there: null, count: 1_500 },
  ]);
});
