/**
 * How PostgreSQL reads its tables for each prepared statement, asked with the settings and the kind of plan that the statements
 * have in service. Sorts are off there, so a statement that asks for an order which its index does not have would be given an
 * index that has it and read the table from end to end: quick in a test, slow in a large installation.
 */
import { startTestServer, withClient, type TestServer } from '@berth/testing';
import type { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INDEXED } from '../src/db/connection.ts';
import { listStatements } from '../src/db/statement.ts';
// What the test server does not run: all statements of the service are looked at.
import '../src/risk/rule-versions.ts';
import '../src/scheduler/automatic-screenshots.ts';

/** They grow with the use of an installation; hosts, regions and what is open at the moment do not. */
const LARGE_TABLES = [
  ...['terminals', 'tasks', 'notifications', 'tokens', 'users', 'projects', 'files', 'saved_views'],
  ...['user_storage', 'storage_usage', 'storage_changes'],
  ...['terminal_loads', 'terminal_minutes', 'terminal_quarters', 'terminal_charts'],
  ...['terminal_screenshots', 'screenshot_turns', 'automatic_screenshots', 'task_segments'],
  ...['trading_stop_terminals', 'switch_checks', 'risk_rule_versions', 'risk_states', 'risk_breaches'],
  ...['audit_log', 'events', 'webhook_deliveries', 'webhook_half_hours', 'event_allowances', 'terminal_downs'],
  ...[
    'trading_accounts',
    'account_minutes',
    'account_quarters',
    'account_hours',
    'account_days',
    'deals',
    'deal_cursors',
  ],
];
/** Indexes of what is under way: to go through all of it may be meant. */
const SMALL_INDEXES = [
  'tasks_open',
  'tasks_open_stops',
  'terminals_waiting',
  'terminals_waiting_anywhere',
  'terminals_hostless',
  'files_expiring',
  'event_allowances_with_skipped',
  'deal_cursors_surplus',
  'users_operators',
  'storage_changes_pkey',
];
/** These may: they are rare, and stand on connections of their own. */
const READERS = [
  'prune_task_segments: task_segments', // One of ten thousand tasks or so; by a sweep.
  'prune_events: events', // By a sweep, on connections that read the index of their times.
  'prune_webhook_deliveries: webhook_deliveries', // As above.
  'prune_deals: deals', // As above.
  'follow_clock: webhook_deliveries_pending', // Once after a clock was set back; a webhook has a thousand at the most.
  'count_users: users', // For operators, on their slow connections: a search reads all users.
  'list_all_terminals: users', // As above.
  'count_all_terminals: terminals_by_host', // As above, of as many terminals as are counted.
  'count_all_terminals: users', // As above.
  'count_terminals_by_status: terminals_by_host', // For /metrics, at most every five seconds.
];

