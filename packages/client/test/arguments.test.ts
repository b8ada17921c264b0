/** What a caller gets wrong: it comes as a rejection that says so, never at once, and never as a failure of the network. */
import { useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { ApiPromise, Berth, BerthError, InvalidArgumentError, NotFoundError, ValidationError } from '../src/index.ts';

const server = useTestServer();
let berth: Berth;

beforeAll(async () => {
  const { token } = await server.register('Ada Lovelace');
  berth = new Berth({ baseUrl: server.url, token });
});

type Method = (...given: unknown[]) => unknown;

/** Every method of the client that is a call, by its name. */
const listMethods = (client: Berth): [string, Method][] => {
  const { account, operator } = client;
  const groups = { auth: client.auth, account, tokens: account.tokens, sessions: account.sessions };
  const others = { notifications: account.notifications, projects: client.projects, regions: client.regions };
  const rest = { terminals: client.terminals, tasks: client.tasks, bulkRuns: client.bulkRuns, files: client.files };
  const operators = { hosts: operator.hosts, joinTokens: operator.joinTokens };
  return Object.entries({ ...groups, ...others, ...rest, ...operators }).flatMap(([groupName, group]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(group))
      .filter((name) => name !== 'constructor')
      .map((name): [string, Method] => [
        `${groupName}.${name}`,
        (...given) => (group as unknown as Record<string, Method>)[name]!(...given),
      ]),
  );
};

const settle = async (made: unknown): Promise<unknown> => {
  const isList = typeof made === 'object' && made !== null && Symbol.asyncIterator in made;
  const promise = isList ? (made as AsyncIterable<unknown>)[Symbol.asyncIterator]().next() : made;
  return (promise as Promise<unknown>).catch((error: unknown) => error);
};

const circular: Record<string, unknown> = {};
circular.self = circular;
const garbage: [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a symbol', Symbol('id')],
  ['a circle', circular],
  ['a huge number', 10n],
  ['a function', () => undefined],
  ['half a character', '\ud800'],
];

// Nobody has anything: the question is what becomes of the arguments.
const nobody = new Berth({
  baseUrl: 'http://127.0.0.1:1',
  token: '1|x',
  maxRetries: 0,
  fetch: () => {
    const headers = { 'content-type': 'application/json', 'x-error-code': 'not_found' };
    return Promise.resolve(new Response('{"ok":false,"msg":"Nothing is here."}', { status: 404, headers }));
  },
});

it.each(garbage)('no method throws at once for %s in place of each argument', async (_name, wrong) => {
  for (const [name, method] of listMethods(nobody)) {
    for (const given of [[wrong], [wrong, wrong], [wrong, wrong, wrong], ['a', wrong, 'b'], ['a', 'b', wrong]]) {
      let made: unknown;
      expect(() => (made = method(...given)), name).not.toThrow();
      const outcome = await settle(made);
      if (outcome instanceof Error) expect(outcome, name).toBeInstanceOf(BerthError);
    }
  }
});

it('no method throws at once, and what cannot be sent is not called a failure of the network', async () => {
  const wrong: (() => Promise<unknown>)[] = [
    () => nobody.projects.create(circular as never),
    () => nobody.projects.create({ name: 10n as never }),
    () => nobody.terminals.overview(undefined as never),
    () => nobody.tasks.byIds(undefined as never),
    () => nobody.files.stream(''),
    () => nobody.files.stream('a', { from: Symbol('from') as never }),
    () => nobody.bulkRuns.get(''),
    () => nobody.bulkRuns.items('').toArray(),
    () => nobody.bulkRuns.create('SCREENSHOT', undefined as never),
    () => nobody.terminals.counts({ status: [] }),
    () => nobody.terminals.get(''),
    () => nobody.terminals.get(null as never),
    () => nobody.terminals.get('\ud800'),
    () => nobody.projects.create({ name: 'x' }, { idempotencyKey: 'line\nbreak' }),
    () => nobody.account.profile({ timeoutMs: Number.NaN }),
    () => nobody.account.profile({ timeoutMs: -1 }),
    () => nobody.account.profile({ maxRetries: '2' as never }),
    () => nobody.account.profile({ signal: {} as never }),
  ];
  for (const call of wrong) await expect(call()).rejects.toThrow(InvalidArgumentError);
});

it('a status or a type by a name that there is not is refused: a filter that is dropped would match everything', async () => {
  const calls: (() => Promise<unknown>)[] = [
    () => berth.tasks.page('x', { status: 'FALIED' as never }),
    () => berth.tasks.page('x', { type: 'SCRENSHOT' as never }),
    () => berth.tasks.pageOfAccount({ status: ['COMPLETE' as never] }),
    () => berth.tasks.pageOfAccount({ type: ['toString' as never] }),
    () => berth.tasks.list('x', { status: 'constructor' as never }).toArray(),
    () => berth.terminals.page({ status: ['ACTIV' as never] }),
    () => berth.terminals.counts({ status: ['' as never] }),
    () => berth.terminals.bulkTasks('SCREENSHOT', { filter: { status: ['ACTIV' as never] } }),
    () => berth.terminals.bulkTasks('SCRENSHOT' as 'SCREENSHOT', { filter: { status: ['ACTIVE'] } }),
    () => berth.bulkRuns.create('SCRENSHOT' as 'SCREENSHOT', { all: true }),
    () => berth.tasks.create('x', 'SCRENSHOT' as 'SCREENSHOT'),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow(/There is no ".*"\. Choose from/);
});

it('an answer has its headers, its request id and its message on demand', async () => {
  const { data, response } = await berth.account.profile().withResponse();
  expect(data).toEqual(await berth.account.profile());
  expect(response).toMatchObject({ status: 200, requestId: expect.any(String), message: expect.any(String) });
  expect(response.headers.get('content-type')).toContain('application/json');
  const uploaded = await berth.files.upload('a.set', 'x=1').withResponse();
  expect(uploaded.response.requestId).toBe(uploaded.response.headers.get('x-request-id'));
  const content = await berth.files.content(uploaded.data.id).withResponse();
  expect(content.response.headers.get('etag')).toBe(content.data.etag);
  const { data: streamed, response: begun } = await berth.files.stream(uploaded.data.id).withResponse();
  expect(begun).toMatchObject({ status: 200, requestId: expect.any(String) });
  await streamed.stream.cancel();
  const deletion = await berth.files.delete(uploaded.data.id).withResponse();
  expect(deletion).toMatchObject({ data: undefined, response: { status: 200 } });
});

it('an answer that is an error is reported once, whichever way it was requested', async () => {
  await expect(berth.terminals.get('nobody').withResponse()).rejects.toThrow(NotFoundError);
  const promise = berth.terminals.get('nobody');
  await expect(promise).rejects.toThrow(NotFoundError);
  await expect(promise.withResponse()).rejects.toThrow(NotFoundError);
});

it('an answer is a promise like any other', async () => {
  const promise = berth.account.profile();
  expect(promise).toBeInstanceOf(ApiPromise);
  expect(promise).toBeInstanceOf(Promise);
  expect(promise.then(({ name }) => name)).not.toBeInstanceOf(ApiPromise);
  expect(await Promise.all([promise, promise.finally(() => undefined)])).toHaveLength(2);
});

it('an answer that is an error says what to do about it', async () => {
  await expect(berth.projects.create({ name: '' })).rejects.toMatchObject({
    status: 422,
    code: 'validation',
    hint: expect.stringMatching(/\w/),
    errors: { name: ['The name field is required.'] },
    requestId: expect.any(String),
  });
  await expect(berth.projects.create({ name: '' })).rejects.toThrow(ValidationError);
  await expect(berth.terminals.get('nobody')).rejects.toMatchObject({ hint: expect.stringContaining('List your') });
});

it('one signal for many calls has one listener, and none when they are over', async () => {
  const controller = new AbortController();
  const added: string[] = [];
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => (added.push('+'), add(...given));
  signal.removeEventListener = (...given: Parameters<typeof remove>) => (added.push('-'), remove(...given));
  await Promise.all(Array.from({ length: 30 }, () => berth.account.profile({ signal })));
  expect(added).toEqual(['+', '-']);
  const waits = Array.from({ length: 30 }, () => berth.tasks.waitFor('a', 'b', { signal }).catch((e: unknown) => e));
  for (const outcome of await Promise.all(waits)) expect(outcome).toBeInstanceOf(NotFoundError);
  expect(added.filter((sign) => sign === '+').length).toBe(added.filter((sign) => sign === '-').length);
});
