/** Tasks that go to a host in the transaction that creates them, because its claim waits in this process. */
import { setTimeout as delay } from 'node:timers/promises';
import { HostStatus, MAX_OPEN_TASKS, TaskStatus, TaskType, type DeliveredTask } from '@berth/contract';
import { farAhead, TestHost, useTestServer, waitFor, type TestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { AgentCalls } from '../src/api/v1/agent-calls.ts';

const server = useTestServer();

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** Time for what must not happen. */
const MOMENT_MS = 300;
const LOGS = { type: TaskType.EA_LOGS };
const STOP = { type: TaskType.TERMINAL_STOP };

interface Trader {
  token: string;
  userId: string;
  terminals: string[];
}

const createTask = async ({ token, terminals }: Trader, number: number, body: object = LOGS): Promise<string> => {
  const path = `/v1/my/trading/terminals/${terminals[number]!}/tasks`;
  const answer = await server.request('POST', path, { token, body });
  expect(answer.body).toMatchObject({ ok: true, data: { status: TaskStatus.PENDING } });
  return answer.body.data.id as string;
};

const completeAll = async (host: TestHost, count: number): Promise<void> => {
  for (let done = 0; done < count;) {
    for (const task of await host.claim()) {
      await host.complete(task, task.type === TaskType.TERMINAL_INSTALL ? { path: '/terminals/x' } : undefined);
      done += 1;
    }
  }
};

/** A trader with installed terminals; the server has seen which host they are on. */
const createTrader = async (host: TestHost, count: number): Promise<Trader> => {
  const { token, user } = await server.register('Trader');
  const terminals: string[] = [];
  for (let number = 0; number < count; number += 1) {
    terminals.push(await server.createTerminal(token, { login: String(number) }));
  }
  await completeAll(host, count);
  const trader = { token, terminals, userId: user.id };
  for (const [number] of terminals.entries()) await createTask(trader, number);
  await completeAll(host, count);
  return trader;
};

/** A host alone, with the terminals of a trader. */
const createScene = async (count: number): Promise<{ host: TestHost; trader: Trader }> => {
  await query(
    `update hosts set status = ${HostStatus.RETIRED}, session_id = null where status <> ${HostStatus.RETIRED}`,
  );
  await query(`update terminals set deleted_at = now() where deleted_at is null`);
  const host = await TestHost.enrol(server, { name: 'hand-over' });
  return { host, trader: await createTrader(host, count) };
};

const isWaiting = (host: TestHost): boolean => server.services.wakeups.findWaiting(host.id) !== undefined;

/** A claim that waits. */
const wait = async (host: TestHost, slots: number): Promise<{ tasks: Promise<DeliveredTask[]> }> => {
  const tasks = host.claim(slots);
  await waitFor(() => isWaiting(host), { what: 'a claim that waits' });
  return { tasks };
};

/** Claims of the host below HTTP. */
const claimsOf = (host: TestHost) => {
  const calls = new AgentCalls({ ...server.services });
  const caller = { id: host.id, name: 'h', regionId: 0, sessionId: host.sessionId };
  return (slots: number, inHand: DeliveredTask[] = []) => {
    const known = inHand.map(({ id, fence }) => ({ task_id: id, fence }));
    return calls.claim(caller, host.sessionId, { slots, waitMs: 60_000, known }, () => () => undefined);
  };
};

/** Creates tasks at once, so that they share a statement. */
const createAtOnce = (orders: [trader: Trader, number: number, type: TaskType][]) =>
  Promise.all(
    orders.map(([{ userId, terminals }, number, type]) =>
      server.services.inbox.add({ userId, terminalId: terminals[number]!, type, payload: {} }),
    ),
  );

/** Another transaction holds the lease of the terminal: what hands a task of it over has to wait. */
const withHeldLease = async (terminalId: string, callback: () => Promise<void>): Promise<void> => {
  const done = server.services.db.transaction(async (tx) => {
    const text = `insert into task_leases (terminal_id, task_id, host_id, fence, expires_at, deadline_at)
      values ($1, gen_random_uuid(), gen_random_uuid(), 1, now(), now())`;
    await tx.query({ name: '', text }, [terminalId]);
    await callback();
    throw new Error('rolled back');
  });
  await expect(done).rejects.toThrow('rolled back');
};

const findHeldBackend = async (): Promise<number | undefined> =>
  (
    await query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%task_leases%'`,
    )
  )[0]?.pid as number | undefined;

const read = async (id: string) =>
  (
    await query(
      `select t.status, t.attempts, t.actor, l.fence,
         array(select h.from_status || '>' || h.to_status from task_history h where h.task_id = t.id order by h.id) as moves,
         (select count(distinct h.at)::int from task_history h where h.task_id = t.id) as moments
       from tasks t left join task_leases l on l.task_id = t.id where t.id = $1`,
      [id],
    )
  )[0];

