/** Every route × every kind of caller who must be refused, and the order in which refusals are found. */
import { randomUUID } from 'node:crypto';
import { AccountStatus, pathResources, TaskType, type ErrorCode, type PathParameter } from '@berth/contract';
import { createUnknownSecret, toSample, type TestAnswer, toErrorBody } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, listRegisteredRoutes, routeTable, toMethod, toPath, type RouteRule } from './support/route-table.ts';
import { call, createActiveTerminal, createTask, createWorld, enrolHost, runSql } from './support/world.ts';
import { toTokenId, type Account, type World } from './support/world.ts';

let world: World;
let stranger: Account;
let suspended: Account;
/** Operators by their role. */
const operators: Record<string, Account> = {};
/** Ask for what there is not, in turns: one of them alone would ask too often. */
const askers: Account[] = [];
/** Tokens of the owner by what they may do: `read,write`, `none` … */
const tokens: Record<string, string> = {};
const operatorTokens: Record<string, string> = {};
let expired: string;
let revoked: string;

const abilitySets = ['read', 'write', 'delete', 'read,write', 'read,delete', 'write,delete', 'none'];

const createToken = async (account: Account, abilities: string): Promise<string> => {
  const body = { name: abilities, abilities: abilities === 'none' ? [] : abilities.split(',') };
  return (await call(world.server, account.token, 'POST', '/v1/my/account/tokens', body)).data.token;
};

beforeAll(async () => {
  world = await createWorld({ config: { isRateLimited: true, trustedProxies: ['127.0.0.1'] } });
  const { server, owner, operator } = world;
  stranger = await server.register('Stranger');
  suspended = await server.registerOperator();
  for (const role of ['viewer', 'operator']) {
    operators[role] = await server.registerOperator();
    await runSql(server, 'update users set operator_role = $2 where id = $1', [operators[role].user.id, role]);
  }
  askers.push(stranger, owner, operator);
  for (const name of ['Asker 1', 'Asker 2']) askers.push(await server.register(name));
  for (const set of abilitySets) {
    tokens[set] = await createToken(owner, set);
    operatorTokens[set] = await createToken(operator, set);
  }
  expired = await createToken(owner, 'read,write,delete');
  await runSql(server, `update tokens set expires_at = now() where id = $1`, [toTokenId(expired)]);
  revoked = await createToken(owner, 'read,write,delete');
  await call(server, owner.token, 'DELETE', `/v1/my/account/tokens/${toTokenId(revoked)}`);
  await runSql(server, `update users set status = ${AccountStatus.SUSPENDED} where id = $1`, [suspended.user.id]);
});
afterAll(() => world.server.close());

const send = (route: string, token: string | undefined, ids = idsOf(world), headers: Record<string, string> = {}) => {
  const { body } = routeTable[route] ?? {};
  // Refusals are counted by address: each route is asked from one of its own, or they would be too many in a minute.
  const address = `10.0.0.${Object.keys(routeTable).indexOf(route)}`;
  const all = { 'x-forwarded-for': address, ...headers };
  return world.server.request(toMethod(route), toPath(route, ids), { token, body, headers: all });
};

/** What every answer carries. */
const expectGeneral = ({ headers }: TestAnswer): void => {
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('access-control-allow-origin')).toBeNull();
};

const expectError = (answer: TestAnswer, status: number, code: ErrorCode, msg: string): void => {
  expect([answer.status, answer.body]).toEqual([status, toErrorBody(code, msg)]);
  expect(answer.headers.get('x-error-code')).toBe(code);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expectGeneral(answer);
};

const expectUnauthenticated = (answer: TestAnswer): void => {
  expectError(answer, 401, 'unauthenticated', 'Unauthenticated.');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
};

/** Thumbnails count in a limit of their own. */
const THUMBNAIL = 'GET /v1/my/trading/terminals/:terminal_id/screenshot';

const expectCounted = ({ headers }: TestAnswer, route: string): void => {
  expect(headers.get('x-ratelimit-limit')).toBe(route === THUMBNAIL ? '2400' : '300');
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
};

const expectForbidden = (answer: TestAnswer, route: string, code: ErrorCode, msg: string): void => {
  expectError(answer, 403, code, msg);
  expectCounted(answer, route);
};

const withLast = (token: string, change: (char: string) => string): string =>
  token.slice(0, -1) + change(token.slice(-1));

