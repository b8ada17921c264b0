import { randomBytes, randomUUID } from 'node:crypto';
import { TaskType, TerminalStatus } from '@berth/contract';
import { farAhead, TestHost, useTwoServers, waitFor, type TestServer } from '@berth/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';

const [first, second] = useTwoServers({ terminalLimits: new Map([[1, 1]]) });
let host: TestHost;
beforeAll(async () => {
  host = await TestHost.enrol(first, { capacity: 1000 });
});

const terminals = '/v1/my/trading/terminals';
const account = { server_name: 'Harbour-Demo', login: '77', password: 'Sesame-1', region: 0 };
const raw = { 'content-type': 'application/octet-stream' };

const screenshot = { type: TaskType.SCREENSHOT, planned_at: farAhead };

interface Kind {
  path: (terminalId: string) => string;
  body: unknown;
  /** What is another request to the same route. */
  others: { query?: string; body: unknown }[];
  headers?: Record<string, string>;
  table: string;
}

const kinds: Record<string, Kind> = {
  terminal: {
    path: () => terminals,
    body: account,
    others: [{ body: { ...account, password: 'Sesame-2' } }, { body: { ...account, login: '78' } }],
    table: 'terminals',
  },
  task: {
    path: (id) => `${terminals}/${id}/tasks`,
    body: screenshot,
    others: [
      { body: { type: TaskType.SCREENSHOT } },
      { body: { ...screenshot, type: TaskType.SCREENSHOT_LATENCY } },
      { body: { ...screenshot, payload: { width: 640 } } },
      { body: { ...screenshot, chart_id: 'x' } },
    ],
    table: 'tasks',
  },
  project: {
    path: () => '/v1/my/projects',
    body: { name: 'Gold' },
    others: [{ body: { name: 'Silver' } }, { body: { name: 'Gold', description: 'x' } }],
    table: 'projects',
  },
  file: {
    path: () => '/v1/my/files?name=a.ex5',
    body: Buffer.from('one content'),
    others: [{ body: Buffer.from('two content') }, { query: '?name=b.ex5', body: Buffer.from('one content') }],
    headers: raw,
    table: 'files',
  },
};

const count = async (table: string, userId: string): Promise<number> =>
  (await first.query(`select count(*)::int as total from ${table} where user_id = $1`, [userId]))[0]!.total as number;

/** A user with a terminal that takes tasks. */
const createUser = async (name: string) => {
  const { token, user } = await first.register(name);
  const terminalId = await first.createTerminal(token);
  const install = `update terminals set status = ${TerminalStatus.ACTIVE}, host_id = $2 where id = $1`;
  await first.query(install, [terminalId, host.id]);
  return { token, userId: user.id, terminalId };
};

describe.each(Object.entries(kinds))(
  'a key on the creation of a %s',
  (name, { path, body, others, headers, table }) => {
    const post = (
      server: TestServer,
      user: { token: string; terminalId: string },
      key: string,
      other?: Kind['others'][0],
    ) => {
      const [route = '', query = ''] = path(user.terminalId).split(/(?=\?)/);
      return server.request('POST', route + (other?.query ?? query), {
        token: user.token,
        body: other?.body ?? body,
        headers: { ...headers, 'idempotency-key': key },
      });
    };

    test('a key on a creation gets the first answer once more from every server, and creates nothing', async () => {
      const user = await createUser(`Once ${name}`);
      const key = randomUUID();
      const answer = await post(first, user, key);
      expect([answer.status, answer.body.ok]).toEqual([200, true]);
      const total = await count(table, user.userId);
      for (const server of [first, second]) expect((await post(server, user, key)).body).toEqual(answer.body);
      expect(await count(table, user.userId)).toBe(total);
      expect((await post(first, user, randomUUID())).body.data.id).not.toBe(answer.body.data.id);
    });

    test('a key on a creation is refused with another request, or on another route', async () => {
      const user = await createUser(`Other ${name}`);
      const key = randomUUID();
      await post(first, user, key);
      const errors = { idempotency_key: ['The idempotency key was used with another request.'] };
      for (const other of others) {
        const answer = await post(second, user, key, other);
        expect([answer.status, answer.body]).toEqual([
          422,
          { message: errors.idempotency_key[0], errors, code: 'validation', hint: expect.any(String) },
        ]);
      }
      for (const [otherName, kind] of Object.entries(kinds).filter(([otherName]) => otherName !== name)) {
        const answer = await first.request('POST', kind.path(user.terminalId), {
          token: user.token,
          body: kind.body,
          headers: { ...kind.headers, 'idempotency-key': key },
        });
        expect([otherName, answer.status]).toEqual([otherName, 422]);
      }
    });

    test('a key on a creation belongs to one user', async () => {
      const [one, two] = [await createUser(`One ${name}`), await createUser(`Two ${name}`)];
      const key = randomUUID();
      const ids = [(await post(first, one, key)).body.data.id, (await post(second, two, key)).body.data.id];
      expect(new Set(ids).size).toBe(2);
    });

    test('a key on a creation that is malformed creates nothing', async () => {
      const user = await createUser(`Malformed ${name}`);
      const total = await count(table, user.userId);
      for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) expect((await post(first, user, key)).status).toBe(422);
      expect(await count(table, user.userId)).toBe(total);
      expect((await post(first, user, 'x'.repeat(255))).status).toBe(200);
    });

    test('a key that is sent a hundred times at once to two servers has one effect: one answer, or "in use" meanwhile', async () => {
      const user = await createUser(`Hundred ${name}`);
      const total = await count(table, user.userId);
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => post(index % 2 === 0 ? first : second, user, key)),
      );
      const done = answers.filter(({ status }) => status === 200);
      expect(new Set(done.map(({ body: answer }) => answer.data.id)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'idempotency_key_in_use']);
      }
      expect(await count(table, user.userId)).toBe(total + 1);
    });
  },
);

