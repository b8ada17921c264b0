/**
 * Input made from every route's schemas, right, nearly right and hostile: never a 500, never silence, always JSON; what is
 * refused changes nothing; and nothing that one user or host sends touches another one's objects.
 */
import { SCHEDULER_LOCK, type TestHost } from '@berth/testing';
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import {
  accountRoutes,
  agentRoutes,
  authRoutes,
  fileRoutes,
  hostRoutes,
  payloadSchemas,
  taskRoutes,
  TaskType,
  taskTypes,
  terminalRoutes,
  TerminalStatus,
  type RouteContract,
} from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, type Exchange, type Outgoing } from './support/exchange.ts';
import {
  hostileText,
  hostileValue,
  jsonType,
  mangle,
  oddHeaders,
  toObject,
  toText,
  type Overrides,
} from './support/hostile.ts';
import { createSnapshots, takeUserSnapshot } from './support/snapshot.ts';
import { call, createActiveTerminal, createTask, createWorld, enrolHost } from './support/world.ts';
import type { Account, World } from './support/world.ts';

/** Requests a route. For a long hunt raise it, and leave out the seed. */
const NUM_RUNS = 25;
const SEED = 20260131;

let world: World;
let attacker: Account;
let attackingHost: TestHost;
let own: { terminalId: string; taskId: string; heldTaskId: string; fileId: string };
/** Of the attacker: everything but `delete`, so that its own objects last. */
let token: string;
let takeSnapshot: () => Promise<string>;
let locker: pg.Client;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  world = await createWorld();
  const { server, operator } = world;
  // No scheduler: what changes, a request has changed.
  locker = new pg.Client({ connectionString: server.databaseUrl });
  await locker.connect();
  await locker.query(`select pg_advisory_lock(${SCHEDULER_LOCK})`);
  attacker = await server.register('Attacker');
  attackingHost = await enrolHost(server, operator, 1);
  const terminalId = await createActiveTerminal(server, attacker.token, attackingHost, 1);
  const headers = { 'content-type': 'application/octet-stream' };
  const upload = { token: attacker.token, body: Buffer.from('x'), headers };
  const fileId = (await server.request('POST', '/v1/my/files?name=x', upload)).body.data.id;
  const heldTaskId = await createTask(server, attacker.token, terminalId, { type: TaskType.MARKET_WATCH_SHOW_ALL });
  await attackingHost.claim(1, 0);
  const taskId = await createTask(server, attacker.token, terminalId, {
    type: TaskType.SCREENSHOT,
    planned_at: '2099-01-01',
  });
  own = { terminalId, taskId, heldTaskId, fileId };
  const body = { name: 'fuzz', abilities: ['read', 'write'] };
  token = (await call(server, attacker.token, 'POST', '/v1/my/account/tokens', body)).data.token;
  takeSnapshot = await createSnapshots(server);
});

afterAll(async () => {
  agent.destroy();
  await locker.end();
  await world.server.close();
});

/** Ids of the attacker, of the victim, of nobody, and what is none. */
const id = (mine: () => string | number, theirs: () => string | number): Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(null).map(mine) },
    { weight: 4, arbitrary: fc.constant(null).map(theirs) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: hostileText },
  );

const nobody = () => randomUUID();
const ids: Overrides = {
  terminal_id: id(
    () => own.terminalId,
    () => world.terminalId,
  ),
  task_id: id(
    () => own.taskId,
    () => world.taskId,
  ),
  token_id: id(
    () => '999999',
    () => world.tokenId,
  ),
  notification_id: id(nobody, () => world.notificationId),
  file_id: id(
    () => own.fileId,
    () => world.fileId,
  ),
  project_id: id(nobody, () => '0'),
  default_project_id: id(nobody, nobody),
  host_id: id(nobody, nobody),
  region: fc.integer({ min: -1, max: 4 }),
  email: fc.nat().map((n) => `nobody.${n}@example.com`),
  inputs: fc.oneof(fc.constant({ Lots: 0.1, Text: 'a', On: true }), fc.dictionary(hostileText, hostileValue)),
};

/** As a path segment: percent-encoded, or now and then not decodable at all. */
const toSegment = (value: unknown): string =>
  typeof value === 'string' && value.length % 7 === 6 ? '%ff' : encodeURIComponent(String(value).toWellFormed());

const pathOf = (route: RouteContract, overrides: Overrides): Arbitrary<string> => {
  const names = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const values = fc.tuple(...names.map((name) => overrides[name] ?? hostileText));
  return values.map((filled) =>
    names.reduce((url, name, index) => url.replace(`:${name}`, toSegment(filled[index]).slice(0, 9000)), route.url),
  );
};

