/** Lists that are counted up to a bound: the rows beyond it are there, but no total includes them. */
import { randomUUID } from 'node:crypto';
import { MAX_COUNTED_ROWS, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let token: string;
let userId: string;
let terminalId: string;
const hostId = randomUUID();
const runId = randomUUID();
const COUNT = MAX_COUNTED_ROWS + 5;

beforeAll(async () => {
  const owner = await server.registerOperator();
  token = owner.token;
  userId = owner.user.id;
  const rows = `cross join generate_series(1, ${COUNT}) n where u.id = $1`;
  await server.query(
    `insert into hosts (id, region_id, name, platforms, capacity)
     select case n when 1 then $1::uuid else gen_random_uuid() end, 0, n, '{sandbox}', 1 from generate_series(1, ${COUNT}) n`,
    [hostId],
  );
  const terminals = await server.query(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), u.id, u.default_project_id, $2, 0, 'sandbox', n, 'Demo', n, ${TerminalStatus.ACTIVE}
     from users u ${rows} returning id`,
    [userId, hostId],
  );
  terminalId = terminals[0]!.id as string;
  const inserts = [
    `insert into files (id, user_id, name, type, size, sha256, content)
     select gen_random_uuid(), u.id, n, 'text/plain', 1, 'x', 'x' from users u ${rows}`,
    `insert into notifications (id, user_id, type) select gen_random_uuid(), u.id, 'x' from users u ${rows}`,
    `insert into bulk_runs (id, user_id, type, payload, stagger_seconds, total, finished_at)
     select gen_random_uuid(), u.id, ${TaskType.SCREENSHOT}, '{}', 0, 0, now() from users u ${rows}`,
  ];
  for (const insert of inserts) await server.query(insert, [userId]);
  await server.query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at)
     select gen_random_uuid(), u.id, $2, $3, ${TaskType.EA_LOGS}, ${TaskStatus.COMPLETED}, now() from users u ${rows}`,
    [userId, hostId, terminalId],
  );
  await server.query(
    `insert into bulk_runs (id, user_id, type, payload, stagger_seconds, total, finished_at)
     values ($2, $1, ${TaskType.SCREENSHOT}, '{}', 0, ${COUNT}, now())`,
    [userId, runId],
  );
  await server.query(
    `insert into bulk_run_items (run_id, number, terminal_id, state) select $1, n, $2, 5 from generate_series(1, ${COUNT}) n`,
    [runId, terminalId],
  );
}, 120_000);

const get = async (path: string) => (await server.request('GET', path, { token })).body;

const bounded = [
  '/v1/my/files',
  '/v1/my/tasks',
  '/v1/my/tasks?type=5',
  '/v1/my/tasks?status=4,5',
  '/v1/my/trading/bulk-runs',
  '/v1/my/trading/bulk-runs/{run}/items',
  '/v1/operator/hosts',
  '/v1/operator/hosts/{host}/terminals',
];
const toPath = (path: string, query: string): string => {
  const url = path.replace('{run}', runId).replace('{host}', hostId).replace('{terminal}', terminalId);
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
};

it.each(bounded)('%s is counted up to 10,000, and its pages go on beyond that', async (path) => {
  const first = await get(toPath(path, 'per_page=100'));
  expect(first.pagination).toMatchObject({ total: MAX_COUNTED_ROWS, is_total_exact: false, last_page: 100 });
  const last = await get(toPath(path, 'per_page=100&page=100'));
  const beyond = await get(last.pagination.next_page_url.replace(/^https?:\/\/[^/]+/, ''));
  expect(beyond.data.length).toBeGreaterThanOrEqual(5);
  expect(beyond.pagination).toMatchObject({ current_page: 101, next_page_url: null, is_total_exact: false });
});

it('a cursor goes on beyond what is counted, to the end', async () => {
  let count = 0;
  for (let after: string | null = 'start'; after !== null;) {
    const { data, pagination } = await get(toPath('/v1/my/files', `per_page=100&after=${after}`));
    count += data.length;
    after = pagination.next_cursor;
  }
  expect(count).toBe(COUNT);
});

it.each(['/v1/my/trading/terminals', '/v1/my/account/notifications', '/v1/my/trading/terminals/{terminal}/tasks'])(
  '%s is documented to count everything, and does',
  async (path) => {
    const { pagination } = await get(toPath(path, 'per_page=1'));
    expect(pagination.total).toBe(COUNT);
    expect(pagination).not.toHaveProperty('is_total_exact');
  },
);

it('a list that is not long says that its total is exact', async () => {
  const few = await server.register('Few');
  const { body } = await server.request('GET', '/v1/my/files', { token: few.token });
  expect(body.pagination).toMatchObject({ total: 0, is_total_exact: true, next_page_url: null });
});
