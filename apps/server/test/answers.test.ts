/** What answers carry beside their data, for programs and for people who mistype. */
import { randomUUID } from 'node:crypto';
import { errorTable, TaskStatus, TaskType, TerminalStatus, type ErrorCode } from '@berth/contract';
import { insertTerminals, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox', isRateLimited: true } });
let token: string;
let terminalId: string;
beforeAll(async () => {
  const { user, ...owner } = await server.register('Owner');
  token = owner.token;
  [terminalId = ''] = await insertTerminals(server, user.id, { status: TerminalStatus.FAILED });
});

const TERMINALS = '/v1/my/trading/terminals';
const get = (path: string) => server.request('GET', path, { token });
const post = (path: string, body: unknown, headers = {}) => server.request('POST', path, { token, body, headers });

it.each([
  [404, 'not_found', () => get(`${TERMINALS}/${randomUUID()}`)],
  [404, 'route_not_found', () => get('/v1/my/nothing')],
  [401, 'unauthenticated', () => server.request('GET', TERMINALS, { token: '1|wrong' })],
  [
    409,
    'nothing_matched',
    () => post('/v1/my/trading/bulk-runs', { filter: { tag: 'none' }, type: TaskType.SCREENSHOT }),
  ],
] as const)(
  'the body of an error of %i has the code %s and the hint of the headers',
  async (status, code: ErrorCode, ask) => {
    const answer = await ask();
    const { hint } = errorTable[code];
    expect([answer.status, answer.body]).toMatchObject([status, { ok: false, data: null, code, hint }]);
    expect([answer.headers.get('x-error-code'), answer.headers.get('x-error-hint')]).toEqual([code, hint]);
  },
);

it('the body of an error of 422 has them beside the errors of the fields', async () => {
  const { status, body, headers } = await get(`${TERMINALS}?status=3,asleep`);
  const hint = 'Give numbers or names, comma-separated: 3 or 0,1,2 or failed.';
  expect([status, body]).toEqual([
    422,
    {
      message: 'The selected status is invalid.',
      errors: { status: ['The selected status is invalid.'] },
      code: 'validation',
      hint,
    },
  ]);
  expect(headers.get('x-error-hint')).toBe(hint);
});

it('the body of an error of 429 has the code of the limit that was met', async () => {
  const other = await server.register('Hasty');
  const create = () => server.request('POST', `${TERMINALS}/${randomUUID()}/tasks`, { token: other.token, body: {} });
  const answers = await Promise.all(Array.from({ length: 61 }, create));
  expect(answers.map(({ body }) => body.code).filter((code) => code === 'task_creation_rate_limit')).toHaveLength(1);
  const read = () => server.request('GET', '/v1/my/projects', { token: other.token });
  const reads = await Promise.all(Array.from({ length: 240 }, read));
  expect(reads.map(({ body }) => body.code)).toContain('token_rate_limit');
});

it('the body of an error of a refusal with a code names it, too', async () => {
  // Each keeps a terminal whose task was never created, so that the scheduler cannot end it.
  await server.query(
    `with runs as (
         insert into bulk_runs (id, user_id, type, payload, stagger_seconds, total, canceled_at)
         select gen_random_uuid(), user_id, ${TaskType.SCREENSHOT}, '{}', 0, 1, now() from terminals
         cross join generate_series(1, 100) where id = $1 returning id
       )
       insert into bulk_run_items (run_id, number, terminal_id, state) select id, 1, $1, 4 from runs`,
    [terminalId],
  );
  const { status, body, headers } = await post('/v1/my/trading/bulk-runs', { all: true, type: TaskType.SCREENSHOT });
  expect([status, body]).toMatchObject([200, { ok: false, code: 'run_limit' }]);
  expect(headers.get('x-error-code')).toBe('run_limit');
  await server.query('update bulk_runs set finished_at = now()', []);
});

it('an answer that is given once more for its idempotency key says so in a header', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const create = () => post('/v1/my/projects', { name: 'Twice' }, headers);
  const [first, second] = [await create(), await create()];
  expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
    null,
    'true',
  ]);
  expect(second.body).toEqual(first.body);
});

it('a query parameter that the route does not know is ignored, and the answer names it', async () => {
  const list = await get(`${TERMINALS}?statuss=3&per_page=5`);
  const { ignored, ...rest } = list.body;
  expect(ignored).toEqual(['statuss']);
  const known = await get(`${TERMINALS}?per_page=5`);
  expect(known.body).not.toHaveProperty('ignored');
  expect(rest.data).toEqual(known.body.data);
  expect(list.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect((await get(`${TERMINALS}/${terminalId}?x=1`)).body).toMatchObject({ ok: true, ignored: ['x'] });
  const made = await server.request('POST', '/v1/my/projects?colour=red', { token, body: { name: 'P' } });
  expect(made.body).toMatchObject({ ok: true, ignored: ['colour'] });
});

it('a query parameter that the route does not know is cut, and at most sixteen are named', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `a${index}${'%F0%9F%98%80'.repeat(40)}=1`).join('&');
  const { body } = await get(`${TERMINALS}/counts?${names}`);
  expect(body.ignored).toHaveLength(16);
  for (const name of body.ignored) expect([name.length <= 64, name.isWellFormed()]).toEqual([true, true]);
});

it.each(['failed', 'FAILED', '7', ' Failed , 3'])(
  'statuses and types in filters of terminals may be %j',
  async (status) => {
    const query = new URLSearchParams({ status });
    const { body } = await get(`${TERMINALS}?${query.toString()}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([terminalId]);
    const run = await post('/v1/my/trading/bulk-runs', { filter: { status: 'active' }, type: TaskType.SCREENSHOT });
    expect(run.body.code).toBe('nothing_matched');
  },
);

it('statuses and types in filters of tasks may be names, one by one and in lists', async () => {
  const [row] = await server.query('select user_id from terminals where id = $1', [terminalId]);
  await server.query(
    `insert into tasks (id, user_id, terminal_id, type, status, payload, finished_at)
       values (gen_random_uuid(), $1, $2, ${TaskType.EA_INSTALL}, ${TaskStatus.CANCELED}, '{}', now())`,
    [row!.user_id, terminalId],
  );
  for (const query of ['status=canceled&type=ea_install', 'status=6&type=2']) {
    expect((await get(`/v1/my/tasks?${query}`)).body.data).toHaveLength(1);
    expect((await get(`${TERMINALS}/${terminalId}/tasks?${query}`)).body.data).toHaveLength(1);
  }
  expect((await get(`/v1/my/tasks?status=failed`)).body.data).toHaveLength(0);
  expect((await get(`${TERMINALS}/${terminalId}/tasks?status=asleep`)).status).toBe(422);
  expect((await get(`${TERMINALS}/${terminalId}/tasks?status=99`)).status).toBe(422);
});
