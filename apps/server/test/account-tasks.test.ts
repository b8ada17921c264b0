/** The tasks of all terminals of an account, by every kind of filter that has an index of its own. */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { TaskSegments } from '../src/tasks/segments.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
beforeAll(async () => {
  // The second owner's tasks have numbers of three digits and of four: as texts they would be in another order.
  await server.query(`select setval(pg_get_serial_sequence('tasks', 'seq'), 819)`);
});

interface Listed {
  id: string;
  type: TaskType;
  status: TaskStatus;
  terminal_id: string;
}

/** Tasks in every status and of three types on five terminals, of which two are in a second project and one is without a host. */
const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const project = (await server.request('POST', '/v1/my/projects', { token, body: { name: 'Gold' } })).body.data;
  await server.query(
    `insert into hosts (id, region_id, name, platforms, capacity) values ($1, 0, 'h', '{sandbox}', 10) on conflict do nothing`,
    [user.id],
  );
  await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), u.id, case when n > 3 then $2::uuid else u.default_project_id end,
       case when n > 1 then $1::uuid end, 0, 'sandbox', n, 'Demo', n, 3
     from users u cross join generate_series(1, 5) n where u.id = $1`,
    [user.id, project.id],
  );
  await server.query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status, planned_at, finished_at, result)
     select gen_random_uuid(), $1, tm.host_id, tm.id, k.type, s.status,
       -- Planned for later, so that the running server leaves it where it is.
       case when s.status = ${TaskStatus.PENDING} then now() + interval '1 day' end,
       case when s.status >= ${TaskStatus.COMPLETED} then now() end,
       case when s.status >= ${TaskStatus.COMPLETED} then jsonb_build_object('runner_result', '[]'::jsonb, 'status', (s.status <> ${TaskStatus.COMPLETED})::int) end
     from terminals tm cross join generate_series(0, 7) as s (status)
     cross join unnest(array[5, 6, 12]::smallint[]) as k (type) where tm.user_id = $1
     order by md5(tm.id::text || s.status || k.type)`,
    [user.id],
  );
  const rows = (await server.query(
    `select t.id, t.type, t.status, t.terminal_id, tm.project_id from tasks t join terminals tm on tm.id = t.terminal_id
     where t.user_id = $1 order by t.seq desc`,
    [user.id],
  )) as (Listed & { project_id: string })[];
  const get = (query: string) => server.request('GET', `/v1/my/tasks${query}`, { token });
  return { token, user, project, rows, get };
};

/** Every page of the list, put together. */
const readAll = async (get: (query: string) => ReturnType<TestServer['request']>, query: string) => {
  const found: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await get(`?${query}&per_page=7&page=${page}`);
    expect([status, body.ok]).toEqual([200, true]);
    found.push(...(body.data as Listed[]));
    const { total, next_page_url: next } = body.pagination as { total: number; next_page_url: string | null };
    if (next === null) return { ids: found.map(({ id }) => id), total };
  }
};

it.each([
  ['counted as they are read', false],
  ['counted in segments', true],
])(
  'the tasks of an account are chosen by status, type, terminal and project, newest first, page after page, and %s',
  async (_, isDivided) => {
    const { rows, get, project, user, token } = await createOwner();
    if (isDivided) {
      const segments = new TaskSegments({ ...server.services, segmentTasks: 9 });
      await segments.bringUpToDate({ userId: user.id });
      await segments.bringUpToDate({ userId: user.id, terminalId: rows[0]!.terminal_id });
      const divided = 'select counts, project_counts from task_segments where list_id = any($1) and counts is not null';
      expect(await server.query(divided, [[user.id, rows[0]!.terminal_id]])).toHaveLength(12 + 1);
    }
    const terminalId = rows[0]!.terminal_id;
    type Row = (typeof rows)[number];
    const is =
      (statuses: number[], types: number[] = [5, 6, 12]) =>
      (row: Row) =>
        statuses.includes(row.status) && types.includes(row.type);
    const everything = [0, 1, 2, 3, 4, 5, 6, 7];
    const wanted: [string, (row: Row) => boolean][] = [
      ['', () => true],
      ['status=4', is([4])],
      ['status=5', is([5])],
      ['status=5,6,7', is([5, 6, 7])],
      ['status=5,4', is([5, 4])],
      ['status=0, 3', is([0, 3])],
      ['status=2,5', is([2, 5])],
      ['type=6', is(everything, [6])],
      ['type=6,12', is(everything, [6, 12])],
      ['type=14', () => false],
      ['status=7&type=5,6', is([7], [5, 6])],
      ['status=1&type=5', is([1], [5])],
      [`terminal_id=${terminalId}`, (row) => row.terminal_id === terminalId],
      [
        `terminal_id=${terminalId}&status=5`,
        (row) => row.terminal_id === terminalId && row.status === TaskStatus.FAILED,
      ],
      [`project_id=${project.id}`, (row) => row.project_id === project.id],
      [`project_id=${project.id}&status=3&type=12`, (row) => row.project_id === project.id && is([3], [12])(row)],
      [
        `project_id=${project.id}&terminal_id=${terminalId}`,
        (row) => row.project_id === project.id && row.terminal_id === terminalId,
      ],
      ['terminal_id=nonsense', () => false],
      ['project_id=nonsense', () => false],
    ];
    for (const [query, isWanted] of wanted) {
      const ids = rows.filter(isWanted).map(({ id }) => id);
      expect([query, await readAll(get, query)]).toEqual([query, { ids, total: ids.length }]);
    }
    const beyond = await get('?per_page=7&page=100');
    expect([beyond.body.data, beyond.body.pagination]).toMatchObject([[], { total: rows.length }]);
    const getOf = (query: string) =>
      server.request('GET', `/v1/my/trading/terminals/${terminalId}/tasks${query}`, { token });
    for (const [query, isWanted] of [
      ['', () => true],
      ['status=5', is([5])],
      ['status=4&type=12', is([4], [12])],
    ] as [string, (row: Row) => boolean][]) {
      const ids = rows.filter((row) => row.terminal_id === terminalId && isWanted(row)).map(({ id }) => id);
      expect([query, await readAll(getOf, query)]).toEqual([query, { ids, total: ids.length }]);
    }
  },
);