/** Enough of everything that reading an index is the cheapest way, or next to nothing. */
const toFill = (people: number, machines: number) => `
  set session_replication_role = replica;
  create temp table people as
    select gen_random_uuid() as id, gen_random_uuid() as project, gen_random_uuid() as host from generate_series(1, ${people});
  create temp table machines as
    select gen_random_uuid() as id, p.id as user_id, project, host, n from people p cross join generate_series(1, ${machines}) as n;
  insert into users (id, name, email, password_hash, default_project_id) select id, 'n', id, 'x', project from people;
  insert into projects (id, user_id, name) select project, id, 'p' from people;
  insert into tokens (user_id, name, abilities, secret_hash)
    select id, 'x', '{*}', 'x' from people cross join generate_series(1, 10);
  insert into hosts (id, region_id, name, platforms, capacity) select host, 0, 'h', '{sandbox}', 100 from people;
  insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
    select id, user_id, project, host, 0, 'sandbox', n, 's', n, 3 from machines;
  insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at)
    select gen_random_uuid(), user_id, host, id, 5, 4, now() from machines cross join generate_series(1, 4);
  insert into tasks (id, user_id, host_id, terminal_id, type)
    select gen_random_uuid(), user_id, host, id, 5 from machines where n = 1;
  insert into task_segments (list_id, first_seq, counts, project_counts)
    select id, n, '{}', '{}' from people cross join generate_series(1, 20) n;
  insert into notifications (id, user_id, type) select gen_random_uuid(), user_id, 'x' from machines;
  insert into files (id, user_id, name, type, size, sha256, content)
    select gen_random_uuid(), user_id, 'x', 'x', 1, 'x', 'x' from machines;
  insert into user_storage (user_id) select id from people;
  insert into storage_usage (user_id, kind, bytes) select id, 'tasks', 1 from people;
  insert into storage_changes (user_id, kind, bytes) select user_id, 'tasks', 1 from machines;
  insert into terminal_loads (terminal_id, link, minute_at, watched, ups, cpu_sum, cpu_count)
    select id, 1, now(), 1, 1, 0, 0 from machines;
  insert into terminal_screenshots (terminal_id, file_id) select id, gen_random_uuid() from machines;
  insert into screenshot_turns (terminal_id, next_at) select id, now() + n * interval '1 minute' from machines;
  insert into automatic_screenshots (task_id, expires_at) select id, now() + interval '1 day' from machines;
  insert into terminal_charts (terminal_id, host_id, charts, truncated) select id, host, '[]', false from machines;
  insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
    select id, now() - h * interval '1 hour', '{100}', '{1}', '{1}', '{1}', '{1}' from machines cross join generate_series(1, 10) as h;
  insert into terminal_quarters (terminal_id, day_at, link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb)
    select id, now() - d * interval '1 day', '{100}', '{15}', '{1}', '{1}', '{1}', '{1}' from machines cross join generate_series(1, 10) as d;
  insert into events (user_id, type, data) select user_id, 'host.lost', '{}' from machines cross join generate_series(1, 4);
  insert into audit_log (id, at, user_id, actor_kind, actor_user_id, action, target_type, target_id, result)
    select gen_random_uuid(), now(), user_id, 'user', user_id, 'task.create', 'terminal', id::text, 'done' from machines cross join generate_series(1, 4);
  insert into trading_stops (user_id, run_id) select id, id from people;
  insert into trading_stop_terminals (terminal_id, user_id, asked_status, confirmed_at)
    select id, user_id, 3, case when n > 1 then now() end from machines;
  insert into switch_checks (terminal_id, host_id, ms) select id, host, 20 from machines;
  insert into risk_rules (id, user_id, name, is_all, kind, amount, basis, trail, day_starts, time_zone, warn_percent, actions,
      enabled)
    select id, user_id, 'r', true, 'equity_floor', '1', 'balance', 'equity', '00:00', 'UTC', 80, '{lock}', true from machines
    where n <= 5;
  insert into risk_rule_versions (rule_id, version) select id, v from risk_rules cross join generate_series(1, 10) as v;
  insert into risk_states (rule_id, terminal_id, host_id) select r.id, m.id, m.host
    from risk_rules r join machines m using (user_id);
  insert into risk_breaches (id, user_id, rule_id, rule_name, kind, rule_actions, terminal_id, terminal_name, host_id,
      decided_at, value, limit_at, closed, total, left_open, actions)
    select gen_random_uuid(), user_id, id, 'r', 'equity_floor', '{lock}', id, 't', host, now(), '0', '1', 0, 0, '[]', '[]'
    from machines;
  insert into event_allowances (terminal_id, remaining) select id, 60 from machines;
  insert into terminal_downs (terminal_id) select id from machines where n <= 5;
  insert into trading_accounts (terminal_id, login, server_name, taken_at) select id, n, 's', now() from machines;
  insert into deal_cursors (account_id, deals_left, events_left) select id, 1, 1 from trading_accounts;
  insert into account_minutes select id, now() - m * interval '1 minute', 1, 1, 1, 1, 1
    from trading_accounts cross join generate_series(1, 10) as m;
  insert into account_quarters select * from account_minutes;
  insert into account_hours select * from account_minutes;
  insert into account_days select * from account_minutes;
  insert into deals select a.id, d, m.user_id, now() - d * interval '1 minute', 0, 0, '', 'buy', 'in', 1, 1, 0, 0, 0, '0', ''
    from trading_accounts a join machines m on m.id = a.terminal_id cross join generate_series(1, 10) as d;
  insert into webhooks (id, user_id, url, events, secret, position) select id, id, 'x', '{*}', 'x', 1 from people;
  insert into webhook_deliveries (id, webhook_id, event_id, event_type, status, next_attempt_at)
    select gen_random_uuid(), user_id, n, 'host.lost', 'succeeded', null from machines;
  insert into webhook_half_hours select id, n, now(), 1, 1, 0, '{1}' from people cross join generate_series(0, 47) as n;
  set session_replication_role = origin`;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

const readsAll = (node: Plan): boolean =>
  node['Node Type'].includes('Scan') &&
  node['Node Type'] !== 'Tid Scan' &&
  LARGE_TABLES.includes(node['Relation Name'] ?? '') &&
  node['Index Cond'] === undefined &&
  !SMALL_INDEXES.includes(node['Index Name'] ?? '');

/** A plan that is kept may be older than the rows: made for some few, before anybody counted them. */
let young: TestServer;
let server: TestServer;
beforeAll(async () => {
  [young, server] = await Promise.all([startTestServer(), startTestServer()]);
  await withClient(young.databaseUrl, (client) => client.query(toFill(2, 2)));
  await withClient(server.databaseUrl, (client) => client.query(`${toFill(400, 25)}; analyze`));
});
afterAll(() => Promise.all([young.close(), server.close()]));

/** In how many rows such a plan ends: PostgreSQL counts terminals as soon as fifty have changed. */
const isCountedSoon = (reader: string): boolean => /: terminals_/.test(reader);

const withIndexed = <Result>(databaseUrl: string, run: (client: Client) => Promise<Result>): Promise<Result> => {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', INDEXED);
  return withClient(url.href, run);
};

