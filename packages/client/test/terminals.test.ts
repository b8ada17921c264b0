/** Terminals and their tasks by the client, on a real server with a host that does what the test says. */
import { TerminalStatus as Status } from '@berth/contract';
import { farAhead, TestHost, toStep, waitFor, useTestServer } from '@berth/testing';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  AbortedError,
  Berth,
  FilterError,
  NotFoundError,
  RefusedError,
  TaskFailedError,
  TaskStatus,
  TaskType,
  TerminalStateError,
  TimeoutError,
  type DoneTask,
} from '../src/index.ts';
import { FaultyProxy } from './faulty-proxy.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let proxy: FaultyProxy;
let host: TestHost;
let berth: Berth;
let token: string;
let id: string;

const account = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0, platform: 'sandbox' };
const observe = (status: Status, terminalId = id, reason?: string) =>
  host.report({ kind: 'terminal', terminal_id: terminalId, status: status as never, ...(reason ? { reason } : {}) });

beforeAll(async () => {
  proxy = await FaultyProxy.open(server.url);
  host = await TestHost.enrol(server);
  ({ token } = await server.register('Ada Lovelace'));
  berth = new Berth({ baseUrl: proxy.url, token });
  const created = await berth.terminals.create(account);
  expect(created).toMatchObject({ status: Status.PENDING, name: '5001' });
  id = created.id;
  const waiting = berth.terminals.waitFor(id, 'ACTIVE');
  await host.installAll();
  expect(await waiting).toMatchObject({ id, status_name: 'ACTIVE' });
});
afterAll(() => proxy?.close());

it('terminals are listed by the names of their statuses, read, renamed and counted', async () => {
  const names = async (...status: ('ACTIVE' | 'FAILED' | 'STOPPED')[]) =>
    (await berth.terminals.list(status.length === 0 ? {} : { status }).toArray()).map(({ name }) => name);
  expect([await names('ACTIVE'), await names('FAILED', 'STOPPED')]).toEqual([['5001'], []]);
  await berth.terminals.update(id, { name: 'North' });
  expect(await names()).toEqual(['North']);
  expect(await berth.terminals.get(id, { include: 'details' })).toMatchObject({
    name: 'North',
    host_name: 'test-host',
  });
  expect(await berth.terminals.page({ per_page: 1, search: 'nobody' })).toMatchObject({
    data: [],
    pagination: { total: 0 },
  });
  expect(await berth.terminals.counts({ status: ['ACTIVE'] })).toMatchObject({ total: 1 });
  expect((await berth.regions.list().toArray()).length).toBeGreaterThan(0);
});

it('terminals are waited for until they are there, through a broken connection and without events', async () => {
  await observe(Status.DISCONNECTED);
  const waiting = berth.terminals.waitFor(id, ['ACTIVE', 'STOPPED']);
  await waitFor(() => proxy.seen.some(({ url }) => url === '/v1/my/events'), { what: 'the stream of the waiting' });
  proxy.cutAll();
  await observe(Status.ACTIVE);
  expect((await waiting).status_name).toBe('ACTIVE');
});

it('a wait for a terminal ends with the reason when its login is refused meanwhile', async () => {
  await observe(Status.CONNECTING);
  let looks = 0;
  const seen = () => (looks = proxy.seen.filter(({ url }) => url.endsWith(id)).length);
  seen();
  const before = looks;
  const waiting = berth.terminals.waitFor(id, 'ACTIVE').catch((error: unknown) => error);
  await waitFor(() => seen() > before, { what: 'the first look' });
  await observe(Status.LOGIN_FAILED, id, 'The broker refused the password.');
  const failure = await waiting;
  expect(failure).toBeInstanceOf(TerminalStateError);
  expect((failure as TerminalStateError).terminal.status_name).toBe('LOGIN_FAILED');
  await observe(Status.CONNECTING);
  await observe(Status.ACTIVE);
});

it('terminals that do not come in time, or that nobody wants any more, end the waiting alone', async () => {
  await expect(berth.terminals.waitFor(id, 'STOPPED', { waitMs: 50 })).rejects.toThrow(TimeoutError);
  const reason = new Error('enough');
  const failure = await berth.terminals
    .waitFor(id, 'STOPPED', { signal: AbortSignal.abort(reason) })
    .catch((e: unknown) => e);
  expect(failure).toBeInstanceOf(AbortedError);
  expect(failure).toMatchObject({ name: 'AbortError', cause: reason });
  await expect(berth.terminals.waitFor('0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10', 'ACTIVE')).rejects.toThrow(
    NotFoundError,
  );
});

