/** Tasks that go to a host in the statement that creates them, because its claim waits in this process. */
import { setTimeout as delay } from 'node:timers/promises';
import { HostStatus, MAX_OPEN_TASKS, TaskStatus, TaskType, type DeliveredTask } from '@berth/contract';
import { farAhead, startTestServer, TestHost, waitFor, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LongPolls, type LongPoll } from '../src/hosts/long-polls.ts';
import { AgentCalls } from '../src/api/v1/agent-calls.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** Time for what must not happen. */
const MOMENT_MS = 300;

/** A host with terminals that are installed, and about whose host this server knows. */
const createScene = async (count: number) => {
  await query(
    `update hosts set status = ${HostStatus.RETIRED}, session_id = null where status <> ${HostStatus.RETIRED}`,
  );
  await query(`update terminals set deleted_at = now() where deleted_at is null`);
  const host = await TestHost.enrol(server, { name: 'hand-over' });
  const { token } = await server.register('Trader');
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const body = { server_name: 'Demo', login: String(number), password: 'secret-password', region: 0 };
    const created = await server.request('POST', '/v1/my/trading/terminals', { token, body });
    ids.push(created.body.data.id as string);
  }
  const create = async (terminal: number, body: object = { type: TaskType.EA_LOGS }): Promise<string> => {
    const path = `/v1/my/trading/terminals/${ids[terminal]!}/tasks`;
    const answer = await server.request('POST', path, { token, body });
    expect(answer.body).toMatchObject({ ok: true, data: { status: TaskStatus.PENDING } });
    return answer.body.data.id as string;
  };
  for (let done = 0; done < count;) {
    for (const install of await host.claim()) {
      await host.complete(install, { path: '/terminals/x' });
      done += 1;
    }
  }
  for (const [terminal] of ids.entries()) await create(terminal);
  for (let done = 0; done < count;) {
    for (const task of await host.claim()) {
      await host.complete(task);
      done += 1;
    }
  }
  return { host, create, token, ids };
};

/** A claim that waits. Its long poll has arrived when the server holds it. */
const wait = async (host: TestHost, slots: number): Promise<{ tasks: Promise<DeliveredTask[]> }> => {
  const { wakeups } = server.services;
  const tasks = host.claim(slots);
  await waitFor(
    () => {
      const reservation = wakeups.reserveClaim(host.id);
      reservation?.release();
      return reservation !== undefined;
    },
    { what: 'a claim that waits' },
  );
  return { tasks };
};

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