const toPlan = async (client: Client, text: string): Promise<Plan> => {
  const { rows } = await client.query<{ plan: [{ Plan: Plan }] }>(`explain (generic_plan, format json) ${text}`);
  return Object.values(rows[0]!)[0]![0].Plan;
};

const listReaders = (databaseUrl: string): Promise<string[]> =>
  withIndexed(databaseUrl, async (client) => {
    const readers: string[] = [];
    for (const { name, text } of listStatements()) {
      const nodes = listNodes(await toPlan(client, text)).filter(readsAll);
      readers.push(...nodes.map((node) => `${name}: ${node['Index Name'] ?? node['Relation Name']}`));
    }
    return readers.filter((reader) => !READERS.includes(reader));
  });

it('no statement reads a large table, or an index of one, from end to end', async () => {
  expect(listStatements().length).toBeGreaterThan(100);
  expect(await listReaders(server.databaseUrl)).toEqual([]);
});

it('no statement would, had it been planned while the tables were small, before their statistics', async () => {
  const found = await listReaders(young.databaseUrl);
  expect(found.filter((reader) => !isCountedSoon(reader))).toEqual([]);
});

it('promotion reads open tasks only, never those of a terminal that have ended', async () => {
  const { text } = listStatements().find(({ name }) => name === 'promote_tasks')!;
  for (const { databaseUrl } of [young, server]) {
    const plan = await withIndexed(databaseUrl, (client) => toPlan(client, text));
    const indexes = listNodes(plan)
      .filter((node) => node['Relation Name'] === 'tasks' && node['Node Type'].includes('Scan'))
      .map((node) => node['Index Name']);
    expect(indexes.sort()).toEqual([...Array.from({ length: 4 }, () => 'tasks_open'), 'tasks_pkey', 'tasks_waiting']);
  }
});

/** How the statement reads a table: each index once per look, with its condition. */
const listReads = async ({ databaseUrl }: TestServer, name: string, table: string): Promise<string[]> => {
  const { text } = listStatements().find((statement) => statement.name === name)!;
  const plan = await withIndexed(databaseUrl, (client) => toPlan(client, text));
  return listNodes(plan)
    .filter((node) => node['Relation Name'] === table && node['Node Type'].includes('Scan'))
    .map((node) => `${node['Index Name']}: ${node['Index Cond']?.replaceAll(/[a-z_0-9]+\.|[()]/g, '')}`)
    .sort();
};

it('a claim reads the first open tasks of the terminals of its hosts that are due, never all that is open', async () => {
  for (const each of [young, server]) {
    expect(await listReads(each, 'claim_tasks', 'tasks')).toEqual([
      'tasks_open: host_id = host_id AND terminal_id = id AND waits_until <= now',
      'tasks_open: host_id = host_id AND terminal_id = id AND waits_until IS NULL',
      'tasks_pkey: id = id',
      'tasks_pkey: id = task_id',
      'tasks_pkey: id = task_id',
    ]);
    expect(await listReads(each, 'claim_tasks', 'task_leases')).toContain('task_leases_by_host: host_id = host_id');
  }
});

it('tidying skips from terminal to terminal, and then reads what is open at the places it found', async () => {
  const place = 'host_id = host_id AND terminal_id = terminal_id';
  const nowhere = 'host_id IS NULL AND terminal_id = terminal_id';
  for (const each of [young, server]) {
    expect(await listReads(each, 'look_for_stray_tasks', 'tasks')).toEqual([
      expect.stringMatching(/^tasks_open: ROW.* > ROW/),
      expect.stringMatching(/^tasks_open: host_id IS NULL AND terminal_id > /),
    ]);
    for (const name of ['adopt_stray_tasks', 'cancel_leftover_tasks']) {
      const reads = (await listReads(each, name, 'tasks')).filter((read) => !read.startsWith('tasks_pkey'));
      expect(reads).toEqual([`tasks_open: ${place}`, `tasks_open: ${nowhere}`]);
    }
  }
});

it('planned tasks are given their place by their times, and stops are found without what is planned for later', async () => {
  for (const each of [young, server]) {
    const due = 'tasks_waiting: waits_until <= now';
    expect(await listReads(each, 'release_planned_tasks', 'tasks')).toContain(due);
    const stops = await listReads(each, 'list_attempts_before_stops', 'tasks');
    expect(stops).toEqual(['tasks_open_stops: undefined', 'tasks_pkey: id = task_id', due]);
  }
});

it('a creation looks at the open tasks of its terminal, never at those that have ended', async () => {
  for (const each of [young, server]) {
    const reads = (await listReads(each, 'insert_tasks', 'tasks')).filter((read) => !read.startsWith('tasks_pkey'));
    // Each twice: for what waits, and for stops, which look past it.
    expect([...new Set(reads)]).toEqual([
      'tasks_open: host_id = host_id AND terminal_id = id',
      'tasks_open: host_id IS NULL AND terminal_id = id',
    ]);
  }
});
