/** The cost of waiting: many waits share an event stream and their reads. */
import { TerminalStatus, type DeliveredTask } from '@berth/contract';
import { TestHost, toStep, waitFor, useTestServer } from '@berth/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  AbortedError,
  Berth,
  BerthError,
  InvalidArgumentError,
  TaskFailedError,
  TaskStatus,
  TimeoutError,
  type Task,
  type TaskOptions,
} from '../src/index.ts';
import { FaultyProxy } from './faulty-proxy.ts';

const TERMINALS = 17;
const TASKS_EACH = 12;
const server = useTestServer({ config: { defaultPlatform: 'sandbox', isRateLimited: true } });
let proxy: FaultyProxy;
let host: TestHost;
let berth: Berth;
let token: string;
let ids: string[];

beforeAll(async () => {
  proxy = await FaultyProxy.open(server.url);
  host = await TestHost.enrol(server);
  ({ token } = await server.register('Ada Lovelace'));
  berth = new Berth({ baseUrl: proxy.url, token });
  ids = [];
  for (let number = 0; number < TERMINALS; number += 1) {
    const account = { server_name: 'Harbour-Demo', login: `${5001 + number}`, password: 'trade-me', region: 0 };
    ids.push((await berth.terminals.create(account)).id);
  }
  while (await isBusy()) await host.installAll();
});
afterAll(() => proxy?.close());
beforeEach(() => void proxy.seen.splice(0));

/** Some terminals are not active yet. Asked past the limits of requests, which this is about. */
const isBusy = async (): Promise<boolean> =>
  (await server.query('select 1 from terminals where status <> $1', [TerminalStatus.ACTIVE])).length > 0;

/** Gives each terminal tasks, by few calls, as many are asked for. */
const createTasks = async (perTerminal: number, terminalIds = ids): Promise<{ terminalId: string; id: string }[]> => {
  const created: { terminalId: string; id: string }[] = [];
  for (let round = 0; round < perTerminal; round += 1) {
    const answers = await berth.terminals.bulkTasks('EA_LOGS', { terminal_ids: terminalIds, payload: {} });
    for (const { terminal_id: terminalId, task_id: id } of answers) created.push({ terminalId, id: id! });
  }
  return created;
};

/** What proves that a log was read. */
const readLines = toStep({ step: 'read_lines', data: { lines: [], truncated: false } });

/** The ends of attempts in one call, as an agent sends them. */
const end = async (...tasks: DeliveredTask[]): Promise<void> => {
  const attempts = tasks.map(({ id, fence }) => ({ task_id: id, fence }));
  await host.report(
    ...attempts.map((attempt) => ({ kind: 'started' as const, ...attempt })),
    ...attempts.map((attempt) => ({ kind: 'completed' as const, ...attempt, steps: [readLines] })),
  );
};

/** The host carries out what it gets, until at least this many are done. @returns how many are */
const carryOut = async (count: number): Promise<number> => {
  let done = 0;
  while (done < count) {
    const tasks = await host.claim();
    await end(...tasks);
    done += tasks.length;
  }
  return done;
};

const count = (pattern: RegExp): number => proxy.seen.filter(({ url }) => pattern.test(url)).length;

it(
  '200 waits over 17 terminals cost a stream and some shared reads, and use up no limit',
  { timeout: 120_000 },
  async () => {
    const created = await createTasks(TASKS_EACH);
    expect(created.length).toBeGreaterThanOrEqual(200);
    proxy.seen.splice(0);
    const limited: string[] = [];
    const onLimit = (response: Response) => void (response.status === 429 && limited.push(response.url));
    const counting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      onLimit(response);
      return response;
    };
    const own = await berth.account.tokens.create({ name: 'waits' });
    const waiting = new Berth({ baseUrl: proxy.url, token: own.token, fetch: counting });
    proxy.seen.splice(0);
    const waits = created.map(({ terminalId, id }) => waiting.tasks.waitFor<'EA_LOGS'>(terminalId, id));
    await waitFor(() => count(/events/) === 1, { what: 'the stream' });
    await carryOut(created.length);
    const done = await Promise.all(waits);
    expect(new Set(done.map(({ task }) => task.id)).size).toBe(created.length);
    expect(done.every(({ data }) => Array.isArray(data.lines))).toBe(true);
    expect(limited).toEqual([]);
    expect(count(/events/)).toBe(1);
    expect(proxy.seen.length).toBeLessThan(250);
  },
);

