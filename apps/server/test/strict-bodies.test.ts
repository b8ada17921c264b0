import { TaskType } from '@berth/contract';
import { insertTerminals, farAhead, TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let token: string;
let terminal: string;
let taskId: string;
let projectId: string;

const TERMINALS = '/v1/my/trading/terminals';
const shot = { type: TaskType.SCREENSHOT };

beforeAll(async () => {
  const host = await TestHost.enrol(server);
  const owner = await server.register('Owner');
  token = owner.token;
  const [terminalId] = await insertTerminals(server, owner.user.id, { hostId: host.id });
  terminal = `${TERMINALS}/${terminalId}`;
  projectId = (await owner.berth.account.profile()).default_project_id;
  const later = { ...shot, planned_at: farAhead };
  taskId = (await server.request('POST', `${terminal}/tasks`, { token, body: later })).body.data.id;
});

const toNumbers = async () => {
  const used = `select id, name, abilities, expires_at from tokens`;
  const of = (table: string) => (table === 'tokens' ? used : `select * from ${table}`);
  const tables = ['tasks', 'tokens', 'join_tokens', 'terminals', 'projects'];
  const counts = tables.map(
    (table) => `(select md5(string_agg(t::text, '' order by t::text)) from (${of(table)}) t) as ${table}`,
  );
  return (await server.query(`select ${counts.join(', ')}`))[0];
};

it.each([
  [
    'a task',
    () => ['POST', `${terminal}/tasks`, { ...shot, plannedAt: '2100-01-01T00:00:00Z' }],
    'plannedAt',
    'planned_at',
  ],
  ['a task', () => ['POST', `${terminal}/tasks`, { ...shot, chart: 'x' }], 'chart', 'chart_id'],
  ['a cancellation', () => ['POST', `${terminal}/tasks/${taskId}/cancel`, { after: 1 }], 'after', undefined],
  ['a screenshot', () => ['POST', `${terminal}/screenshot`, { chart_id: '1' }], 'chart_id', undefined],
  [
    'a terminal',
    () => ['PATCH', terminal, { name: 'New', screenshot_every_minute: 1 }],
    'screenshot_every_minute',
    'screenshot_every_minutes',
  ],
  ['a project', () => ['PATCH', `/v1/my/projects/${projectId}`, { nmae: 'New' }], 'nmae', 'name'],
  ['a token', () => ['POST', '/v1/my/account/tokens', { name: 'x', ability: ['read'] }], 'ability', undefined],
  [
    'a token',
    () => ['POST', '/v1/my/account/tokens', { name: 'x', expire_at: '2100-01-01' }],
    'expire_at',
    'expires_at',
  ],
] as const)(
  'a field that nobody knows is refused where it would have changed what is done: %s (case %#)',
  async (_of, toCall, field, meant) => {
    const [method, path, body] = toCall() as [string, string, object];
    const before = await toNumbers();
    const answer = await server.request(method, path, { token, body });
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
    expect(answer.body.errors[field]).toEqual([
      `The ${field} field is unknown${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    ]);
    expect(await toNumbers()).toEqual(before);
  },
);

it.each(['toString', 'constructor'])(
  'a field that nobody knows is refused by its name when every object has that: %s',
  async (field) => {
    const body = JSON.parse(`{ "name": "x", ${JSON.stringify(field)}: 1 }`) as object;
    const answer = await server.request('POST', '/v1/my/account/tokens', { token, body });
    const errors = Object.entries(answer.body.errors as object);
    expect([answer.status, errors]).toEqual([422, [[field, [`The ${field} field is unknown.`]]]]);
  },
);

it('a field that nobody knows is ignored in other creations, which existing programs send with more', async () => {
  const project = await server.request('POST', '/v1/my/projects', { token, body: { name: 'Extra', colour: 'red' } });
  const body = { server_name: 'Demo', login: '2', password: 'x', region: 0, magic: 1 };
  const created = await server.request('POST', TERMINALS, { token, body });
  expect([project.body.ok, created.body.ok]).toEqual([true, true]);
});
