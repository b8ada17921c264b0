/** Snapshots of terminals, new terminals from them, and terminals of a retired host. */
import { TaskType, type DeliveredTask, type Snapshot, type TaskStatus } from '@berth/contract';
import { TestHost, toStep, useTestServer } from '@berth/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let host: TestHost;
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
  host = await TestHost.enrol(server);
});

const TERMINALS = '/v1/my/trading/terminals';
const account = { server_name: 'Demo', login: '1', password: 'secret' };
const { EA_INSTALL, OPTIONS_AUTO_TRADE, OPTIONS_WEB_REQUEST, TERMINAL_INSTALL } = TaskType;

const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const upload = async (content = 'a program') => {
    const headers = { 'content-type': 'application/octet-stream' };
    const options = { token, body: Buffer.from(content), headers };
    return (await server.request('POST', '/v1/my/files?name=Trend.ex5', options)).body.data.id as string;
  };
  const create = (body: object = {}) => send('POST', TERMINALS, { ...account, ...body });
  const list = async (id: string) => (await send('GET', `${TERMINALS}/${id}/snapshots`)).body.data as Snapshot[];
  const tasksOf = async (id: string) => {
    const { body } = await send('GET', `${TERMINALS}/${id}/tasks?per_page=100`);
    const tasks = body.data as { type: TaskType; status: TaskStatus; payload: Record<string, unknown>; seq?: number }[];
    return tasks.toReversed();
  };
  /** The next task, done by the host that has it. */
  const next = async (on = host): Promise<DeliveredTask> => {
    const [task] = await on.claim(1);
    await on.complete(task!, task!.type === EA_INSTALL ? { chart_id: task!.id } : {});
    return task!;
  };
  const run = async (id: string, type: TaskType, payload: object) => {
    await send('POST', `${TERMINALS}/${id}/tasks`, { type, payload });
    return next();
  };
  /** A terminal with an expert, an option, and algo trading on. */
  const createTerminal = async (body: object = {}) => {
    const id = (await create(body)).body.data.id as string;
    await next();
    const fileId = await upload();
    const expert = { name: 'Trend', file_id: fileId, symbol: 'EURUSD', period: 'H1', inputs: { Lots: '0.10' } };
    await run(id, EA_INSTALL, { ...expert, allow_algo_trading: 1 });
    await run(id, OPTIONS_WEB_REQUEST, { url: 'https://news.example' });
    await run(id, OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
    return { id, fileId, expert };
  };
  return { token, user, send, upload, create, list, tasksOf, next, run, createTerminal };
};

const typesOf = (tasks: readonly { type: TaskType }[]) => tasks.map(({ type }) => type);

describe('snapshots', () => {
  it('a task that sets up what was set up already writes nothing about its terminal', async () => {
    const owner = await createOwner();
    const { id } = await owner.createTerminal();
    await owner.run(id, TaskType.MARKET_WATCH_SHOW_ALL, {});
    const versions = () =>
      server.query(
        `select t.ctid as terminal, s.ctid as setup from terminals t join terminal_setups s on s.terminal_id = t.id
         where t.id = $1`,
        [id],
      );
    const before = await versions();
    await owner.run(id, TaskType.MARKET_WATCH_SHOW_ALL, {});
    expect(await versions()).toEqual(before);
    await owner.run(id, OPTIONS_WEB_REQUEST, { url: 'https://other.example' });
    expect(await versions()).not.toEqual(before);
  });

  it('a snapshot is kept after each task that changed the terminal, and none where nothing changed', async () => {
    const owner = await createOwner();
    const { id, expert } = await owner.createTerminal();
    const taken = await owner.list(id);
    expect(taken.map(({ cause, charts, experts, is_complete }) => [cause, charts, experts, is_complete])).toEqual(
      Array.from({ length: 3 }, () => ['change', 1, 1, true]),
    );
    await owner.run(id, EA_INSTALL, { ...expert, allow_algo_trading: 1 });
    await owner.run(id, TaskType.TERMINAL_RESTART, {});
    expect(await owner.list(id)).toEqual(taken);
    const [stored] = await server.query(
      `select string_agg(content::text, '') as text from terminal_snapshots where terminal_id = $1`,
      [id],
    );
    expect(String(stored?.text)).not.toContain('secret');
  });

  it('the newest ten after changes are kept, and five of the owner, who is told; all count as what the user stores', async () => {
    const owner = await createOwner();
    const { id } = await owner.createTerminal();
    for (let index = 0; index < 12; index += 1) {
      await owner.run(id, OPTIONS_WEB_REQUEST, { url: `https://${index}.example` });
    }
    expect(await owner.list(id)).toHaveLength(10);
    const take = () => owner.send('POST', `${TERMINALS}/${id}/snapshots`);
    const answers = await Promise.all(Array.from({ length: 6 }, take));
    const refused = answers.filter(({ body }) => body.ok === false);
    expect(refused.map(({ body }) => body.code)).toEqual(['snapshot_limit']);
    const listed = await owner.list(id);
    expect(listed.filter(({ cause }) => cause === 'manual')).toHaveLength(5);
    const counted = `select sum(bytes)::int as bytes from (
      select bytes from storage_changes where user_id = $1 and kind = 'other'
      union all select bytes from storage_usage where user_id = $1 and kind = 'other') c`;
    const readBytes = async () => Number((await server.query(counted, [owner.user.id]))[0]!.bytes);
    const before = await readBytes();
    const { id: last, size } = listed[0]!;
    expect((await owner.send('DELETE', `${TERMINALS}/${id}/snapshots/${last}`)).status).toBe(200);
    expect(before - (await readBytes())).toBe(size + 256);
    expect((await owner.send('DELETE', `${TERMINALS}/${id}/snapshots/${last}`)).status).toBe(404);
  });
});

