/** Why a terminal is not running, and the terminals of all users, over HTTP. */
import { TaskType, TerminalStatus, type OperatorTerminal, type TerminalWhy } from '@berth/contract';
import { TestHost, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
type User = Awaited<ReturnType<TestServer['register']>>;
let operator: User;
let ada: User;
let bob: User;
let host: TestHost;
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 2 });
  operator = await server.registerOperator();
  [ada, bob] = [await server.register('Ada King'), await server.register('Bob Marsh')];
});

const create = (user: User, name: string, region = 0): Promise<string> =>
  server.createTerminal(user.token, { server_name: 'Harbour-Live', login: '5001', region, name });
const why = async (user: User, id: string): Promise<TerminalWhy> =>
  (await server.request('GET', `/v1/my/trading/terminals/${id}/why`, { token: user.token })).body.data as TerminalWhy;
const list = async (query = ''): Promise<OperatorTerminal[]> => {
  const { status, body, bytes } = await server.request('GET', `/v1/operator/terminals${query}`, {
    token: operator.token,
  });
  expect([status, bytes.toString().includes('secret')]).toEqual([200, false]);
  return body.data as OperatorTerminal[];
};

it('who waits for a slot reads how many go before, users in turns, and nothing of who they are', async () => {
  const ids = [await create(ada, 'First'), await create(ada, 'Second')];
  const waiting: string[] = [];
  for (const [user, name] of [
    [ada, 'Third'],
    [ada, 'Fourth'],
    [ada, 'Fifth'],
    [bob, 'Late'],
  ] as const)
    waiting.push(await create(user, name));
  expect((await why(ada, ids[0]!)).cause).toBe('installing');
  const places = new Map((await list('?status=PENDING')).map((row) => [row.id, row.queue_place]));
  const [third, fourth, fifth, late] = waiting.map((id) => places.get(id));
  expect([fifth, ids.map((id) => places.get(id))]).toEqual([4, [null, null]]);
  // The one turn of the other user is the first or the second; the second one of the first user never comes before it.
  expect([[third, late].sort(), fourth]).toEqual([[1, 2], 3]);
  const answer = await why(ada, waiting[2]!);
  expect(answer).toMatchObject({ cause: 'no_slot', answer: expect.stringMatching(/3 terminals go before it/) });
  expect(JSON.stringify(answer)).not.toMatch(/Bob|Late/);
  // The order is that in which they get their slots.
  await server.query('update hosts set capacity = 3 where id = $1', [host.id]);
  const next = waiting.find((id) => places.get(id) === 1)!;
  await expect
    .poll(() => server.query('select id from terminals where host_id is not null and id = any($1)', [waiting]), {
      timeout: 20_000,
    })
    .toEqual([{ id: next }]);
  expect((await why(waiting.indexOf(next) === 3 ? bob : ada, next)).cause ?? 'none').not.toBe('no_slot');
});

it('a region without a host for the platform is named, with a next step for each reader', async () => {
  const id = await create(bob, 'Far away', 2);
  expect(await why(bob, id)).toMatchObject({
    cause: 'no_host',
    answer: expect.stringMatching(/^No host in .+ runs sandbox terminals\.$/),
  });
  const { body } = await server.request('GET', `/v1/operator/terminals/${id}/why`, { token: operator.token });
  const wrong = (body.data as TerminalWhy).chain.find(({ ok }) => ok === false);
  expect(wrong).toMatchObject({ check: 'region', next_step: expect.stringMatching(/script\/agent/) });
});

it('a task that runs, and what the last one said, are part of the answer, but not what others of the terminal did', async () => {
  const id = await create(bob, 'Busy', 1);
  const elsewhere = await TestHost.enrol(server, { name: 'elsewhere', region: 1 });
  await server.query(
    `update terminals set host_id = $2, waiting_since = null, status = ${TerminalStatus.STOPPED}, status_reason = 'stopped'
     where id = $1`,
    [id, elsewhere.id],
  );
  await server.query('update tasks set status = 6, finished_at = now() where terminal_id = $1', [id]);
  const add = (type: number, finished: string, code: string | null) =>
    server.query(
      `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at, result)
       select gen_random_uuid(), user_id, host_id, id, $2::smallint, case when $3::timestamptz is null then 0 else 5 end,
         $3::timestamptz, jsonb_build_object('status', 1, 'runner_result', jsonb_build_array(
           jsonb_build_object('code', $4::text, 'message', 'The host lacks memory.')))
       from terminals where id = $1`,
      [id, type, finished === '' ? null : finished, code],
    );
  expect((await why(bob, id)).cause).toBe('stopped');
  await add(TaskType.TERMINAL_START, '2026-01-01T00:00:00Z', 'E_MEMORY');
  await server.query(
    `update tasks set finished_at = now() + interval '1 second' where terminal_id = $1 and type = 103`,
    [id],
  );
  await add(TaskType.EA_LOGS, '2027-01-01T00:00:00Z', 'E_FILE');
  const failed = await why(bob, id);
  expect(failed).toMatchObject({ cause: 'task_failed', answer: 'The start failed.' });
  expect(failed.chain.find(({ ok }) => ok === false)?.message).toBe('The host lacks memory. (E_MEMORY)');
  await add(TaskType.TERMINAL_START, '', null);
  expect(await why(bob, id)).toMatchObject({ cause: 'task_open', answer: 'The start waits for its turn.' });
});

it('an operator lists the terminals of all users, finds them by name, user, host and status, and goes through them', async () => {
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);
  const all = await list('?per_page=100');
  expect(all.length).toBeGreaterThan(6);
  const mine = all.filter(({ user }) => user.id === bob.user.id);
  const [late] = mine.filter(({ name }) => name === 'Late');
  expect(late).toMatchObject({ user: { name: 'Bob Marsh', email: bob.user.email }, platform: 'sandbox', region: 0 });
  expect(Object.keys(late!).sort()).toEqual(
    [
      ...['created_at', 'host', 'id', 'name', 'platform', 'queue_place', 'region', 'since', 'status', 'status_name'],
      ...['status_reason', 'user'],
    ].sort(),
  );
  expect(await ids('?search=LATE')).toEqual([late!.id]);
  expect(await ids(`?search=${encodeURIComponent(bob.user.email)}&per_page=100`)).toEqual(mine.map(({ id }) => id));
  expect(await ids('?search=%25')).toEqual([]);
  expect(await ids(`?user_id=${bob.user.id}&per_page=100`)).toEqual(mine.map(({ id }) => id));
  expect((await list(`?host_id=${host.id}`)).map((row) => row.host?.id)).toEqual([host.id, host.id, host.id]);
  expect(await ids('?user_id=nobody')).toEqual([]);
  expect((await list('?status=stopped')).map(({ name }) => name)).toEqual(['Busy']);
  const seen: string[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const { body } = await server.request('GET', `/v1/operator/terminals?per_page=2&after=${after}`, {
      token: operator.token,
    });
    seen.push(...(body.data as OperatorTerminal[]).map(({ id }) => id));
    after = (body.pagination as { next_cursor: string | null }).next_cursor;
  }
  expect(seen).toEqual(all.map(({ id }) => id));
});