const isUser = ({ needs }: RouteRule) => needs !== 'anybody' && needs !== 'host';
const abilityOf = ({ needs }: RouteRule): string | undefined => /^(?:operator:)?(read|write|delete)$/.exec(needs)?.[1];

const entries = Object.entries(routeTable);
const select = (filter: (rule: RouteRule) => boolean): string[] =>
  entries.filter(([, rule]) => filter(rule)).map(([route]) => route);

it('the server has exactly the routes that this test knows', () => {
  expect(listRegisteredRoutes(world.server.app).sort()).toEqual(Object.keys(routeTable).sort());
});

describe.each(select((rule) => rule.needs !== 'anybody'))('%s', (route) => {
  it('a route refuses callers without a valid credential, always in the same words', async () => {
    const { owner, host } = world;
    const isHost = routeTable[route]?.needs === 'host';
    const [right, other] = isHost ? [host.credential, owner.token] : [owner.token, host.credential];
    const [id = '', secret = ''] = right.split('|');
    const wrong = [
      undefined,
      'nonsense',
      id,
      `${id}|`,
      `|${secret}`,
      `${id}|${secret}|`,
      withLast(right, (char) => (char === '0' ? '1' : '0')),
      `${id}|${createUnknownSecret()}`,
      `${isHost ? randomUUID() : '999999999'}|${secret}`,
      `9999999999999999|${createUnknownSecret()}`,
      other,
      ...(isHost ? [] : [expired, revoked]),
    ];
    for (const token of wrong) expectUnauthenticated(await send(route, token));
    for (const authorization of ['', 'Bearer', `Basic ${right}`, right, `Bearer ${right} x`]) {
      expectUnauthenticated(await send(route, undefined, idsOf(world), { authorization }));
    }
  });
});

describe.each(select((rule) => abilityOf(rule) !== undefined))('%s', (route) => {
  const rule = routeTable[route]!;
  const needed = abilityOf(rule)!;
  const own = () => (rule.needs.startsWith('operator') ? operatorTokens : tokens);

  it('a route refuses a token without its ability, whatever else the token may do', async () => {
    for (const set of abilitySets.filter((candidate) => !candidate.split(',').includes(needed))) {
      expectForbidden(await send(route, own()[set]), route, 'missing_ability', 'Invalid ability provided.');
    }
  });

  it('a route is content with its one ability', async () => {
    const unknown = Object.fromEntries(Object.keys(idsOf(world)).map((name) => [name, randomUUID()]));
    const answer = await send(route, own()[needed], unknown);
    expect(rule.conflict === undefined ? [200, 404, 422] : [rule.conflict]).toContain(answer.status);
    expectGeneral(answer);
    expectCounted(answer, route);
  });
});

describe.each(select(isUser))('%s', (route) => {
  it('a route refuses a suspended account and a closed one', async () => {
    for (const status of [2, 1]) {
      await runSql(world.server, 'update users set status = $2 where id = $1', [suspended.user.id, status]);
      expectForbidden(await send(route, suspended.token), route, 'account_suspended', 'This account is suspended.');
    }
  });
});

describe.each(select(({ needs }) => needs.startsWith('operator')))('%s', (route) => {
  it('a route refuses everybody who is no operator', async () => {
    const msg = 'This operation is reserved for the operator.';
    expectForbidden(await send(route, world.owner.token), route, 'operator_only', msg);
  });

  it('a route refuses an operator whose role is too low', async () => {
    const { role = route.startsWith('GET ') ? 'viewer' : 'operator' } = routeTable[route]!;
    const low = { viewer: [], operator: ['viewer'], owner: ['viewer', 'operator'] }[role];
    const msg = 'Your role does not allow this.';
    for (const name of low) expectForbidden(await send(route, operators[name]!.token), route, 'missing_role', msg);
  });

  it('a route does not find what does not exist', async () => {
    const [, name] = /:(\w+_id)/.exec(route) ?? [];
    if (name === undefined) return;
    const msg = `${pathResources[name as PathParameter]} not found.`;
    for (const id of [randomUUID(), 'x', '-1']) {
      expectError(await send(route, world.operator.token, { [name]: id }), 404, 'not_found', msg);
    }
  });
});

