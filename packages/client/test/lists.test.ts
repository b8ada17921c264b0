/** Loops over whole lists that change what they go through: on a real server, more than a page of each. */
import { TaskType, TerminalStatus } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { Berth, TaskStatus } from '../src/index.ts';

/** More than a page, and not a multiple of one. */
const COUNT = 146;

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let berth: Berth;
let userId: string;
let terminalId: string;

const fill = (text: string, values: unknown[] = []) => server.query(text, [COUNT, ...values]);

beforeAll(async () => {
  const { token, user } = await server.registerOperator();
  userId = user.id;
  berth = new Berth({ baseUrl: server.url, token });
  const order = { server_name: 'Harbour-Demo', login: '50018233', password: 'secret', region: 3 };
  terminalId = (await berth.terminals.create(order)).id;
});

/** Goes through a list and does something with each item; answers how many different ones, and how many at all. */
const walk = async <Item extends { id: string | number }>(
  list: AsyncIterable<Item>,
  change: (item: Item) => Promise<unknown>,
): Promise<[number, number]> => {
  const seen: (string | number)[] = [];
  for await (const item of list) {
    seen.push(item.id);
    await change(item);
  }
  return [new Set(seen).size, seen.length];
};

it('a loop sees every unread notification while it marks each one read', async () => {
  // All at one moment: the id decides.
  await fill(
    `insert into notifications (id, user_id, type) select gen_random_uuid(), $2, 'TaskFailed' from generate_series(1, $1::int)`,
    [userId],
  );
  const seen = await walk(berth.account.notifications.list({ unread: true }), ({ id }) =>
    berth.account.notifications.read(id),
  );
  expect(seen).toEqual([COUNT, COUNT]);
  expect(await berth.account.notifications.list({ unread: true }).toArray()).toEqual([]);
});

it('a loop sees every waiting task while it cancels each one, of the account and of one terminal', async () => {
  for (const list of [
    () => berth.tasks.ofAccount({ status: ['PENDING'], type: ['MARKET_WATCH_SHOW_ALL'] }),
    () => berth.tasks.list(terminalId, { status: 'PENDING', type: 'MARKET_WATCH_SHOW_ALL' }),
  ]) {
    await fill(
      `insert into tasks (id, user_id, terminal_id, type, planned_at)
       select gen_random_uuid(), $2, $3, ${TaskType.MARKET_WATCH_SHOW_ALL}, now() + interval '1 day' from generate_series(1, $1::int)`,
      [userId, terminalId],
    );
    expect(await walk(list(), ({ id }) => berth.tasks.cancel(terminalId, id))).toEqual([COUNT, COUNT]);
    expect(await list().toArray()).toEqual([]);
  }
});

it('a loop sees every terminal while it deletes each one, in any order', async () => {
  const { id: projectId } = await berth.projects.create({ name: 'Sorted' });
  for (const sort_by of ['created_at', 'name', 'server_name', 'login', 'status'] as const) {
    for (const sort_direction of ['asc', 'desc'] as const) {
      await fill(
        `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
         select gen_random_uuid(), $2, $3, 0, 'sandbox', 'Näme ' || n % 7, 'Server ' || n % 3, n::text,
           (array[${TerminalStatus.STOPPED}, ${TerminalStatus.FAILED}])[1 + n % 2] from generate_series(1, $1::int) as n`,
        [userId, projectId],
      );
      const list = () => berth.terminals.list({ project_id: projectId, sort_by, sort_direction });
      const seen = await walk(list(), ({ id }) =>
        server.query('update terminals set deleted_at = now(), status = $2 where id = $1', [
          id,
          TerminalStatus.DESTROYED,
        ]),
      );
      expect([sort_by, sort_direction, ...seen]).toEqual([sort_by, sort_direction, COUNT, COUNT]);
      expect(await list().toArray()).toEqual([]);
    }
  }
});

it('a loop sees every token, file and project while it deletes each one', async () => {
  await fill(
    `insert into tokens (user_id, name, abilities, secret_hash) select $2, 'made', '{*}', 'x' from generate_series(1, $1::int)`,
    [userId],
  );
  const seen = { tokens: 0, files: 0, projects: 0 };
  for await (const { id, name } of berth.account.tokens.list()) {
    if (name !== 'made') continue;
    seen.tokens += 1;
    await berth.account.tokens.delete(id);
  }
  await fill(
    `insert into files (id, user_id, name, type, size, sha256, content)
     select gen_random_uuid(), $2, 'x', 'x', 1, 'x', 'x' from generate_series(1, $1::int)`,
    [userId],
  );
  for await (const { id } of berth.files.list()) {
    seen.files += 1;
    await berth.files.delete(id);
  }
  await fill(
    `insert into projects (id, user_id, name) select gen_random_uuid(), $2, 'p' from generate_series(1, $1::int)`,
    [userId],
  );
  for await (const { id } of berth.projects.list({ search: 'p' })) {
    const isGone = await berth.projects.delete(id).then(
      () => true,
      () => false,
    );
    seen.projects += Number(isGone);
  }
  // "Sorted" has no terminal any more and no "p"; the default project stays.
  expect(seen).toEqual({ tokens: COUNT, files: COUNT, projects: COUNT });
});

it('a loop sees every session while it ends each one', async () => {
  await fill(
    `insert into tokens (user_id, name, abilities, secret_hash, is_login, is_session, device, expires_at)
     select $2, 'Login', '{*}', 'x', true, true, 'A browser', now() + interval '1 day' from generate_series(1, $1::int)`,
    [userId],
  );
  expect(await walk(berth.account.sessions.list(), ({ id }) => berth.account.sessions.delete(id))).toEqual([
    COUNT,
    COUNT,
  ]);
});

it('a loop sees every terminal of a host while they leave it, and every host while they come and go', async () => {
  const host = await TestHost.enrol(server, { region: 0 });
  await fill(
    `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), $2, default_project_id, $3, 0, 'sandbox', 'n', 's', n::text, ${TerminalStatus.ACTIVE}
     from users cross join generate_series(1, $1::int) as n where users.id = $2`,
    [userId, host.id],
  );
  const leave = ({ id }: { id: string }) => server.query('update terminals set host_id = null where id = $1', [id]);
  expect(await walk(berth.operator.hosts.listTerminals(host.id), leave)).toEqual([COUNT, COUNT]);
  await fill(
    `insert into hosts (id, region_id, name, platforms, capacity) select gen_random_uuid(), 1, 'h', '{sandbox}', 1 from generate_series(1, $1::int)`,
  );
  const remove = ({ id, name }: { id: string; name: string }) =>
    name === 'h' ? server.query('delete from hosts where id = $1', [id]) : Promise.resolve();
  expect(await walk(berth.operator.hosts.list(), remove)).toEqual([COUNT + 1, COUNT + 1]);
});

it('tasks are read by their ids, newest first, up to a hundred at once', async () => {
  const ids = (await berth.tasks.ofAccount().toArray()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2 * COUNT + 1);
  const asked = [ids[0]!, ids[99]!, ids[200]!];
  expect((await berth.tasks.byIds(asked.toReversed())).map(({ id }) => id)).toEqual(asked);
  expect(await berth.tasks.byIds(ids.slice(0, 100))).toHaveLength(100);
  expect(await berth.tasks.byIds([])).toEqual([]);
  expect((await berth.tasks.byIds(asked))[0]).toMatchObject({ status: TaskStatus.CANCELED });
});