const queryOf = (route: RouteContract, overrides: Overrides): Arbitrary<string> =>
  fc.tuple(route.query ? toObject(route.query, overrides) : fc.constant({}), fc.nat(20)).map(([query, dice]) => {
    const pairs = Object.entries(query).map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(text.toWellFormed().slice(0, 1000))}`;
    });
    if (dice === 0) pairs.push('page=%ff%fe', '&&=&%', '__proto__=1');
    if (dice === 1) pairs.push(...pairs);
    const text = pairs.join('&').slice(0, 9000);
    return text === '' ? '' : `?${text}`;
  });

const bodyOf = (route: RouteContract, body: Arbitrary<unknown> | undefined): Arbitrary<Buffer | undefined> => {
  if (route.method === 'GET') return fc.constant(undefined);
  if (route.isRawBody)
    return fc.option(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      { nil: undefined },
    );
  return fc.tuple(body ?? fc.constant({}), mangle).map(([value, change]) => change(toText(value)));
};

interface Source {
  route: RouteContract;
  token: () => string;
  overrides?: Overrides;
  body?: Arbitrary<unknown>;
}

const requestOf = ({ route, overrides = ids, body }: Source): Arbitrary<Omit<Outgoing, 'method'>> => {
  const schemaBody = route.body ? toObject(route.body, overrides) : undefined;
  return fc
    .tuple(
      pathOf(route, overrides),
      queryOf(route, overrides),
      bodyOf(route, body ?? schemaBody),
      route.isRawBody ? fc.constant('application/octet-stream') : jsonType,
      oddHeaders,
      fc.boolean(),
    )
    .map(([path, query, content, type, odd, isChunked]) => ({
      path: path + query,
      headers: { ...(content === undefined ? {} : { 'content-type': type }), ...odd },
      body: content,
      isChunked: isChunked && content !== undefined,
    }));
};

const isRefusal = ({ status }: Exchange, body: { ok?: boolean }): boolean => status >= 400 || body.ok === false;

const expectSound = (answer: Exchange): void => {
  const { status, headers, bytes } = answer;
  expect(status, bytes.toString().slice(0, 500)).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  const isFile = headers['content-disposition'] !== undefined || headers['content-type'] === 'application/octet-stream';
  if (status === 304 || (status === 200 && isFile)) return;
  expect(headers['content-type']).toMatch(/^application\/json/);
  const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
  if (status === 422) expect(Object.keys(body)).toEqual(['message', 'errors']);
  else if (status >= 400) expect(body).toEqual({ ok: false, msg: expect.any(String), data: null });
};

const parse = ({ bytes, headers }: Exchange): { ok?: boolean } =>
  String(headers['content-type']).startsWith('application/json') ? (JSON.parse(bytes.toString()) as object) : {};

/** Sends requests made from the source, one after the other, and holds each answer to the rules. */
const fuzz = async (source: Source, runs = NUM_RUNS): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>();
  let before = await takeSnapshot();
  await fc.assert(
    fc.asyncProperty(requestOf(source), async (request) => {
      const authorization = { authorization: `Bearer ${source.token()}` };
      const headers = { ...authorization, ...request.headers };
      const answer = await exchange(world.server.url, agent, { ...request, method: source.route.method, headers });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expectSound(answer);
      const after = await takeSnapshot();
      if (isRefusal(answer, parse(answer))) expect(after).toBe(before);
      before = after;
    }),
    { numRuns: runs, seed: SEED, endOnFailure: true },
  );
  return statuses;
};

const named = (routes: Record<string, RouteContract>) =>
  Object.values(routes).map((route) => ({ name: `${route.method} ${route.url}`, route }));
const victim = () => takeUserSnapshot(world.server, world.owner.user.id, world.host.id);

describe('a user who sends anything', () => {
  const routes = named({ ...authRoutes, ...accountRoutes, ...terminalRoutes, ...taskRoutes, ...fileRoutes });

  it.each(routes)(
    'to $name gets a sound answer, changes nothing by what is refused, and reaches nobody else',
    async ({ route }) => {
      const before = await victim();
      const runs = /auth|password/.test(route.url) ? Math.ceil(NUM_RUNS / 2) : NUM_RUNS;
      if (route.url.endsWith('/logout')) {
        const login = async () =>
          (await call(world.server, attacker.token, 'POST', '/v1/my/account/tokens', { name: 'out' })).data
            .token as string;
        const tokens = await Promise.all(Array.from({ length: runs + 1 }, login));
        await fuzz({ route, token: () => tokens.pop() ?? '' }, runs);
      } else await fuzz({ route, token: () => token }, runs);
      expect(await victim()).toBe(before);
    },
  );

  it.each(taskTypes)('as a payload of task type %i gets a sound answer and reaches nobody else', async (type) => {
    const before = await victim();
    const payload = toObject(payloadSchemas[type], ids);
    const body = fc.record({ type: fc.constant(type), payload });
    const overrides = { ...ids, terminal_id: fc.constant(null).map(() => own.terminalId) };
    // Most are refused, by one field or another: more of them, so that some are right.
    const attack = { route: taskRoutes.createTask, token: () => token, overrides, body };
    const statuses = await fuzz(attack, NUM_RUNS * 4);
    expect(statuses.get(type === TaskType.TERMINAL_DESTROY ? 403 : 200)).toBeGreaterThan(0);
    expect(await victim()).toBe(before);
  });
});

describe('an operator who sends anything', () => {
  it.each(named(hostRoutes))('to $name gets a sound answer', async ({ route }) => {
    await fuzz({ route, token: () => world.operator.token });
  });
});

describe('a hostile host', () => {
  const session = fc.constant(null).map(() => attackingHost.sessionId);
  const hostIds: Overrides = {
    ...ids,
    task_id: id(
      () => own.heldTaskId,
      () => world.runningTaskId,
    ),
    session_id: fc.oneof({ weight: 9, arbitrary: session }, { weight: 1, arbitrary: hostileText }),
    wait_ms: fc.constantFrom(0, 1, 0, -1, 25_001, 0.5),
    fence: fc.constantFrom(1, 1, 1, 2, 0, 1_000_000),
    platforms: fc.constant(['sandbox']),
    join_token: fc.oneof(
      hostileText,
      fc.constant(null).map(() => attackingHost.credential),
    ),
  };

  it.each(named(agentRoutes))(
    'that sends anything to $name gets a sound answer and hurts no other host',
    async ({ route }) => {
      const before = await victim();
      await fuzz({ route, token: () => attackingHost.credential, overrides: hostIds }, NUM_RUNS * 2);
      expect(await victim()).toBe(before);
    },
  );

  const poison = [
    { step: 'x', data: { path: 'p'.repeat(300_000), login: 'l'.repeat(100_000), server_name: 'a\nb\0c' } },
    { step: '\0\ud800', data: { '\0': '\0', deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) as unknown } },
    { step: 'x', data: { login: '1\n[Common]\nPassword=x', server_name: '\u2028' } },
    { step: 'x', data: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index])) },
  ];

  it('poisons only its own reports: those of others in the same batch are accepted', async () => {
    const { server, owner, host } = world;
    const types = [9, 11, 9, 14] as const;
    const payloads = [{}, { server_name: 'S', name: 'N', email: 'n@example.com' }, {}, {}];
    for (const [index, { step, data }] of poison.entries()) {
      const order = { type: types[index], payload: payloads[index] };
      const terminal = await createActiveTerminal(server, attacker.token, attackingHost, 1);
      const mine = await createTask(server, attacker.token, terminal, order);
      await attackingHost.claim(50, 0);
      const steps = [{ step, ok: true, code: null, message: '\0\udfff', at: '\0', data }];
      // One with a line's end would have the whole report refused.
      const secrets = { password: 'p\0\ud800' };
      const events = [
        { kind: 'completed', at: 1, task_id: mine, fence: 1, steps, secrets },
        {
          kind: 'terminal',
          at: 2,
          terminal_id: terminal,
          status: TerminalStatus.DISCONNECTED,
          path: '\0'.repeat(1024),
        },
        { kind: 'completed', at: 3, task_id: world.runningTaskId, fence: 1, steps: [] },
        {
          kind: 'terminal',
          at: 4,
          terminal_id: world.terminalId,
          status: TerminalStatus.LOGIN_FAILED,
          reason: 'taken over',
        },
      ];
      const bad = { token: attackingHost.credential, body: { session_id: attackingHost.sessionId, events } };
      const good = { kind: 'terminal', at: 5, terminal_id: world.terminalId, status: TerminalStatus.ACTIVE } as const;
      const [answer, verdicts] = await Promise.all([
        server.request('POST', '/v1/agent/report', bad),
        host.report(good, { kind: 'started', at: 1, task_id: world.runningTaskId, fence: 1 }),
      ]);
      expect([answer.status, answer.body.verdicts]).toEqual([200, ['accepted', 'accepted', 'stale', 'stale']]);
      expect(verdicts).toEqual(['accepted', index === 0 ? 'accepted' : 'duplicate']);
      const path = `/v1/my/trading/terminals/${terminal}`;
      const shown = (await call(server, attacker.token, 'GET', path)).data;
      expect(JSON.stringify([shown.login, shown.server_name, shown.path])).not.toMatch(/\\n|\\u|.{1200}/);
      expect((await server.request('GET', `${path}/tasks/${mine}`, { token: attacker.token })).status).toBe(200);
    }
    const { data } = await call(server, owner.token, 'GET', `/v1/my/trading/terminals/${world.terminalId}`);
    expect(data).toMatchObject({ status: TerminalStatus.ACTIVE, server_name: 'Harbour-Demo', login: '1001' });
  });
});