const handedOver = {
  ...{ status: TaskStatus.DELIVERED, attempts: 1, actor: 'agent', fence: 1, moments: 1 },
  moves: [null, '0>1', '1>2'],
};

it('a task for a host whose claim waits is handed over by its creation, in one moment, and carried out like any other', async () => {
  const { host, trader } = await createScene(1);
  const { tasks } = await wait(host, 4);
  const id = await createTask(trader, 0);
  // The creation was answered: nothing that came after it has a part in this.
  expect(await read(id)).toEqual(handedOver);
  const [task] = await tasks;
  expect(task).toMatchObject({ id, fence: 1, type: TaskType.EA_LOGS, terminal: { platform: 'sandbox', login: '0' } });
  expect(await host.complete(task!)).toEqual(['accepted', 'accepted']);
  expect((await read(id))?.status).toBe(TaskStatus.COMPLETED);
});

it('a task that is handed over brings the secrets along that it needs, and no others', async () => {
  const { host, trader } = await createScene(2);
  const { tasks } = await wait(host, 4);
  await createTask(trader, 0, { type: TaskType.ACCOUNT_LOGIN });
  expect((await tasks)[0]?.secrets).toEqual({ password: 'secret-password' });
  const next = await wait(host, 4);
  const payload = { login: '7', password: 'another', server_name: 'Demo' };
  await createTask(trader, 1, { type: TaskType.ACCOUNT_LOGIN, payload });
  expect((await next.tasks)[0]?.secrets).toEqual({ password: 'another' });
});

it('a task waits behind what is open on its terminal, and the claim of its host waits on', async () => {
  const { host, trader } = await createScene(2);
  const first = await wait(host, 4);
  await createTask(trader, 0);
  await first.tasks;
  const second = await wait(host, 4);
  const id = await createTask(trader, 0);
  expect(await read(id)).toMatchObject({ attempts: 0, fence: null });
  const idle = await Promise.race([second.tasks, delay(MOMENT_MS, 'nothing')]);
  expect(idle).toBe('nothing');
  const other = await createTask(trader, 1);
  expect((await second.tasks).map((task) => task.id)).toEqual([other]);
});