describe('a terminal from a snapshot', () => {
  it('a terminal from a snapshot gets the experts and options behind its installation, and algo trading stays off unless its creator asks for it', async () => {
    const owner = await createOwner();
    const { id, expert } = await owner.createTerminal();
    const [{ id: snapshot_id } = { id: '' }] = await owner.list(id);
    const clone = (await owner.create({ login: '2', snapshot_id })).body.data.id as string;
    const tasks = await owner.tasksOf(clone);
    expect(typesOf(tasks)).toEqual([TERMINAL_INSTALL, OPTIONS_WEB_REQUEST, EA_INSTALL]);
    expect(tasks.at(-1)?.payload).toMatchObject({ ...expert, allow_algo_trading: 1 });
    for (const _ of tasks) await owner.next();
    expect(typesOf(await owner.tasksOf(clone))).toEqual([TERMINAL_INSTALL, OPTIONS_WEB_REQUEST, EA_INSTALL]);
    expect((await owner.list(clone))[0]).toMatchObject({ charts: 1, experts: 1 });

    const trading = (await owner.create({ login: '3', snapshot_id, allow_algo_trading: 1 })).body.data.id as string;
    for (const _ of [1, 2]) await owner.next();
    expect(typesOf(await owner.tasksOf(trading))).not.toContain(OPTIONS_AUTO_TRADE);
    await owner.next();
    expect((await owner.next()).payload).toEqual({ allow_algo_trading: 1 });
    expect((await owner.list(trading))[0]).toMatchObject({ charts: 1 });
  });

  it.each([
    [
      'an expert could not be installed',
      async (_owner: unknown, task: DeliveredTask) => {
        const { id, fence } = task;
        const steps = [toStep({ ok: false, code: 'E_FILE', message: 'No program.' })];
        await host.report({ kind: 'started', task_id: id, fence }, { kind: 'failed', task_id: id, fence, steps });
      },
    ],
    [
      'its owner has stopped all trading since',
      async (owner: Awaited<ReturnType<typeof createOwner>>, task: DeliveredTask) => {
        expect((await owner.send('POST', '/v1/my/trading/stop')).body.ok).toBe(true);
        await host.complete(task, { chart_id: '1' });
      },
    ],
    [
      'its owner has switched it off since',
      async (owner: Awaited<ReturnType<typeof createOwner>>, task: DeliveredTask) => {
        const off = { type: OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
        await owner.send('POST', `${TERMINALS}/${task.terminal.id}/tasks`, off);
        await host.complete(task, { chart_id: '1' });
      },
    ],
  ] as const)(
    'a terminal from a snapshot does not trade, although that was asked for, because %s',
    async (_why, end) => {
      const owner = await createOwner();
      const { id } = await owner.createTerminal();
      const [{ id: snapshot_id } = { id: '' }] = await owner.list(id);
      const clone = (await owner.create({ login: '2', snapshot_id, allow_algo_trading: 1 })).body.data.id as string;
      for (const _ of [1, 2]) await owner.next();
      const [last] = await host.claim(1);
      expect(last?.type).toBe(EA_INSTALL);
      await end(owner, last!);
      const switches = (await owner.tasksOf(clone)).filter(({ type }) => type === OPTIONS_AUTO_TRADE);
      expect(switches.every(({ payload }) => payload.allow_algo_trading === 0)).toBe(true);
    },
  );

  it('a terminal from a snapshot is refused with the reason where that is another user’s, a file was deleted, or only trading was asked for', async () => {
    const [owner, other] = await Promise.all([createOwner(), createOwner()]);
    const { id, fileId } = await owner.createTerminal();
    const [{ id: snapshot_id } = { id: '' }] = await owner.list(id);
    const errorsOf = async (answer: ReturnType<typeof owner.create>) => {
      const { status, body } = await answer;
      return [status, Object.keys(body.errors as object)];
    };
    expect(await errorsOf(other.create({ snapshot_id }))).toEqual([422, ['snapshot_id']]);
    expect(await errorsOf(owner.create({ snapshot_id: 'no id' }))).toEqual([422, ['snapshot_id']]);
    expect(await errorsOf(owner.create({ allow_algo_trading: 1 }))).toEqual([422, ['allow_algo_trading']]);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', `/${snapshot_id}`],
    ] as const) {
      expect((await other.send(method, `${TERMINALS}/${id}/snapshots${path}`)).status).toBe(404);
    }
    await owner.send('DELETE', `/v1/my/files/${fileId}`);
    expect(await errorsOf(owner.create({ snapshot_id }))).toEqual([422, ['snapshot_id']]);
    const anew = await owner.upload();
    const { body } = await owner.send('POST', `${TERMINALS}/bulk`, {
      items: ['2', '3'].map((login) => ({ ...account, login, snapshot_id })),
    });
    const [made] = body.data as { terminal_id: string }[];
    expect((await owner.tasksOf(made!.terminal_id)).at(-1)?.payload.file_id).toBe(anew);
  });
});