describe.each(select((rule) => isUser(rule) && rule.resource !== undefined))('%s', (route) => {
  const msg = `${routeTable[route]?.resource} not found.`;

  it("a route does not find another user's object, nor an unknown one, nor a malformed id: the answers are the same", async () => {
    expectError(await send(route, stranger.token), 404, 'not_found', msg);
    const { token } = askers[Object.keys(routeTable).indexOf(route) % askers.length]!;
    const unknown = Object.fromEntries(Object.keys(idsOf(world)).map((name) => [name, randomUUID()]));
    expectError(await send(route, token, { ...unknown, token_id: 999_999 }), 404, 'not_found', msg);
    const malformed = ['x', '0', '-1', '1.5', '%00', '..%2f..%2fetc', 'ffffffff-ffff-ffff-ffff-fffffffffffg', "1'--"];
    for (const id of [...malformed, 'a'.repeat(5000), '9'.repeat(30)]) {
      const ids = Object.fromEntries(Object.keys(idsOf(world)).map((name) => [name, id]));
      expectError(await send(route, token, ids), 404, 'not_found', msg);
    }
  });
});

const routes = Object.keys(routeTable).filter((route) => /my.*:task_id/.test(route));

it.each(routes)('a task is not found below another terminal of its owner: %s', async (route) => {
  const { server, owner, host } = world;
  const other = await createActiveTerminal(server, owner.token, host, 0);
  const answer = await send(route, owner.token, { ...idsOf(world), terminal_id: other });
  expectError(answer, 404, 'not_found', 'Task not found.');
});

it('a host does not find tasks and files of another host', async () => {
  const other = await enrolHost(world.server, world.operator, 1);
  const ids = { ...idsOf(world), task_id: world.runningTaskId };
  for (const route of select(({ needs, resource }) => needs === 'host' && resource !== undefined)) {
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await send(route, other.credential, ids, headers);
    expectError(answer, 404, 'not_found', `${routeTable[route]?.resource} not found.`);
  }
});

it('a host does not find a file that its task does not name, nor files of tasks that it is not running', async () => {
  const { server, host, owner, runningTaskId, taskId, fileId } = world;
  const path = (task: string, file: string) => `/v1/agent/tasks/${task}/files/${file}`;
  const get = (task: string, file: string) => server.request('GET', path(task, file), { token: host.credential });
  expect((await get(runningTaskId, fileId)).status).toBe(200);
  const headers = { 'content-type': 'application/octet-stream' };
  const upload = { token: owner.token, body: Buffer.from('secret'), headers };
  const { body } = await server.request('POST', '/v1/my/files?name=b', upload);
  expectError(await get(runningTaskId, body.data.id), 404, 'not_found', 'File not found.');
  expectError(await get(taskId, fileId), 404, 'not_found', 'File not found.');
});

it('a host is refused under a session that another agent has superseded', async () => {
  const host = await enrolHost(world.server, world.operator, 1);
  const bodies = {
    heartbeat: { tasks: [] },
    claim: { slots: 1, wait_ms: 0 },
    report: { events: [{ kind: 'terminal', at: 1 }] },
    samples: { samples: [toSample(randomUUID())] },
    accounts: { terminals: [{ terminal_id: randomUUID(), login: '1', server: 's' }] },
    charts: { terminals: [{ terminal_id: randomUUID(), charts: [], truncated: false }] },
  };
  for (const [name, body] of Object.entries(bodies)) {
    const options = { token: host.credential, body: { session_id: randomUUID(), ...body } };
    const answer = await world.server.request('POST', `/v1/agent/${name}`, options);
    expectError(answer, 409, 'session_superseded', 'Another agent has taken over this host.');
  }
});

it('a host that was retired is refused everywhere', async () => {
  const host = await enrolHost(world.server, world.operator, 1);
  await call(world.server, world.operator.token, 'DELETE', `/v1/operator/hosts/${host.id}`);
  for (const route of select(({ needs }) => needs === 'host')) {
    expectUnauthenticated(await send(route, host.credential));
  }
});

it('a host enrols with its token once, and never with anything else', async () => {
  const order = { region: 1, name: 'once' };
  const { data } = await call(world.server, world.operator.token, 'POST', '/v1/operator/join-tokens', order);
  const enrol = (token: string) =>
    world.server.request('POST', '/v1/agent/enrol', { body: { join_token: token, platforms: ['sandbox'] } });
  const [id] = data.join_token.split('|');
  for (const token of ['x', `${id}|${createUnknownSecret()}`, world.host.credential]) {
    expectUnauthenticated(await enrol(token));
  }
  expect((await enrol(data.join_token)).status).toBe(200);
  expectUnauthenticated(await enrol(data.join_token));
});