it('a task is handed over beside many for another terminal, which takes no more than it has room for', async () => {
  const { host, trader } = await createScene(2);
  await query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, planned_at)
     select gen_random_uuid(), user_id, host_id, id, ${TaskType.EA_LOGS}, now() + interval '1 year'
     from terminals, generate_series(1, ${MAX_OPEN_TASKS - 3}) where id = $1`,
    [trader.terminals[0]],
  );
  const { tasks } = await wait(host, 4);
  const body = { ...LOGS, planned_at: farAhead };
  const path = `/v1/my/trading/terminals/${trader.terminals[0]}/tasks`;
  // The first one goes alone, the others together: they share one statement.
  const answers = Array.from({ length: 40 }, () => server.request('POST', path, { token: trader.token, body }));
  const id = await createTask(trader, 1);
  expect((await Promise.all(answers)).filter((answer) => answer.body.ok)).toHaveLength(3);
  // The claim may just look for itself when it comes: then it finds the task a moment later.
  expect((await tasks).map((task) => task.id)).toEqual([id]);
  expect(await read(id)).toEqual({ ...handedOver, moments: expect.any(Number) });
});

it('a planned task waits for its time, although the claim of its host waits', async () => {
  const { host, trader } = await createScene(1);
  await wait(host, 4);
  const id = await createTask(trader, 0, { ...LOGS, planned_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await read(id)).toMatchObject({ status: TaskStatus.PENDING, attempts: 0 });
});

it('as many tasks are handed over as the claim takes; the next claim gets the others', async () => {
  const { host, trader } = await createScene(4);
  const claim = claimsOf(host);
  const waiting = claim(2);
  await waitFor(() => isWaiting(host), { what: 'a claim that waits' });
  const created = await createAtOnce([0, 1, 2, 3].map((number) => [trader, number, TaskType.EA_LOGS]));
  const first = await waiting;
  expect(first).toHaveLength(2);
  const others = await claim(4, first);
  expect([...first, ...others].map(({ id }) => id).sort()).toEqual(created.map(({ id }) => id).sort());
  expect(new Set([...first, ...others].map(({ fence }) => fence))).toEqual(new Set([1]));
});

it('a stop is handed over before a task for the same terminal that is created at once', async () => {
  const { host, trader } = await createScene(1);
  const waiting = claimsOf(host)(4);
  await waitFor(() => isWaiting(host), { what: 'a claim that waits' });
  const [logs, stop] = await createAtOnce([
    [trader, 0, TaskType.EA_LOGS],
    [trader, 0, STOP.type],
  ]);
  expect((await waiting).map(({ id }) => id)).toEqual([stop!.id]);
  expect(await read(logs!.id)).toMatchObject({ attempts: 0, fence: null });
});

it('a stop for a terminal that is busy interrupts what runs on it, although the claim of its host waits', async () => {
  const { host, trader } = await createScene(1);
  const first = await wait(host, 4);
  const running = await createTask(trader, 0);
  await first.tasks;
  const second = await wait(host, 4);
  const id = await createTask(trader, 0, STOP);
  expect((await second.tasks).map((task) => task.id)).toEqual([id]);
  expect(await read(running)).toMatchObject({ status: TaskStatus.QUEUED, fence: null });
});

it("what is handed over counts as its user's turn: the next claim begins with another user", async () => {
  const { host, trader } = await createScene(2);
  const other = await createTrader(host, 1);
  // A turn that nobody knows of begins with the first user.
  expect([trader.userId, other.userId].sort()[0]).toBe(trader.userId);
  const claim = claimsOf(host);
  const waiting = claim(1);
  await waitFor(() => isWaiting(host), { what: 'a claim that waits' });
  const rows = await createAtOnce([
    [trader, 0, TaskType.EA_LOGS],
    [trader, 1, TaskType.EA_LOGS],
    [other, 0, TaskType.EA_LOGS],
  ]);
  const ofTrader = rows.slice(0, 2).map(({ id }) => id);
  const served = [];
  for (let [task] = await waiting; task !== undefined; [task] = served.length < 3 ? await claim(1) : []) {
    served.push(ofTrader.includes(task.id));
    await host.complete(task);
  }
  expect([served.slice(0, 2).sort(), served.length]).toEqual([[false, true], 3]);
});

it('a task is not handed to a session that is over', async () => {
  const { host, trader } = await createScene(1);
  const { tasks } = await wait(host, 4);
  await query('update hosts set session_id = gen_random_uuid() where id = $1', [host.id]);
  const id = await createTask(trader, 0);
  expect(await Promise.race([tasks, delay(MOMENT_MS, 'nothing')])).toBe('nothing');
  expect(await read(id)).toMatchObject({ attempts: 0, fence: null });
});

it('a task that was handed over to a caller who is gone is delivered once more, under the same fence', async () => {
  const { host, trader } = await createScene(1);
  const lost = await wait(host, 4);
  const id = await createTask(trader, 0);
  // That answer is not read any more.
  await lost.tasks;
  const answer = await host.call('claim', { slots: 4, wait_ms: 5_000, known: [] });
  expect(answer.body.tasks).toMatchObject([{ id, fence: 1 }]);
});

it('a task whose claim is given up while it is handed over goes to the newer claim that waits', async () => {
  const { host, trader } = await createScene(1);
  const claim = claimsOf(host);
  const older = claim(4);
  await waitFor(() => isWaiting(host), { what: 'the older claim' });
  let created: ReturnType<typeof createAtOnce> | undefined;
  let newer: Promise<DeliveredTask[]> | undefined;
  await withHeldLease(trader.terminals[0]!, async () => {
    created = createAtOnce([[trader, 0, TaskType.EA_LOGS]]);
    await waitFor(async () => (await findHeldBackend()) !== undefined, { what: 'the hand-over that is held' });
    expect(isWaiting(host)).toBe(false);
    newer = claim(4);
    await waitFor(() => isWaiting(host), { what: 'the newer claim' });
  });
  const [row] = await created!;
  expect((await older).map(({ id }) => id)).toEqual([row!.id]);
  expect(await newer).toMatchObject([{ id: row!.id, fence: 1 }]);
});

it('where the database breaks off in between, the creation and the claim fail, and nothing is left of the task', async () => {
  const { host, trader } = await createScene(1);
  const waiting = claimsOf(host)(4);
  waiting.catch(() => undefined);
  await waitFor(() => isWaiting(host), { what: 'a claim that waits' });
  await withHeldLease(trader.terminals[0]!, async () => {
    const created = createAtOnce([[trader, 0, TaskType.EA_LOGS]]);
    created.catch(() => undefined);
    await waitFor(async () => (await findHeldBackend()) !== undefined, { what: 'the hand-over that is held' });
    await query('select pg_terminate_backend($1)', [await findHeldBackend()]);
    await expect(created).rejects.toThrow('unavailable');
    await expect(waiting).rejects.toThrow('unavailable');
  });
  const open = 'select count(*)::int as total from tasks where terminal_id = $1 and finished_at is null';
  expect(await query(open, [trader.terminals[0]])).toEqual([{ total: 0 }]);
});
