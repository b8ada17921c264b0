/** How many tasks may be open on a terminal. */
import { HostStatus, MAX_OPEN_TASKS, TaskStatus, TaskType } from '@berth/contract';
import { farAhead, TestHost, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const TERMINALS = '/v1/my/trading/terminals';
const REFUSAL = 'The terminal has 1000 tasks that have not ended. Wait until some have, or cancel some.';

const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const createTerminal = async (): Promise<string> => {
    const body = { server_name: 'Demo', login: '1', password: 'secret-password', region: 0 };
    return ((await send('POST', TERMINALS, body)).body.data as { id: string }).id;
  };
  const createTask = (id: string) =>
    send('POST', `${TERMINALS}/${id}/tasks`, { type: TaskType.EA_LOGS, planned_at: farAhead });
  /** Up to so many, planned for later, beside what ended long ago. */
  const fill = (id: string, count: number) =>
    server.query(
      `insert into tasks (id, user_id, host_id, terminal_id, type, planned_at, status, finished_at)
       select gen_random_uuid(), $1, host_id, id, ${TaskType.EA_LOGS}, now() + interval '1 year', s, f
       from terminals cross join lateral (
         select ${TaskStatus.PENDING} as s, null::timestamptz as f from generate_series(
           1, $3 - (select count(*) from tasks o where o.terminal_id = terminals.id and o.finished_at is null)
         )
         union all select ${TaskStatus.COMPLETED}, now() from generate_series(1, 50)
       ) n
       where id = $2`,
      [user.id, id, count],
    );
  return { userId: user.id, send, createTerminal, createTask, fill };
};

it('a terminal takes a thousand tasks, refuses one more, and takes it once one has ended', async () => {
  const host = await TestHost.enrol(server);
  const { send, createTerminal, createTask, fill } = await createOwner();
  const [id, other] = [await createTerminal(), await createTerminal()];
  await host.installAll();
  await fill(id, MAX_OPEN_TASKS - 1);
  const last = await createTask(id);
  expect(last.body).toMatchObject({ ok: true });
  const refused = await createTask(id);
  expect([refused.status, refused.body]).toEqual([200, { ok: false, msg: REFUSAL }]);
  expect((await createTask(other)).body.ok).toBe(true);
  const bulk = await send('POST', `${TERMINALS}/bulk/tasks`, {
    terminal_ids: [id, other],
    type: TaskType.OPTIONS_AUTO_TRADE,
    payload: { allow_algo_trading: 0 },
  });
  expect(bulk.body.data).toMatchObject([
    { terminal_id: id, ok: false, task_id: null, msg: REFUSAL },
    { terminal_id: other, ok: true },
  ]);
  const count = `select count(*)::int as open from tasks where terminal_id = $1 and finished_at is null`;
  expect(await server.query(count, [id])).toEqual([{ open: MAX_OPEN_TASKS }]);
  await send('POST', `${TERMINALS}/${id}/tasks/${last.body.data.id as string}/cancel`);
  expect((await createTask(id)).body.ok).toBe(true);
});

it('a terminal takes no more of many calls at once, which share one statement, than it has room for', async () => {
  const host = await TestHost.enrol(server);
  const { userId, createTerminal, fill } = await createOwner();
  const id = await createTerminal();
  await host.installAll();
  await fill(id, MAX_OPEN_TASKS - 3);
  // The first call goes alone, the others together.
  const order = { userId, terminalId: id, type: TaskType.EA_LOGS, payload: {} };
  const answers = await Promise.all(Array.from({ length: 60 }, () => server.services.inbox.add(order)));
  expect(answers.map((answer) => answer.created_at !== null).filter(Boolean)).toHaveLength(3);
  expect(answers.slice(0, 3).every((answer) => answer.created_at !== null)).toBe(true);
  const count = `select count(*)::int as open from tasks where terminal_id = $1 and finished_at is null`;
  expect(await server.query(count, [id])).toEqual([{ open: MAX_OPEN_TASKS }]);
});

it('so does one that has no host yet, and it can be deleted all the same', async () => {
  await server.query(`update hosts set status = ${HostStatus.RETIRED}`);
  const { send, createTerminal, createTask, fill } = await createOwner();
  const id = await createTerminal();
  await fill(id, MAX_OPEN_TASKS);
  expect((await createTask(id)).body).toEqual({ ok: false, msg: REFUSAL });
  expect((await send('DELETE', `${TERMINALS}/${id}`)).body).toMatchObject({ ok: true });
  expect((await createTask(id)).status).toBe(404);
});
