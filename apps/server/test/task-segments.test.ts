/** The counts of long lists are those of the rows, whatever happens to the tasks while they are counted, and afterwards. */
import { MAX_COUNTED_ROWS } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { isDeadlock, withClient, useTestServer } from '@berth/testing';
import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { listStatements } from '../src/db/statement.ts';
import { TaskSegments } from '../src/tasks/segments.ts';

const server = useTestServer();

const log = createLogger({ name: 'test', level: 'silent' });
const createSegments = () =>
  new TaskSegments({ db: server.services.db, log, stopping: new AbortController().signal, segmentTasks: 20 });

const getText = (name: string): string => listStatements().find((statement) => statement.name === name)!.text;

/** Segments with counts that are not those of their rows. One statement, so one moment. */
const wrongText = `
  with counted as (
    select s.*, coalesce(
      (select min(first_seq) from task_segments n where n.list_id = s.list_id and n.first_seq > s.first_seq), 0
    ) as end_seq
    from task_segments s where counts is not null
  ), row_counts as (
    select c.list_id, c.first_seq, tm.project_id, t.type, t.status, count(*)::int as total
    from counted c
    join tasks t on (t.user_id = c.list_id or t.terminal_id = c.list_id) and t.seq >= c.first_seq and t.seq < c.end_seq
    join terminals tm on tm.id = t.terminal_id
    group by c.list_id, c.first_seq, tm.project_id, t.type, t.status
  ), kept as (
    select list_id, first_seq, null::uuid as project_id, n.type, n.status, n.total from counted cross join unnest(counts) n
    union all
    select list_id, first_seq, n.project_id, n.type, n.status, n.total from counted cross join unnest(project_counts) n
  ), true_counts as (
    -- A terminal's list is not counted by projects.
    select list_id, first_seq, null::uuid as project_id, type, status, sum(total)::int from row_counts group by 1, 2, 4, 5
    union all
    select r.* from row_counts r join counted using (list_id, first_seq)
    where project_counts is not null and exists (select from users where id = list_id)
  )
  (select * from kept except select * from true_counts) union all (select * from true_counts except select * from kept)`;

const countCounted = async (): Promise<number> =>
  (await server.query('select count(*)::int as total from task_segments where counts is not null'))[0]!.total as number;

