/** The list of all tasks where a run on many terminals is one entry. */
import { TaskType, type Task } from '@berth/contract';
import { insertTerminals, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const FOLDED = '/v1/my/tasks?one_per_run=true';
const shots = { type: TaskType.SCREENSHOT };

const createOwner = async (terminals: number) => {
  const { token, user } = await server.register('Owner');
  const ids = await insertTerminals(server, user.id, { count: terminals });
  const post = async (path: string, body: unknown) => (await server.request('POST', path, { token, body })).body;
  const get = (path: string) => server.request('GET', path, { token });
  const run = async (): Promise<string> =>
    (await post('/v1/my/trading/terminals/bulk/tasks', { all: true, ...shots })).run_id;
  const single = async (): Promise<string> => (await post(`/v1/my/trading/terminals/${ids[0]}/tasks`, shots)).data.id;
  return { ids, get, run, single };
};

const toEntry = ({ id, run }: Task): string => run?.id ?? id;

it('a run is one entry of the list of tasks, with how it stands, and is counted once', async () => {
  const owner = await createOwner(3);
  const [first, early, second, late] = [
    await owner.single(),
    await owner.run(),
    await owner.single(),
    await owner.run(),
  ];
  const { data, pagination } = (await owner.get(FOLDED)).body;
  expect(data.map(toEntry)).toEqual([late, second, early, first]);
  expect(data[0].run).toMatchObject({ total: 3, in_progress: 3, type: TaskType.SCREENSHOT });
  expect(data[1]).not.toHaveProperty('run');
  expect(pagination).toMatchObject({ total: 4, is_total_exact: true });
  const all = (await owner.get('/v1/my/tasks')).body;
  expect([all.pagination.total, all.data.some((task: Task) => task.run)]).toEqual([8, false]);

  const rest = (await owner.get(`${FOLDED}&type=6&per_page=2&page=2`)).body;
  expect(rest.data.map(toEntry)).toEqual([early, first]);
  expect((await owner.get(`${FOLDED}&type=5`)).body.data).toEqual([]);
  const entries: string[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const page: { data: Task[]; pagination: { next_cursor: string | null } } = (
      await owner.get(`${FOLDED}&per_page=1&after=${after}`)
    ).body;
    entries.push(...page.data.map(toEntry));
    after = page.pagination.next_cursor;
  }
  expect(entries).toEqual([late, second, early, first]);
});

it('the runs of another user change nothing in the list', async () => {
  const [owner, stranger] = [await createOwner(2), await createOwner(2)];
  const mine = await owner.run();
  await stranger.run();
  expect((await owner.get(FOLDED)).body.data.map(toEntry)).toEqual([mine]);
});

it('a filter that the first task of a run may not match is refused beside it', async () => {
  const owner = await createOwner(1);
  for (const filter of [
    'status=5',
    `terminal_id=${owner.ids[0]}`,
    `project_id=${owner.ids[0]}`,
    `ids=${owner.ids[0]}`,
  ]) {
    const { status, body } = await owner.get(`${FOLDED}&${filter}`);
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [filter.split('=')[0]]]);
  }
});
