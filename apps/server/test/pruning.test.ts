/** What is over goes, in steps, whatever there is of it; what is not over stays; one kind that fails holds up no other. */
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { insertNotifications } from '../src/notifications/queries.ts';

const server = useTestServer();
let user: { id: string; token: string };
beforeAll(async () => {
  const { user: owner, token } = await server.register('Owner');
  user = { id: owner.id, token };
  await query(`create function old_id(days int) returns uuid language sql as $$
    select (lpad(to_hex(((extract(epoch from now()) - days * 86400) * 1000)::bigint), 12, '0')
      || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid $$`);
});
beforeEach(() => query('truncate tasks, terminals, notifications cascade'));

const query: TestServer['query'] = (text, values) => server.query(text, values);

const count = async (table: string): Promise<number> =>
  (await query(`select count(*)::int as total from ${table}`))[0]!.total as number;

const insertTerminals = (total: number, days: number | null): Promise<unknown> =>
  query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status, host_id, deleted_at)
     select gen_random_uuid(), $1, default_project_id, 0, 'sandbox', 'n', 's', '1', 7, null, now() - $3::int * interval '1 day'
     from users cross join generate_series(1, $2::int) where users.id = $1`,
    [user.id, total, days],
  );

/** Tasks of all terminals that there are. @param days ago that they were created and, unless they are open, ended */
const insertTasks = (each: number, days: number, isOpen = false): Promise<unknown> =>
  query(
    `insert into tasks (id, user_id, terminal_id, type, status, finished_at, created_at)
     select old_id($2), user_id, id, 5, case when $3 then 0 else 4 end,
       case when $3 then null else now() - $2 * interval '1 day' end, now() - $2 * interval '1 day'
     from terminals cross join generate_series(1, $1::int)`,
    [each, days, isOpen],
  );

it('pruning removes ended tasks of living terminals after 90 days with their history, in more than one step', async () => {
  await insertTerminals(50, null);
  await insertTasks(100, 91);
  await insertTasks(2, 89);
  await insertTasks(1, 200, true);
  await server.prune();
  expect(await count('tasks')).toBe(150);
  expect(await count('terminals')).toBe(50);
});

it('pruning removes a terminal that was destroyed 30 days ago, however many tasks it had, and no other', async () => {
  await insertTerminals(120, 31);
  await insertTasks(40, 32);
  await query(
    `insert into terminal_secrets (terminal_id, field, sealed) select id, 'password', 'x' from terminals limit 1`,
  );
  await insertTerminals(1, 29);
  await server.prune();
  expect(
    await query("select count(*)::int as total, min(deleted_at) > now() - interval '30 days' as is_new from terminals"),
  ).toEqual([{ total: 1, is_new: true }]);
  expect(await count('tasks')).toBe(0);
});

it('pruning removes notifications after 90 days, and goes on where one kind fails', async () => {
  await query(
    `insert into notifications (id, user_id, type, created_at)
       select old_id(d), $1, 'TaskFailed', now() - d * interval '1 day' from unnest('{91,91,89}'::int[]) as d`,
    [user.id],
  );
  await insertTerminals(1, 31);
  await query('alter table idempotency_keys rename to keys_away; alter table event_watchers rename to watchers_away');
  try {
    await server.prune();
  } finally {
    await query('alter table keys_away rename to idempotency_keys; alter table watchers_away rename to event_watchers');
  }
  expect([await count('notifications'), await count('terminals')]).toEqual([1, 0]);
});

const list = async () =>
  (await server.request('GET', '/v1/my/account/notifications', { token: user.token })).body.data as {
    id: string;
    data: object;
    read_at: string | null;
  }[];
const notify = (type: 'TerminalDisconnected' | 'TerminalReady', id: string) =>
  insertNotifications(server.services.db, [{ userId: user.id, type, id, name: 'Mine' }]);

it('notifications of one kind about one thing are one with a count within five minutes, unread again, and then another one', async () => {
  await notify('TerminalDisconnected', 'a');
  expect(await list()).toMatchObject([{ data: { id: 'a', name: 'Mine' } }]);
  expect((await list())[0]!.data).not.toHaveProperty('count');
  const [first] = await list();
  await server.request('POST', `/v1/my/account/notifications/${first!.id}/read`, { token: user.token });
  for (const id of ['a', 'b', 'a']) await notify('TerminalDisconnected', id);
  await notify('TerminalReady', 'a');
  const notifications = await list();
  expect(notifications).toHaveLength(3);
  expect(notifications.find(({ id }) => id === first!.id)).toMatchObject({
    data: { id: 'a', name: 'Mine', count: 3 },
    read_at: null,
  });
  await query(`update notifications set created_at = now() - interval '6 minutes'`);
  await notify('TerminalDisconnected', 'a');
  expect((await list()).filter(({ data }) => !('count' in data))).toHaveLength(3);
});