const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const other = (await server.request('POST', '/v1/my/projects', { token, body: { name: 'Other' } })).body.data;
  const made = await server.query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', n, 'Demo', n, 3
     from users u cross join generate_series(1, $2::int) n where u.id = $1 returning id`,
    [user.id, terminals],
  );
  return { token, user, other, terminals: made.map(({ id }) => id as string) };
};

/** On random terminals; of each three two are planned for tomorrow, and one ended long ago. `$2`: where its number is not the next. */
const toInsertText = (seq: string): string =>
  `insert into tasks (id, seq, user_id, terminal_id, type, status, planned_at, finished_at, created_at) overriding system value
   select (lpad(to_hex(((extract(epoch from now()) - 200 * 86400) * 1000)::bigint), 12, '0')
       || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
     ${seq}, user_id, id, 5 + n % 2, case n when 3 then 4 else 0 end, now() + interval '1 day',
     case n when 3 then now() - interval '200 days' end, now() - interval '200 days'
   from (select id, user_id from terminals where user_id = $1 order by random() limit 3) tm cross join generate_series(1, 3) n`;
const insertText = toInsertText(`nextval(pg_get_serial_sequence('tasks', 'seq'))`);
const insertLateText = toInsertText(
  '(select min(seq) + (random() * (max(seq) - min(seq)))::int from tasks where user_id = $1)',
);
const toSome = (condition: string, limit: number): string =>
  `id in (select id from tasks where user_id = $1 and ${condition} order by random() limit ${limit} for update skip locked)`;
const endText = `update tasks set status = 6, finished_at = now() where ${toSome('status = 0', 3)}`;
const deleteText = `delete from tasks where ${toSome('true', 2)}`;
const moveText = `update terminals set project_id = case when project_id = $2 then (select default_project_id from users where id = $1)
  else $2 end where id = (select id from terminals where user_id = $1 order by random() limit 1)`;

/** What a storm is made of: each in a transaction of its own that takes a moment, and is now and then given up or killed. */
const ROUNDS = 40;

const transact = async (client: Client, text: string, values: unknown[], end: string): Promise<void> => {
  try {
    await client.query('begin');
    await client.query(text, values);
    await client.query('select pg_sleep(random() * 0.01)');
    await client.query(end);
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    await client.query('rollback');
  }
};

const blow = (text: string, values: unknown[]): Promise<void> =>
  withClient(server.databaseUrl, async (client) => {
    for (let round = 1; round <= ROUNDS; round += 1)
      await transact(client, text, values, round % 5 === 0 ? 'rollback' : 'commit');
  });

/** The server of the database notices that a connection broke, as after a kill. */
const blowAndBreak = async (text: string, values: unknown[]): Promise<void> => {
  for (let round = 1; round <= ROUNDS / 6; round += 1)
    await withClient(server.databaseUrl, async (client) => {
      client.on('error', () => undefined);
      await transact(client, text, values, 'select 1');
      await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    });
};

it('the counts stay right through a storm of creations, ends, removals, moves, broken connections and counts', async () => {
  const { token, user, other, terminals } = await createOwner(4);
  await withClient(server.databaseUrl, async (client) => {
    for (let round = 0; round < 40; round += 1) await client.query(insertText, [user.id]);
  });
  let isOver = false;
  const own = [user.id];
  const lists = [{ userId: user.id }, { userId: user.id, terminalId: terminals[0]! }];
  const watch = async (segments: TaskSegments) => {
    while (!isOver) for (const list of lists) await segments.bringUpToDate(list);
  };
  const check = async () => {
    while (!isOver) expect(await server.query(wrongText)).toEqual([]);
  };
  for (const list of lists) await createSegments().bringUpToDate(list);
  expect(await countCounted()).toBeGreaterThan(10);
  const watching = Promise.all([watch(createSegments()), watch(createSegments()), check()]);
  watching.catch(() => undefined);
  try {
    await Promise.all([
      ...[blow(insertText, own), blow(insertText, own), blow(insertLateText, own), blow(endText, own)],
      ...[blow(deleteText, own), blow(moveText, [user.id, other.id])],
      blow(getText('prune_tasks'), [2, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 90]),
      ...[blowAndBreak(deleteText, own), blowAndBreak(endText, own), blowAndBreak(insertLateText, own)],
    ]);
  } finally {
    isOver = true;
  }
  await watching;
  const [touched] = await server.query('select count(*)::int as total from task_segments where touched > 0');
  expect(touched!.total).toBeGreaterThan(10);
  for (const list of lists) await createSegments().bringUpToDate(list);
  expect(await server.query(wrongText)).toEqual([]);
  const uncounted = await server.query(
    'select list_id, count(*)::int as total from task_segments where counts is null or project_counts is null group by list_id',
  );
  // The newest of each list.
  expect(uncounted.map(({ total }) => total)).toEqual([1, 1]);
  const [row] = await server.query(
    `select count(*)::int as all, count(*) filter (where t.status = 6)::int as canceled,
       count(*) filter (where tm.project_id = $2)::int as other
     from tasks t join terminals tm on tm.id = t.terminal_id where t.user_id = $1`,
    [user.id, other.id],
  );
  const getTotal = async (query: string) =>
    (await server.request('GET', `/v1/my/tasks?per_page=1${query}`, { token })).body.pagination.total as number;
  expect({
    all: await getTotal(''),
    canceled: await getTotal('&status=6'),
    other: await getTotal(`&project_id=${other.id}`),
  }).toEqual(row);
});

it('divides a list that is read, and does not show a stranger what a terminal has', async () => {
  const { token, user, terminals } = await createOwner(1);
  const stranger = await server.register('Stranger');
  await server.query(
    `insert into tasks (id, user_id, terminal_id, type, status, finished_at)
     select gen_random_uuid(), $1, $2, 5, 4, now() from generate_series(1, 13000)`,
    [user.id, terminals[0]],
  );
  const path = `/v1/my/tasks?terminal_id=${terminals[0]}&per_page=2`;
  const read = async (page: number, as = token) => {
    const { data, pagination } = (await server.request('GET', `${path}&page=${page}`, { token: as })).body;
    return { ids: (data as { id: string }[]).map(({ id }) => id), total: pagination.total as number };
  };
  const before = [await read(1), await read(3250), await read(6500)];
  await server.services.taskSegments.settled();
  expect(await countCounted()).toBeGreaterThanOrEqual(2);
  expect([await read(1), await read(3250), await read(6500)]).toEqual(before);
  // All are counted, and as many are said as lists count.
  expect(before[0]!.total).toBe(MAX_COUNTED_ROWS);
  expect(await read(1, stranger.token)).toEqual({ ids: [], total: 0 });
});