describe('a task for a host whose claim waits', () => {
  it('is handed over, too, where it comes while the claim still looks for work', async () => {
    const { host, ids } = await createScene(3);
    const { inbox, times } = server.services;
    const calls = new AgentCalls({ ...server.services, times });
    const [{ session_id: sessionId } = {}] = await query('select session_id from hosts where id = $1', [host.id]);
    const [{ user_id: userId } = {}] = await query('select user_id from terminals where id = $1', [ids[0]]);
    const caller = { id: host.id, name: 'h', regionId: 0, sessionId: sessionId as string };
    const claim = (slots: number) =>
      calls.claim(caller, sessionId as string, { slots, waitMs: 60_000 }, () => () => undefined);
    const order = { userId: userId as string, type: TaskType.EA_LOGS, payload: {} } as const;
    const createAtOnce = async () => {
      const claimed = claim(4);
      const created = await Promise.all(ids.map((terminalId) => inbox.add({ ...order, terminalId })));
      const tasks = await claimed;
      while (tasks.length < ids.length) tasks.push(...(await claim(4)));
      expect(tasks.map(({ id }) => id).sort()).toEqual(created.map(({ id }) => id).sort());
      for (const task of tasks) await host.complete(task);
      return created.every((task) => task.is_handed_over);
    };
    // On a busy machine a look may take longer than a task waits for it.
    await waitFor(createAtOnce, { what: 'a hand-over of all' });
  });

  it('is handed over by its creation, in one moment, and carried out like any other', async () => {
    const { host, create } = await createScene(1);
    const { tasks } = await wait(host, 4);
    const id = await create(0);
    // The creation was answered: nothing that came after it has a part in this.
    expect(await read(id)).toEqual(handedOver);
    const [task] = await tasks;
    expect(task).toMatchObject({ id, fence: 1, type: TaskType.EA_LOGS, terminal: { platform: 'sandbox', login: '0' } });
    expect(await host.complete(task!)).toEqual(['accepted', 'accepted']);
    expect((await read(id))?.status).toBe(TaskStatus.COMPLETED);
  });

  it('brings the secrets along that it needs, and no others', async () => {
    const { host, create } = await createScene(2);
    const { tasks } = await wait(host, 4);
    await create(0, { type: TaskType.ACCOUNT_LOGIN });
    expect((await tasks)[0]?.secrets).toEqual({ password: 'secret-password' });
    const next = await wait(host, 4);
    await create(1, {
      type: TaskType.ACCOUNT_LOGIN,
      payload: { login: '7', password: 'another', server_name: 'Demo' },
    });
    expect((await next.tasks)[0]?.secrets).toEqual({ password: 'another' });
  });

  it('waits behind what is open on its terminal', async () => {
    const { host, create } = await createScene(1);
    const first = await wait(host, 4);
    await create(0);
    await first.tasks;
    const second = await wait(host, 4);
    const id = await create(0);
    expect(await read(id)).toMatchObject({ attempts: 0, fence: null });
    const idle = await Promise.race([second.tasks, delay(MOMENT_MS, 'nothing')]);
    expect(idle).toBe('nothing');
  });

  it('is handed over beside many for another terminal, which takes no more than it has room for', async () => {
    const { host, create, token, ids } = await createScene(2);
    await query(
      `insert into tasks (id, user_id, host_id, terminal_id, type, planned_at)
       select gen_random_uuid(), user_id, host_id, id, ${TaskType.EA_LOGS}, now() + interval '1 year'
       from terminals, generate_series(1, ${MAX_OPEN_TASKS - 3}) where id = $1`,
      [ids[0]],
    );
    const { tasks } = await wait(host, 4);
    const body = { type: TaskType.EA_LOGS, planned_at: farAhead };
    const path = `/v1/my/trading/terminals/${ids[0]}/tasks`;
    // The first one goes alone, the others together: they share one statement.
    const answers = Array.from({ length: 40 }, () => server.request('POST', path, { token, body }));
    const id = await create(1);
    expect((await Promise.all(answers)).filter((answer) => answer.body.ok)).toHaveLength(3);
    // The claim may just look for itself when it comes: then it finds the task a moment later.
    expect((await tasks).map((task) => task.id)).toEqual([id]);
    expect(await read(id)).toEqual({ ...handedOver, moments: expect.any(Number) });
  });

  it('waits for its time when it is planned', async () => {
    const { host, create } = await createScene(1);
    await wait(host, 4);
    const id = await create(0, { type: TaskType.EA_LOGS, planned_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await read(id)).toMatchObject({ status: TaskStatus.PENDING, attempts: 0 });
  });

  it('goes with as many as the claim takes; the next claim gets the others', async () => {
    const { host, create } = await createScene(4);
    const { tasks } = await wait(host, 2);
    const ids = await Promise.all([0, 1, 2, 3].map((terminal) => create(terminal)));
    const given = [...(await tasks)];
    expect(given.length).toBeLessThanOrEqual(2);
    while (given.length < 4) given.push(...(await host.claim()));
    expect(given.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(new Set(given.map(({ fence }) => fence))).toEqual(new Set([1]));
  });

  it('is not handed to a session that is over', async () => {
    const { host, create } = await createScene(1);
    await wait(host, 4);
    await query('update hosts set session_id = gen_random_uuid() where id = $1', [host.id]);
    await query(`insert into task_leases (terminal_id, task_id, host_id, fence, expires_at, deadline_at)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, now(), now() where false`);
    const id = await create(0);
    const [row] = await query('select session_id from task_leases where task_id = $1', [id]);
    // The ordinary way may have given it to the claim meanwhile; the statement that created it did not.
    expect([undefined, host.sessionId]).toContain(row?.session_id);
    expect((await read(id))?.moments).toBeGreaterThan(row ? 1 : 0);
  });

  it('whose caller is gone is delivered once more, to the claim that says so, under the same fence', async () => {
    const { host, create } = await createScene(1);
    const lost = await wait(host, 4);
    const id = await create(0);
    // That answer is not read any more.
    await lost.tasks;
    const answer = await host.call('claim', { slots: 4, wait_ms: 5_000, known: [] });
    expect(answer.body.tasks).toMatchObject([{ id, fence: 1 }]);
  });
});

describe('the reservation of a claim', () => {
  const claim = { hostId: 'h', sessionId: 's', slots: 1 };
  const task = { id: 't' } as unknown as DeliveredTask;
  const createPoll = (): { poll: LongPoll; polls: LongPolls; expire: () => void } => {
    let run = (): void => undefined;
    const polls = new LongPolls((callback) => {
      run = callback;
      return () => undefined;
    });
    return { polls, poll: polls.listen(claim), expire: () => run() };
  };
  const isPending = async (promise: Promise<unknown>): Promise<boolean> =>
    (await Promise.race([promise.then(() => 'settled'), delay(20, 'pending')])) === 'pending';

  it('is free only while the claim waits, and held by one at a time', async () => {
    const { polls, poll } = createPoll();
    expect(polls.reserveClaim('h')).toBeUndefined();
    const waiting = poll.next(1_000);
    expect(polls.reserveClaim('h')).toBe(poll);
    expect(polls.reserveClaim('h')).toBeUndefined();
    poll.deliver([task]);
    expect(await waiting).toEqual([task]);
    expect(polls.reserveClaim('h')).toBeUndefined();
  });

  it.each(['a hint', 'the end of its time'])('takes %s in only once the reservation is released', async (what) => {
    const { polls, poll, expire } = createPoll();
    const waiting = poll.next(1_000);
    const reservation = polls.reserveClaim('h')!;
    if (what === 'a hint') polls.wake('h');
    else expire();
    expect(await isPending(waiting)).toBe(true);
    reservation.release();
    expect(await waiting).toEqual([]);
  });

  it('is given back without a word when nothing happened meanwhile', async () => {
    const { polls, poll } = createPoll();
    const waiting = poll.next(1_000);
    polls.reserveClaim('h')!.release();
    expect(await isPending(waiting)).toBe(true);
    expect(polls.reserveClaim('h')).toBe(poll);
  });

  it('fails the claim where nobody knows what it was given', async () => {
    const { polls, poll } = createPoll();
    const waiting = poll.next(1_000);
    polls.reserveClaim('h')!.fail(new Error('the database is away'));
    await expect(waiting).rejects.toThrow('away');
  });

  it('is waited for while the claim looks for work itself, until it waits, has been answered, or takes long', async () => {
    const { polls, poll, expire } = createPoll();
    const first = polls.looked('h')!;
    expect(polls.looked('h')).toBe(first);
    expect(await isPending(first)).toBe(true);
    // A hint that came meanwhile makes it look once more.
    polls.wake('h');
    expect(await poll.next(1_000)).toEqual([]);
    expect(await isPending(first)).toBe(true);
    const waiting = poll.next(1_000);
    await first;
    expect(polls.looked('h')).toBeUndefined();
    expect(polls.reserveClaim('h')).toBe(poll);
    poll.deliver([task]);
    await waiting;
    const second = polls.looked('h')!;
    expire();
    await second;
    const third = polls.looked('h')!;
    expect(third).not.toBe(second);
    poll.stop();
    await third;
    expect(polls.looked('h')).toBeUndefined();
  });
});