test('a plan limit is not kept: the same request succeeds when there is room', async () => {
  const { token, user } = await first.register('Limited');
  await first.query('update users set plan = 1 where id = $1', [user.id]);
  const create = (login: string, key: string) =>
    first.request('POST', terminals, { token, body: { ...account, login }, headers: { 'idempotency-key': key } });
  const { data } = (await create('1', 'a')).body;
  const refused = await create('2', 'b');
  expect([refused.body.ok, refused.headers.get('x-error-code')]).toEqual([false, 'plan_limit']);
  expect(refused.body.msg).toBe(
    'You can have no more than 1 terminal. Delete one, or ask your administrator for a higher limit.',
  );
  // Nothing was created, so the key is still free for whatever the client wants to do instead.
  await first.request('DELETE', `${terminals}/${data.id}`, { token });
  await first.query('update terminals set deleted_at = now() where id = $1', [data.id]);
  const created = await create('2', 'b');
  expect(created.body.ok).toBe(true);
  expect((await create('2', 'b')).body).toEqual(created.body);
});

test('a repetition gets its answer also when what it speaks of is gone', async () => {
  const { token } = await first.register('Gone');
  const body = { ...account, project_id: '' };
  body.project_id = (await first.request('POST', '/v1/my/projects', { token, body: { name: 'P' } })).body.data.id;
  const create = () => first.request('POST', terminals, { token, body, headers: { 'idempotency-key': 'k' } });
  const { body: answer } = await create();
  const move = 'update terminals set project_id = u.default_project_id from users u where u.id = user_id';
  await first.query(`${move} and project_id = $1`, [body.project_id]);
  await first.query('delete from projects where id = $1', [body.project_id]);
  expect((await create()).body).toEqual(answer);
});

test('a creation that is cut off half way leaves nothing, and its key free', async () => {
  const { token, user } = await first.register('Cut');
  const headers = { 'idempotency-key': 'cut' };
  const post = () => first.request('POST', terminals, { token, body: account, headers });
  const { db } = first.services;
  // PostgreSQL shows the first kilobyte of a running statement: the tasks to be inserted are named there.
  const creations = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%with asked as%'`;
  // The terminal is inserted, and the statement after it waits: the place for a kill.
  const blocker = db.transaction(async (tx) => {
    await tx.query(sql('', 'lock table tasks in access exclusive mode'));
    const cut = post();
    const isWaiting = async () => (await db.slow.query(sql('', `select ${creations}`))).length > 0;
    await waitFor(isWaiting, { what: 'the creation to wait for the table of tasks' });
    const other = await second.request('POST', terminals, { token, body: account, headers });
    expect([other.status, other.headers.get('x-error-code')]).toEqual([409, 'idempotency_key_in_use']);
    await db.slow.query(sql('', `select pg_terminate_backend(pid) ${creations}`));
    expect((await cut).status).toBe(503);
  });
  await blocker;
  expect(await count('terminals', user.id)).toBe(0);
  expect((await post()).body.ok).toBe(true);
  expect(await count('terminals', user.id)).toBe(1);
});

test('a repetition of a destruction, and of a refusal, gets the same answer; another terminal is another request', async () => {
  const { token, terminalId } = await createUser('Destroyer');
  const post = (key: string, type: TaskType, id = terminalId) =>
    first.request('POST', `${terminals}/${id}/tasks`, { token, body: { type }, headers: { 'idempotency-key': key } });
  const destroyed = await post('destroy', TaskType.TERMINAL_DESTROY);
  expect(destroyed.body).toMatchObject({ ok: true, data: { type: TaskType.TERMINAL_DESTROY } });
  expect((await post('destroy', TaskType.TERMINAL_DESTROY)).body).toEqual(destroyed.body);
  const refused = await post('late', TaskType.SCREENSHOT);
  expect(refused.body).toEqual({ ok: false, msg: 'The terminal is being destroyed.' });
  expect((await post('late', TaskType.SCREENSHOT)).body).toEqual(refused.body);
  const { data } = (await first.request('POST', terminals, { token, body: account })).body;
  expect((await post('destroy', TaskType.TERMINAL_DESTROY, data.id)).status).toBe(422);
});

test('a key holds a password only as a keyed hash', async () => {
  const { token } = await first.register('Sealed');
  await first.request('POST', terminals, { token, body: account, headers: { 'idempotency-key': 'sealed' } });
  const rows = await first.query('select k::text as text from idempotency_keys k');
  const stored = rows.map(({ text }) => text as string).join();
  for (const encoding of ['utf8', 'hex'] as const)
    expect(stored).not.toContain(Buffer.from(account.password).toString(encoding));
});

test('a file is kept once: its key holds no content', async () => {
  const { token, user } = await first.register('Large');
  await first.upload(token, randomBytes(1024 * 1024), 'a', { 'idempotency-key': 'large' });
  const size = 'select pg_column_size(k.*) as size from idempotency_keys k where user_id = $1';
  expect((await first.query(size, [user.id]))[0]!.size).toBeLessThan(2048);
});
