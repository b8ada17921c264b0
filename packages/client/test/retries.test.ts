/** What is sent again when the network or the server fails, and what is not. */
import { randomUUID } from 'node:crypto';
import { startTestServer, useTestServer } from '@berth/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AbortedError, Berth, ConnectionError, RateLimitError, ServerError, TimeoutError } from '../src/index.ts';
import { findRetryDelayMs, toBackOffMs, toSpreadMs } from '../src/http/retries.ts';
import { FaultyProxy } from './faulty-proxy.ts';

const server = useTestServer();
let proxy: FaultyProxy;
let berth: Berth;
let token: string;

beforeAll(async () => {
  proxy = await FaultyProxy.open(server.url);
  ({ token } = await server.register('Ada Lovelace'));
  berth = new Berth({ baseUrl: proxy.url, token });
});
afterEach(() => void proxy.seen.splice(0));
afterAll(() => proxy?.close());

const countProjects = async (name: string): Promise<number> =>
  (await berth.projects.list({ search: name }).toArray()).length;
const unavailable = { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };

it('reading goes on after broken connections and a proxy that has nobody behind it', async () => {
  proxy.next('cut', unavailable);
  expect(await berth.account.profile()).toMatchObject({ name: 'Ada Lovelace' });
  expect(proxy.seen).toHaveLength(3);
});

it('reading is given up after the attempts that were asked for', async () => {
  proxy.next('cut', 'cut', 'cut');
  const failure = await berth.account.profile({ maxRetries: 1 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConnectionError);
  expect(proxy.seen).toHaveLength(2);
  await expect(berth.account.profile({ maxRetries: 0 })).rejects.toThrow(ConnectionError);
  await expect(berth.account.profile({ maxRetries: 0 })).resolves.toBeDefined();
});

it('reading is not left to hang: an attempt has its time', async () => {
  proxy.next('hang', 'hang');
  await expect(berth.account.profile({ timeoutMs: 1_000, maxRetries: 0 })).rejects.toThrow(TimeoutError);
  await expect(
    berth.account.profile({ timeoutMs: 20_000, maxRetries: 0, signal: AbortSignal.timeout(1_000) }),
  ).rejects.toThrow(AbortedError);
});

it('reading of what is not there is no matter of trying again', async () => {
  await expect(berth.terminals.get(randomUUID())).rejects.toMatchObject({ status: 404, code: 'not_found' });
  expect(proxy.seen).toHaveLength(1);
});

it('a creation whose answer was lost is not made twice', async () => {
  proxy.next('lose answer', 'lose answer');
  const project = await berth.projects.create({ name: 'Once' });
  expect(await countProjects('Once')).toBe(1);
  expect(project.name).toBe('Once');
  const keys = proxy.seen.slice(0, 3).map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
});

it('a creation that its caller repeats by a key of its own is not made twice either', async () => {
  const idempotencyKey = randomUUID();
  const first = await berth.projects.create({ name: 'By key' }, { idempotencyKey });
  expect(await berth.projects.create({ name: 'By key' }, { idempotencyKey })).toEqual(first);
  expect(await countProjects('By key')).toBe(1);
});

it('a creation has a key of its own each time', async () => {
  await berth.projects.create({ name: 'Twin' });
  await berth.projects.create({ name: 'Twin' });
  expect(await countProjects('Twin')).toBe(2);
});

it('a creation waits while its own first attempt is still being carried out', async () => {
  const busy = {
    status: 409,
    headers: { 'content-type': 'application/json', 'x-error-code': 'idempotency_key_in_use' },
  };
  proxy.next({ ...busy, body: '{"ok":false,"msg":"Idempotency key is in use.","data":null}' });
  await berth.projects.create({ name: 'Patient' });
  expect(proxy.seen).toHaveLength(2);
});

it('a creation of a file goes again with all of its bytes', async () => {
  proxy.next('lose answer');
  const content = new Uint8Array(300_000).fill(7);
  const file = await berth.files.upload('big.bin', content);
  expect(file.size).toBe(content.length);
  expect((await berth.files.list().toArray()).filter(({ name }) => name === 'big.bin')).toHaveLength(1);
});

it('what would be something else the second time is not sent again: a new token, a login', async () => {
  proxy.next('lose answer');
  await expect(berth.account.tokens.create({ name: 'lost' })).rejects.toThrow(ConnectionError);
  proxy.next(unavailable);
  await expect(berth.auth.login({ email: 'ada@example.com', password: 'wrong' })).rejects.toMatchObject({
    status: 503,
  });
  expect(proxy.seen).toHaveLength(2);
  expect(proxy.seen[0]!.headers['idempotency-key']).toBeUndefined();
});

const answer = (status: number, code: string, retryAfter: string) => ({
  status,
  headers: { 'content-type': 'application/json', 'x-error-code': code, 'retry-after': retryAfter },
  body: JSON.stringify({ ok: false, msg: 'Too many attempts.', data: null }),
});

it('a server that has no time is asked again when it says', async () => {
  proxy.next(answer(429, 'token_rate_limit', '1'), answer(503, 'unavailable', '0'));
  expect(await berth.account.profile()).toBeDefined();
  expect(proxy.seen).toHaveLength(3);
});

it('a server that has no time with a long Retry-After is reported to the caller, with the time', async () => {
  proxy.next(answer(429, 'token_rate_limit', '3600'));
  const failure = await berth.account.profile().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RateLimitError);
  expect(failure).toMatchObject({ retryAfterMs: 3_600_000, code: 'token_rate_limit' });
  expect(proxy.seen).toHaveLength(1);
});

it('a server that has no time waits as long as it was asked to, and longer with each attempt where nobody asked', () => {
  const facts = { status: 503, code: 'unavailable', requestId: undefined, hint: undefined, errors: {} };
  const asked = new ServerError('', { ...facts, retryAfterMs: 2_000 });
  expect(findRetryDelayMs(asked, 0)).toBeGreaterThanOrEqual(2_000);
  // Fifty that were given the same time do not come back together.
  const delays = Array.from({ length: 50 }, () => findRetryDelayMs(asked, 0)!);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(2_000);
  expect([toSpreadMs(2_000, 0), toSpreadMs(2_000, 1), toSpreadMs(60_000, 1)]).toEqual([2_000, 3_000, 90_000]);
  expect(new Set(delays).size).toBeGreaterThan(25);
  expect(findRetryDelayMs(new ServerError('', { ...facts, retryAfterMs: 61_000 }), 0)).toBeUndefined();
  expect([0, 1, 2, 9].map((attempt) => toBackOffMs(attempt, 1))).toEqual([500, 1_000, 2_000, 8_000]);
  expect(toBackOffMs(1, 0)).toBe(500);
});

it('a server that has no time really says so: a limit that is used up has an end', async () => {
  const strict = await startTestServer({ config: { isRateLimited: true } });
  try {
    const visitor = new Berth({ baseUrl: strict.url });
    const login = () =>
      visitor.auth.login({ email: 'ada@example.com', password: 'wrong' }).catch((error: unknown) => error);
    const failures: unknown[] = [];
    for (let count = 0; count < 7; count += 1) failures.push(await login());
    expect(failures.at(-1)).toBeInstanceOf(RateLimitError);
    expect((failures.at(-1) as RateLimitError).retryAfterMs).toBeGreaterThan(0);
  } finally {
    await strict.close();
  }
});
