/** Lists of small accounts and of large ones: the same answers, by the shared connection or by the slow ones. */
import { TerminalStatus } from '@berth/contract';
import { useTestServer, type TestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { MAX_SHARED_ROWS } from '../src/db/page.ts';

const server = useTestServer();

const query: TestServer['query'] = (text, values) => server.query(text, values);

const sorts = ['created_at', 'name', 'server_name', 'login', 'status'] as const;

/** A user with a number of terminals and notifications. */
const createAccount = async (count: number) => {
  const { token, user } = await server.register(`Owner of ${count}`);
  await query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status, created_at)
     select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'terminal ' || md5(n::text), 'Server ' || n % 3, n::text,
       (array[${[TerminalStatus.ACTIVE, TerminalStatus.DISCONNECTED, TerminalStatus.FAILED].join(', ')}])[1 + n % 3], now() - n * interval '1 minute'
     from users u cross join generate_series(1, $2::int) as n where u.id = $1`,
    [user.id, count],
  );
  await query(
    `insert into notifications (id, user_id, type, created_at)
     select gen_random_uuid(), $1, 'TaskFailed', now() - n * interval '1 minute' from generate_series(1, $2::int) as n`,
    [user.id, count],
  );
  const get = async (path: string) => (await server.request('GET', path, { token })).body as Record<string, any>;
  return { get, userId: user.id };
};

it.each([0, 1, MAX_SHARED_ROWS, MAX_SHARED_ROWS + 1])(
  'lists of %i rows are whole, in order and counted',
  async (count) => {
    const { get, userId } = await createAccount(count);
    for (const column of sorts) {
      for (const direction of ['asc', 'desc']) {
        const wanted = await query(
          `select id from terminals where user_id = $1 order by ${column} ${direction}, id ${direction}`,
          [userId],
        );
        const found: string[] = [];
        for (let page = 1; page === 1 || found.length < count; page += 1) {
          const path = `/v1/my/trading/terminals?page=${page}&per_page=90&sort_by=${column}&sort_direction=${direction}`;
          const { data, pagination } = await get(path);
          expect(pagination).toMatchObject({ total: count, current_page: page });
          found.push(...(data as { id: string }[]).map(({ id }) => id));
        }
        expect(found).toEqual(wanted.map(({ id }) => id as string));
      }
    }
    const beyond = await get('/v1/my/trading/terminals?page=50&per_page=100');
    expect([beyond.data, beyond.pagination.total]).toEqual([[], count]);
    const failed = await get(`/v1/my/trading/terminals?status=${TerminalStatus.FAILED}&search=Server%201`);
    const [row] = await query(
      `select count(*)::int as total from terminals where user_id = $1 and status = $2 and server_name = 'Server 1'`,
      [userId, TerminalStatus.FAILED],
    );
    expect(failed.pagination.total).toBe(row?.total);
    const notifications = await get('/v1/my/account/notifications?page=3&per_page=90');
    expect(notifications.pagination.total).toBe(count);
    expect(notifications.data).toHaveLength(Math.min(90, Math.max(0, count - 180)));
  },
);