it('the tasks of an account are what the list of the terminal shows', async () => {
  const { token, get } = await createOwner();
  const { data } = (await get('?per_page=1')).body as { data: [Listed] };
  const path = `/v1/my/trading/terminals/${data[0].terminal_id}/tasks/${data[0].id}`;
  expect((await server.request('GET', path, { token })).body.data.task).toEqual(data[0]);
});

it('the tasks of an account have the names of their terminals where one asks for them, also of one that is deleted', async () => {
  const { get, rows, user } = await createOwner();
  await server.query(`update terminals set name = 'Gone <b>', deleted_at = now(), status = $2 where id = $1`, [
    rows[0]!.terminal_id,
    TerminalStatus.DESTROYED,
  ]);
  const names = new Map(
    (
      (await server.query('select id, name from terminals where user_id = $1', [user.id])) as Record<string, string>[]
    ).map(({ id, name }) => [id, name]),
  );
  const { data } = (await get('?per_page=100&include=terminal')).body as { data: Record<string, string>[] };
  expect(data.length).toBe(100);
  expect(data.map((task) => task.terminal_name)).toEqual(data.map((task) => names.get(task.terminal_id)));
  expect(new Set(data.map((task) => task.terminal_name))).toContain('Gone <b>');
  expect(Object.keys((await get('?per_page=1')).body.data[0])).not.toContain('terminal_name');
});

it('the tasks of an account are nobody else’s', async () => {
  const [owner, stranger] = [await createOwner(), await createOwner()];
  const foreign = owner.rows[0]!.terminal_id;
  const own = new Set(stranger.rows.map(({ id }) => id));
  for (const query of ['', 'status=0,1', 'status=5', 'status=4']) {
    const { ids } = await readAll(stranger.get, query);
    expect(ids.filter((id) => !own.has(id))).toEqual([]);
  }
  for (const query of [`terminal_id=${foreign}`, `project_id=${owner.project.id}`]) {
    expect(await readAll(stranger.get, query)).toEqual({ ids: [], total: 0 });
  }
});

it('the tasks of an account come in slices where they are longer than one', async () => {
  const { get, user, rows } = await createOwner();
  await server.query(
    `update tasks set result = jsonb_build_object('status', 0, 'runner_result', jsonb_build_array(jsonb_build_object(
         'step', 'read', 'ok', true, 'code', null, 'message', '', 'at', '2026-01-01T00:00:00Z',
         'data', jsonb_build_object('lines', jsonb_build_array(repeat('x', 400000)), 'truncated', false))))
       where user_id = $1 and type = ${TaskType.EA_LOGS} and status = ${TaskStatus.COMPLETED}`,
    [user.id],
  );
  const answer = await get('?type=5&status=4');
  expect(answer.headers.get('content-length')).toBeNull();
  expect((answer.body.data as Listed[]).map(({ id }) => id)).toEqual(
    rows.filter(({ type, status }) => type === TaskType.EA_LOGS && status === TaskStatus.COMPLETED).map(({ id }) => id),
  );
  expect(answer.body.pagination.total).toBe(5);
});

it.each([
  ['status=8', 'status'],
  ['status=a', 'status'],
  ['status=1,,2', 'status'],
  ['type=15', 'type'],
  ['type=-1', 'type'],
  ['per_page=101', 'per_page'],
  ['page=0', 'page'],
  ['include=details', 'include'],
  [`terminal_id=${'a'.repeat(256)}`, 'terminal_id'],
])('the tasks of an account are not listed by %s', async (query, field) => {
  const { token } = await server.register('Wrong');
  const answer = await server.request('GET', `/v1/my/tasks?${query}`, { token });
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
});