it('a task is run to its end, and its answer has the type of its type', async () => {
  const statuses: string[] = [];
  const steps: string[] = [];
  const running: Promise<DoneTask<'EA_LOGS'>> = berth.tasks.run(
    id,
    'EA_LOGS',
    { lines: 5 },
    {
      onStep: ({ step }) => steps.push(step),
      onStatus: (status) => statuses.push(status),
    },
  );
  const [delivered] = await host.claim();
  const fence = { task_id: delivered!.id, fence: delivered!.fence };
  const data = { lines: ['10:00\texperts\thello'], truncated: false };
  await host.report(
    { kind: 'started', ...fence },
    { kind: 'completed', ...fence, steps: [toStep({ step: 'find_file' }), toStep({ step: 'read_lines', data })] },
  );
  const done = await running;
  expect(done.data.lines).toEqual(['10:00\texperts\thello']);
  expect(done.task).toMatchObject({ type: TaskType.EA_LOGS, status: TaskStatus.COMPLETED, payload: { lines: 5 } });
  expect(steps).toEqual(['find_file', 'read_lines']);
  expect(statuses.at(-1)).toBe('COMPLETED');
  const moves = await berth.tasks.history(id, done.task.id);
  expect(moves.at(-1)).toMatchObject({ to: TaskStatus.COMPLETED });
  expect((await berth.tasks.list(id, { type: 'EA_LOGS' }).toArray()).map((task) => task.id)).toEqual([done.task.id]);
  const ofAccount = await berth.tasks.ofAccount({ type: ['EA_LOGS'], status: ['COMPLETED', 'FAILED'] }).toArray();
  expect(ofAccount.map((task) => task.id)).toEqual([done.task.id]);
});

it('a task that fails is an error with its code and its steps', async () => {
  const running = berth.tasks.run(id, 'ACCOUNT_LOGIN').catch((error: unknown) => error);
  const [delivered] = await host.claim();
  const fence = { task_id: delivered!.id, fence: delivered!.fence };
  const step = toStep({ ok: false, code: 'E_AUTH', message: 'The broker refused the login.' });
  await host.report({ kind: 'started', ...fence }, { kind: 'failed', ...fence, steps: [step] });
  const failure = (await running) as TaskFailedError;
  expect(failure).toBeInstanceOf(TaskFailedError);
  expect(failure).toMatchObject({ code: 'E_AUTH', task: { status: TaskStatus.FAILED } });
  expect(failure.message).toContain('The broker refused the login.');
  expect(failure.steps).toHaveLength(1);
});

it('a task goes on when the waiting for it is aborted, and says so', async () => {
  const abort = new AbortController();
  const running = berth.tasks.run(
    id,
    'MARKET_WATCH_SHOW_ALL',
    {},
    { signal: abort.signal, onStatus: () => abort.abort() },
  );
  await expect(running).rejects.toThrow(/The task itself goes on/);
  await expect(running).rejects.toThrow(AbortedError);
  const [task] = (await berth.tasks.page(id, { type: 'MARKET_WATCH_SHOW_ALL' })).data;
  expect(task!.status).toBeLessThan(TaskStatus.COMPLETED);
  await berth.tasks.cancel(id, task!.id);
  await expect(berth.tasks.waitFor(id, task!.id)).rejects.toThrow(TaskFailedError);
  await expect(berth.tasks.cancel(id, task!.id)).rejects.toThrow(RefusedError);
});

it('a task is canceled with its waiting where that was asked for', async () => {
  const abort = new AbortController();
  const options = { signal: abort.signal, onStatus: () => abort.abort(), cancelOnAbort: true };
  const running = berth.tasks.run(id, 'EA_REMOVE', { name: 'Harbour' }, options);
  await expect(running).rejects.toThrow(/The task was canceled/);
  const [task] = (await berth.tasks.page(id, { type: 'EA_REMOVE' })).data;
  expect(task!.status).toBe(TaskStatus.CANCELED);
});

it('a task of hundred callers at once takes one stream of events', async () => {
  const before = proxy.seen.length;
  // The stream of an earlier wait lingers.
  const own = new Berth({ baseUrl: proxy.url, token });
  const waits = Array.from({ length: 20 }, () => own.terminals.waitFor(id, 'STOPPED'));
  await waitFor(() => proxy.seen.length - before >= 21, { what: 'the first looks' });
  await observe(Status.STOPPED);
  expect(new Set((await Promise.all(waits)).map(({ status_name: name }) => name))).toEqual(new Set(['STOPPED']));
  expect(proxy.seen.slice(before).filter(({ url }) => url === '/v1/my/events')).toHaveLength(1);
  await observe(Status.CONNECTING);
  await observe(Status.ACTIVE);
});