describe('a terminal of a retired host', () => {
  const retire = async () => {
    const before = host;
    host = await TestHost.enrol(server, { name: 'next', region: 1 });
    const { status, body } = await server.request('DELETE', `/v1/operator/hosts/${before.id}`, { token: operator });
    expect([status, body.msg]).toEqual([200, expect.any(String)]);
  };

  it('a terminal of a retired host comes back with its experts before what waits, and trades only if it certainly did', async () => {
    // In a region of its own: what earlier tests left waits for other hosts.
    host = await TestHost.enrol(server, { name: 'first', region: 1 });
    const owner = await createOwner();
    const [on, off] = [await owner.createTerminal({ region: 1 }), await owner.createTerminal({ region: 1 })];
    for (const [{ id }, allowed] of [
      [on, true],
      [off, false],
    ] as const) {
      const reason = allowed ? null : 'terminal_switch';
      const state = { trading_allowed: allowed, ...(reason ? { trading_reason: reason } : {}) };
      await host.report({ kind: 'terminal', terminal_id: id, status: 3, ...state } as never);
    }
    await owner.send('POST', `${TERMINALS}/${on.id}/tasks`, { type: TaskType.EA_LOGS });
    await retire();
    const back = (await owner.tasksOf(on.id)).slice(-4);
    expect(back.map(({ type }) => type)).toEqual([TERMINAL_INSTALL, OPTIONS_WEB_REQUEST, EA_INSTALL, TaskType.EA_LOGS]);
    for (let left = 8; left > 0; left -= 1) await owner.next();
    expect((await owner.tasksOf(on.id)).at(-1)).toMatchObject({
      type: OPTIONS_AUTO_TRADE,
      payload: { allow_algo_trading: 1 },
    });
    expect((await owner.tasksOf(off.id)).at(-1)?.type).toBe(EA_INSTALL);
    // What came back is what was there: no snapshot is taken for it.
    expect(await owner.list(on.id)).toHaveLength(3);
  });
});