it(
  '200 waits over 17 terminals end although the stream breaks in the middle and does not come back',
  { timeout: 120_000 },
  async () => {
    const created = await createTasks(2);
    const own = await berth.account.tokens.create({ name: 'waits' });
    let isCut = false;
    const noEvents: typeof fetch = (input, init) =>
      isCut && typeof input === 'string' && input.endsWith('/events')
        ? Promise.reject(new TypeError('cut'))
        : fetch(input, init);
    const waiting = new Berth({ baseUrl: proxy.url, token: own.token, fetch: noEvents });
    const waits = created.map(({ terminalId, id }) => waiting.tasks.waitFor(terminalId, id));
    await waitFor(() => count(/events/) === 1, { what: 'the stream' });
    const done = await carryOut(TERMINALS);
    isCut = true;
    proxy.cutAll();
    await carryOut(created.length - done);
    expect(await Promise.all(waits)).toHaveLength(created.length);
  },
);

it('one wait reads a task when events arrive, and at its end, and nothing in between', async () => {
  const [created] = await createTasks(1, ids.slice(0, 1));
  proxy.seen.splice(0);
  const statuses: string[] = [];
  const onStatus = (status: string) => void statuses.push(status);
  const wait = berth.tasks.waitFor(created!.terminalId, created!.id, { onStatus });
  await waitFor(() => count(/tasks\/[^/]+$/) === 1, { what: 'the first read' });
  const [delivered] = await host.claim();
  const task = { task_id: delivered!.id, fence: delivered!.fence };
  await host.report({ kind: 'started', ...task });
  await waitFor(() => statuses.includes('RUNNING'), { what: 'the event that it runs' });
  expect(proxy.seen.map(({ url }) => url.replace(/.*\//, ''))).toEqual(['events', created!.id]);
  await host.report({ kind: 'completed', ...task, steps: [readLines] });
  await wait;
  expect(count(/tasks\/[^/]+$/)).toBe(2);
  expect(statuses.slice(-2)).toEqual(['RUNNING', 'COMPLETED']);
});

it('one wait of one after the other shares the stream', async () => {
  const [created] = await createTasks(1, ids.slice(0, 1));
  await carryOut(1);
  proxy.seen.splice(0);
  const own = new Berth({ baseUrl: proxy.url, token });
  for (let number = 0; number < 5; number += 1) await own.tasks.waitFor(created!.terminalId, created!.id);
  expect(count(/events/)).toBe(1);
});

it('one wait knows a task by its id in capitals, and not by the id of another terminal', async () => {
  const [created] = await createTasks(1, ids.slice(0, 1));
  const wait = berth.tasks.waitFor(created!.terminalId.toUpperCase(), created!.id.toUpperCase());
  const other = berth.tasks.waitFor(ids[1]!, created!.id).catch((error: unknown) => error);
  expect(await other).toMatchObject({ status: 404 });
  await carryOut(1);
  expect((await wait).task.id).toBe(created!.id);
});

const cases: [string, (fail: () => never) => TaskOptions & Record<string, unknown>][] = [
  ['onStep', (fail) => ({ onStep: fail })],
  ['onStatus', (fail) => ({ onStatus: fail })],
  ['onStatus of an event', (fail) => ({ onStatus: (status: string) => void (status === 'RUNNING' && fail()) })],
];

it.each(cases)('what a function of the caller throws comes as it is: %s', async (name, toOptions) => {
  const [created] = await createTasks(1, ids.slice(0, 1));
  const own = new TypeError('a defect of the program');
  const options = toOptions(() => {
    throw own;
  });
  const program = new Berth({ baseUrl: proxy.url, token });
  const wait = program.tasks.waitFor(created!.terminalId, created!.id, options).catch((error: unknown) => error);
  const other = program.tasks.waitFor(created!.terminalId, created!.id);
  await waitFor(() => count(/tasks/) > 1, { what: 'the first reads' });
  const [delivered] = await host.claim();
  await host.report({ kind: 'started', task_id: delivered!.id, fence: delivered!.fence });
  if (name === 'onStatus of an event') expect(await wait).toBe(own);
  await end(delivered!);
  expect(await wait).toBe(own);
  expect((await other).task.status).toBe(TaskStatus.COMPLETED);
});

it.each([12, 13])(
  'a task that its host did not see done is an error with what was seen, even where it is called completed: type %i',
  async (type) => {
    const result = { runner_result: [toStep({ data: { enabled: true, verified: false } })], status: 0 };
    const task = { id: 'b', terminal_id: 'a', type, status: TaskStatus.COMPLETED, result } as unknown as Task;
    const headers = { 'content-type': 'application/json' };
    const answer = JSON.stringify({ ok: true, msg: '', data: { ok: true, task } });
    const old = new Berth({ baseUrl: server.url, fetch: () => Promise.resolve(new Response(answer, { headers })) });
    const failure = await old.tasks.waitFor('a', 'b').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TaskFailedError);
    expect(failure).toMatchObject({ steps: [{ data: { enabled: true, verified: false } }] });
  },
);

it('a wait that does not come to its end in time says for which terminal it was, what the terminal is, why, and what was wanted', async () => {
  const id = ids[0]!;
  const reason = 'The broker’s server does not answer.';
  await host.report({ kind: 'terminal', terminal_id: id, status: TerminalStatus.DISCONNECTED, reason });
  const failure = await berth.terminals.waitFor(id, 'ACTIVE', { waitMs: 1_500 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TimeoutError);
  for (const part of [id, 'ACTIVE', 'DISCONNECTED', reason]) expect((failure as Error).message).toContain(part);
  await host.report({ kind: 'terminal', terminal_id: id, status: TerminalStatus.ACTIVE });
});

it('a wait that does not come to its end in time says for which task, and how that was', async () => {
  const [created] = await createTasks(1, ids.slice(0, 1));
  const { terminalId, id } = created!;
  const failure = await berth.tasks.waitFor(terminalId, id, { waitMs: 1_500 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TimeoutError);
  for (const part of [id, terminalId, /PENDING|QUEUED|DELIVERED/]) expect((failure as Error).message).toMatch(part);
  await carryOut(1);
});

const order = () => ({ terminal_ids: [...ids, 'nobody'], payload: {} });

it(
  'a task on many terminals is waited for on each, a few at a time, and reported as it ends',
  { timeout: 120_000 },
  async () => {
    const reported: string[] = [];
    const onResult = ({ terminalId }: { terminalId: string }) => void reported.push(terminalId);
    const run = berth.tasks.runOnMany('EA_LOGS', order(), { concurrency: 3, onResult });
    await carryOut(TERMINALS);
    const results = await run;
    expect(results.map(({ terminalId }) => terminalId)).toEqual(order().terminal_ids);
    expect(reported.toSorted()).toEqual(order().terminal_ids.toSorted());
    expect(results.slice(0, -1).every((result) => result.ok && Array.isArray(result.data.lines))).toBe(true);
    const [last] = results.slice(-1);
    expect(last).toMatchObject({ ok: false, taskId: null });
    expect(last?.ok === false && last.error).toBeInstanceOf(BerthError);
  },
);

it('a task on many terminals can be canceled on all, also where nobody waits for it yet', async () => {
  const controller = new AbortController();
  const run = berth.tasks.runOnMany('EA_LOGS', order(), {
    concurrency: 1,
    signal: controller.signal,
    cancelOnAbort: true,
    onResult: () => undefined,
  });
  await waitFor(() => count(/tasks\/[^/]+$/) > 0, { what: 'the first read' });
  controller.abort();
  await expect(run).rejects.toThrow(AbortedError);
  expect(await berth.tasks.ofAccount({ status: ['PENDING', 'QUEUED'] }).toArray()).toEqual([]);
});

it('a task on many terminals ends with what a function of the caller throws, and is refused for a wrong limit', async () => {
  const own = new TypeError('a defect of the program');
  const onResult = () => {
    throw own;
  };
  const run = berth.tasks.runOnMany('EA_LOGS', order(), { onResult }).catch((error: unknown) => error);
  await carryOut(TERMINALS);
  expect(await run).toBe(own);
  const wrong = berth.tasks.runOnMany('EA_LOGS', order(), { concurrency: 0 });
  await expect(wrong).rejects.toThrow(InvalidArgumentError);
});

it('many waits for terminals look at all of them by one list', async () => {
  proxy.seen.splice(0);
  const waits = ids.map((id) => berth.terminals.waitFor(id, ['STOPPED', TerminalStatus.DISCONNECTED]));
  await waitFor(() => count(/terminals\?page=1/) === 1, { what: 'the first look' });
  await host.report(
    ...ids.map((id) => ({ kind: 'terminal', terminal_id: id, status: TerminalStatus.DISCONNECTED }) as const),
  );
  const terminals = await Promise.all(waits);
  expect(new Set(terminals.map(({ status_name: name }) => name))).toEqual(new Set(['DISCONNECTED']));
  // Each is read alone at its end, for its reason.
  expect(proxy.seen.length).toBeLessThanOrEqual(TERMINALS + 4);
  await host.report(
    ...ids.map((id) => ({ kind: 'terminal', terminal_id: id, status: TerminalStatus.ACTIVE }) as const),
  );
});