it('many terminals get a task by one call, with an answer for each', async () => {
  const answers = await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', {
    filter: { status: ['ACTIVE'] },
    payload: { allow_algo_trading: 0 },
  });
  const created = { terminal_id: id, ok: true, task_id: expect.any(String), msg: expect.any(String), warnings: [] };
  expect(answers).toEqual([created]);
  const missing = '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';
  const [refused] = await berth.terminals.bulkTasks('SCREENSHOT', { terminal_ids: [missing] });
  expect(refused).toMatchObject({ terminal_id: missing, ok: false, task_id: null });
  for (const task of await host.claim()) await host.complete(task, { enabled: false, verified: true });
});

it('many terminals are never all of them by an accident, nor none', async () => {
  const before = proxy.seen.length;
  const payload = { allow_algo_trading: 0 } as const;
  const wrong = [{ status: [] }, { status: null }, { search: ' ' }, { project_id: null }, { regoin: 1 }] as never[];
  for (const filter of [...wrong, { project_id: undefined }, undefined as never, null as never]) {
    await expect(berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { filter, payload })).rejects.toThrow(FilterError);
  }
  for (const filter of wrong) {
    await expect(berth.terminals.list(filter).toArray()).rejects.toThrow(FilterError);
    await expect(berth.terminals.counts(filter)).rejects.toThrow(FilterError);
  }
  await expect(berth.tasks.pageOfAccount({ status: [] })).rejects.toThrow(FilterError);
  await expect(berth.tasks.page(id, { tpye: 6 } as never)).rejects.toThrow(FilterError);
  expect(proxy.seen.length).toBe(before);
  const nobody = berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { filter: { search: 'nobody' }, payload });
  await expect(nobody).rejects.toMatchObject({ name: 'ConflictError', status: 409, code: 'nothing_matched' });
  const later = { all: true, payload, planned_at: farAhead } as const;
  const [planned] = await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', later);
  const task = await berth.tasks.get(id, planned!.task_id!);
  expect(task.planned_at).toBe(farAhead.replace('.000Z', '.000000Z'));
  await berth.tasks.cancel(id, task.id);
});

it('the screenshot of a terminal is there once a fresh one was taken, and is sent again only when it changed', async () => {
  await expect(berth.terminals.screenshot(id)).rejects.toThrow(NotFoundError);
  const { id: taskId } = await berth.terminals.freshScreenshot(id);
  const [delivered] = await host.claim();
  const png = PNG.sync.write(new PNG({ width: 640, height: 400 }));
  const { file } = await host.upload(delivered!, png);
  const facts = { id: file.id, sha256: file.sha256, bytes: file.size, width: 640, height: 400, type: 'image/png' };
  await host.complete(delivered!, { file: facts });
  const done = await berth.tasks.waitFor<'SCREENSHOT'>(id, taskId);
  expect((await berth.files.content(done.data.file!.id)).bytes).toEqual(new Uint8Array(png));
  const screenshot = await berth.terminals.screenshot(id);
  expect(PNG.sync.read(Buffer.from(screenshot!.bytes)).width).toBeLessThanOrEqual(320);
  expect(await berth.terminals.screenshot(id, { etag: screenshot!.etag })).toBeUndefined();
});

it('the end of a terminal can be waited for', async () => {
  const waiting = berth.terminals.waitFor(id, 'DESTROYED');
  expect(await berth.terminals.delete(id)).toBe(id);
  await expect(berth.terminals.waitFor(id, 'ACTIVE')).rejects.toThrow(TerminalStateError);
  const [destroy] = await host.claim();
  await host.complete(destroy!, { freed_bytes: 1 });
  expect(await waiting).toMatchObject({ id, status_name: 'DESTROYED' });
  await expect(berth.terminals.get(id)).rejects.toThrow(NotFoundError);
});

it('terminals on one account are warned of, where they are created and logged in', async () => {
  await berth.terminals.create({ ...account, name: 'First' });
  const twin = await berth.terminals.create({ ...account, name: 'Twin' });
  expect(twin.warnings).toEqual([expect.stringContaining('uses the same account')]);
  expect(twin.message).toBe(`The terminal is being deployed. ${twin.warnings[0]}`);
  const other = await berth.terminals.create({ ...account, login: '5002' });
  expect(other).toMatchObject({ warnings: [], message: 'The terminal is being deployed.' });
  const login = { login: '5001', password: 'trade-me' };
  const options = { plannedAt: farAhead };
  const task = await berth.tasks.create(other.id, 'ACCOUNT_LOGIN', login, options);
  expect(task.warnings).toEqual([expect.stringContaining('experts on both would trade twice')]);
});
