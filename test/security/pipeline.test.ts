/**
 * All reads of all users share one connection, on which each statement waits for the one before. Whatever runs there must
 * cost the same for a user who has a hundred thousand of everything.
 */
import { INDEXED, toAccountState, toSample, withClient, type Statement } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { idsOf, routeTable, toMethod, toPath } from './support/route-table.ts';
import { createWorld, type World } from './support/world.ts';

/** In PostgreSQL's units: what reads some tens of rows by their keys costs less, what reads a user's rows a multiple. */
const MAX_COST = 500;

/** One user who has very many of everything, and enough others for statistics. */
const FILL = `
  set session_replication_role = replica;
  create temp table many as
    select gen_random_uuid() as id, u.id as user_id, u.default_project_id as project_id, n
    from users u cross join generate_series(1, 100000) as n where u.email like 'owner%';
  insert into projects (id, user_id, name) select id, user_id, 'p' from many;
  insert into tokens (user_id, name, abilities, secret_hash) select user_id, 'x', '{*}', 'x' from many;
  insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
    select id, user_id, project_id, 0, 'sandbox', n, 's', n, 3 from many;
  insert into tasks (id, user_id, terminal_id, type, status, finished_at)
    select gen_random_uuid(), m.user_id, t.id, 5, 4, now() from many m,
      (select id from terminals where host_id is not null limit 1) as t;
  insert into notifications (id, user_id, type) select id, user_id, 'x' from many;
  insert into files (id, user_id, name, type, size, sha256, content) select id, user_id, 'x', 'x', 1, 'x', 'x' from many;
  set session_replication_role = origin;
  analyze`;

/** Right input, where a route asks for some. */
const bodies: Record<string, object> = {
  'POST /v1/auth/login': { email: 'owner.1@example.com', password: 'a guess' },
  'POST /v1/auth/forgot-password': { email: 'owner.1@example.com' },
  'POST /v1/auth/reset-password': {
    email: 'owner.1@example.com',
    code: 'ABCDEFGH',
    password: 'another',
    password_confirmation: 'another',
  },
  'PATCH /v1/my/account/profile': { name: 'Another' },
  'POST /v1/my/account/tokens': { name: 'another' },
  'POST /v1/my/account/security/change-password': {
    current_password: 'a guess',
    new_password: 'another',
    new_password_confirmation: 'another',
  },
  'POST /v1/my/projects': { name: 'Another' },
  'POST /v1/my/trading/terminals': { server_name: 'Harbour-Demo', login: '2', password: 'secret', region: 0 },
  'POST /v1/operator/join-tokens': { region: 0, name: 'another', capacity: 1 },
};

let world: World;
/** What runs on the connection that all reads share, by name. */
let seen: Map<string, Statement>;
beforeAll(async () => {
  world = await createWorld();
  seen = await useEverything();
});
afterAll(() => world.server.close());

const toToken = (route: string): string => {
  const { needs } = routeTable[route]!;
  if (needs === 'host') return world.host.credential;
  return needs.startsWith('operator') ? world.operator.token : world.owner.token;
};

/** Everything that the API offers, once; returns what ran on the shared connection. */
const useEverything = async (): Promise<Map<string, Statement>> => {
  const { server, host } = world;
  const { db } = server.services;
  const ran = new Map<string, Statement>();
  const query = db.query.bind(db);
  db.query = (statement, values) => {
    ran.set(statement.name, statement);
    return query(statement, values);
  };
  const session = { session_id: host.sessionId };
  const ofAgent: Record<string, object> = {
    'POST /v1/agent/session': { ...session, agent_version: '1', platforms: ['sandbox'] },
    'POST /v1/agent/heartbeat': { ...session, tasks: [] },
    'POST /v1/agent/report': {
      ...session,
      events: [{ kind: 'started', at: 1, task_id: world.runningTaskId, fence: 1 }],
    },
    'POST /v1/agent/claim': { ...session, slots: 1, wait_ms: 0 },
    'POST /v1/agent/charts': {
      ...session,
      terminals: [{ terminal_id: world.terminalId, charts: [], truncated: false }],
    },
    'POST /v1/agent/accounts': {
      ...session,
      terminals: [{ terminal_id: world.terminalId, login: '1', server: 's', state: toAccountState() }],
    },
    'POST /v1/agent/samples': { ...session, samples: [toSample(world.terminalId)] },
  };
  // What ends a session or a terminal comes last.
  const routes = Object.keys(routeTable).sort(
    (a, b) => Number(/DELETE|logout/.test(a)) - Number(/DELETE|logout/.test(b)),
  );
  for (const route of routes.filter((one) => !one.includes('register'))) {
    const method = toMethod(route);
    const body = { ...routeTable[route]?.body, ...bodies[route], ...ofAgent[route] };
    const path = toPath(route, idsOf(world));
    const options = { token: toToken(route), ...(method === 'GET' ? {} : { body }) };
    const { status } = await server.request(method, path, options);
    expect([route, status < 500]).toEqual([route, true]);
  }
  return ran;
};

it('no statement on the connection that all reads share costs more for a user who has very much', async () => {
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['find_callers', 'find_task', 'find_terminal', 'find_file']));
  await withClient(world.server.databaseUrl, (client) => client.query(FILL));
  const url = new URL(world.server.databaseUrl);
  url.searchParams.set('options', INDEXED);
  const costs = await withClient(url.href, async (client) => {
    const found: [string, number][] = [];
    for (const { name, text } of seen.values()) {
      const { rows } = await client.query<{ plan: [{ Plan: { 'Total Cost': number } }] }>(
        `explain (generic_plan, format json) ${text}`,
      );
      found.push([name, Object.values(rows[0]!)[0]![0].Plan['Total Cost']]);
    }
    return found;
  });
  expect(costs.filter(([, cost]) => cost > MAX_COST)).toEqual([]);
});

it('no statement on the connection that all reads share waits for a row that somebody holds', () => {
  const waiting = /\b(update|delete|merge)\b|\bfor (no key update|share|key share)\b/i;
  expect([...seen.values()].filter(({ text }) => waiting.test(text)).map(({ name }) => name)).toEqual([]);
});