const terminals = '/v1/my/trading/terminals';

it('the order of the checks asks first whether the route exists, then whether it has the method, then who calls', async () => {
  const { server } = world;
  for (const path of ['/v1/nothing', '/v1/my', '/V1/my/projects', '/v2/my/projects', '/']) {
    const answer = await server.request('DELETE', path);
    expectError(answer, 404, 'route_not_found', 'The requested route does not exist.');
  }
  const methods = new Map<string, string[]>();
  // `…/terminals/regions` and the like are left out: for methods that they lack they are a malformed id.
  const isLikeId = (one: string): boolean => /\/(regions|counts|overview|bulk|bulk\/tasks|try|confirm)$/.test(one);
  for (const route of Object.keys(routeTable).filter((one) => !isLikeId(one))) {
    const [method = '', url = ''] = route.split(' ');
    methods.set(url, [...(methods.get(url) ?? []), ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }
  for (const [url, allowed] of methods) {
    for (const method of ['PUT', 'OPTIONS', 'POST', 'GET', 'PATCH', 'DELETE'].filter((one) => !allowed.includes(one))) {
      const answer = await server.request(method, toPath(`${method} ${url}`, idsOf(world)));
      expectError(answer, 405, 'method_not_allowed', 'This method is not supported for this route.');
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...allowed].sort());
    }
  }
});

it('the order of the checks asks who calls before it looks at the body, and for the ability before the object', async () => {
  const { server } = world;
  const broken = { body: '{', headers: { 'content-type': 'application/json' } };
  expectUnauthenticated(await server.request('POST', '/v1/my/projects', broken));
  const answer = await server.request('POST', '/v1/my/projects', { ...broken, token: tokens.read });
  expectForbidden(answer, 'POST', 'missing_ability', 'Invalid ability provided.');
  const unknown = await server.request('DELETE', `${terminals}/x`, { token: tokens.read });
  expectForbidden(unknown, 'DELETE', 'missing_ability', 'Invalid ability provided.');
});

it('the order of the checks looks for the object before it judges the input', async () => {
  const { server, owner } = world;
  const path = `${terminals}/${randomUUID()}/tasks`;
  const wrong = [
    {},
    { type: 99 },
    { type: TaskType.EA_INSTALL },
    { type: TaskType.OPTIONS_WEB_REQUEST, payload: { url: 'x' } },
    { type: TaskType.TERMINAL_INSTALL },
    { type: TaskType.TERMINAL_DESTROY },
  ];
  for (const body of wrong) {
    const headers = { 'idempotency-key': 'not visible ascii' };
    const answer = await server.request('POST', path, { token: owner.token, body, headers });
    expectError(answer, 404, 'not_found', 'Terminal not found.');
  }
  const listed = await server.request('GET', `${path}?page=x`, { token: owner.token });
  expectError(listed, 404, 'not_found', 'Terminal not found.');
});

it('the order of the checks needs write and delete for a task that destroys', async () => {
  const path = `${terminals}/${world.terminalId}/tasks`;
  for (const set of ['write', 'read,write', 'delete', 'read,delete']) {
    const answer = await world.server.request('POST', path, {
      token: tokens[set],
      body: { type: TaskType.TERMINAL_DESTROY },
    });
    expectForbidden(answer, 'POST', 'missing_ability', 'Invalid ability provided.');
  }
  const other = await createActiveTerminal(world.server, world.owner.token, world.host, 0);
  expect(await createTask(world.server, tokens['write,delete']!, other, { type: TaskType.TERMINAL_DESTROY })).toMatch(
    /^[0-9a-f-]{36}$/,
  );
});

it('the order of the checks counts before it looks at rights: a token without any is limited like all', async () => {
  const { server, owner } = world;
  const token = await createToken(owner, 'none');
  for (let left = 299; left >= 0; left -= 1) {
    const { status, headers } = await server.request('GET', '/v1/my/projects', { token });
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([403, String(left)]);
  }
  const answer = await server.request('GET', '/v1/my/projects', { token });
  expectError(answer, 429, 'token_rate_limit', 'Too many attempts.');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
  expect([answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')]).toEqual(['300', '0']);
  await call(server, owner.token, 'DELETE', `/v1/my/account/tokens/${toTokenId(token)}`);
  expectUnauthenticated(await server.request('GET', '/v1/my/projects', { token }));
});
