/** Answers that are not Berth's, and what they must not come to: success, a leaked token, a full memory. */
import { inspect } from 'node:util';
import { useTestServer } from '@berth/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Berth, BerthError, ServerError, TimeoutError, UnexpectedAnswerError } from '../src/index.ts';
import { FaultyProxy, type Fault } from './faulty-proxy.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const server = useTestServer();
let proxy: FaultyProxy;
let stranger: FaultyProxy;
let berth: Berth;
let token: string;

beforeAll(async () => {
  [proxy, stranger] = await Promise.all([FaultyProxy.open(server.url), FaultyProxy.open(server.url)]);
  ({ token } = await server.register('Ada Lovelace'));
  berth = new Berth({ baseUrl: proxy.url, token, maxRetries: 0, maxAnswerBytes: 1024 * 1024 });
});
afterEach(() => void proxy.seen.splice(0));
afterAll(async () => {
  await proxy?.close();
  await stranger?.close();
});

const fail = async (fault: Fault, call: () => Promise<unknown>): Promise<BerthError> => {
  proxy.next(fault);
  const failure = await call().then(
    (value) => expect.fail(`It was taken for a success: ${inspect(value)}`),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(BerthError);
  return failure as BerthError;
};

const page = '<html><body>Welcome to the airport. Accept our terms.</body></html>';
const html = { 'content-type': 'text/html' };
const pagination = { current_page: 1, last_page: 1, per_page: 10, total: 0 };
// A deletion of a terminal is not among the calls below: its answer is a text.
const strange: [string, Fault][] = [
  ['a page with 200', { status: 200, headers: html, body: page }],
  ['a page that calls itself JSON', { status: 200, headers: JSON_TYPE, body: page }],
  ['an empty answer', { status: 200, headers: JSON_TYPE, body: '' }],
  ['an answer without content', { status: 204 }],
  ['JSON of another service', { status: 200, headers: JSON_TYPE, body: '{"status":"up"}' }],
  ['a list instead of an object', { status: 200, headers: JSON_TYPE, body: '[]' }],
  ['data of another shape', { status: 200, headers: JSON_TYPE, body: '{"ok":true,"msg":"","data":"hello"}' }],
  ['null', { status: 200, headers: JSON_TYPE, body: 'null' }],
  ['a page with 502', { status: 502, headers: html, body: page }],
  ['an error of another service', { status: 403, headers: JSON_TYPE, body: '{"ok":false,"msg":"No.","data":null}' }],
  ['a page with 404', { status: 404, headers: html, body: page }],
  ['304 that nobody asked for', { status: 304 }],
];

it.each(strange)('an answer that is not Berth’s is never a success: %s', async (_name, fault) => {
  const calls = [
    () => berth.account.profile(),
    () => berth.projects.create({ name: 'Nobody' }),
    () => berth.projects.page(),

    () => berth.account.updateProfile({ name: 'Nobody' }),
    () => berth.files.content('0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'),
    () => berth.terminals.screenshot('0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'),
  ];
  for (const call of calls) expect(await fail(fault, call)).toBeInstanceOf(UnexpectedAnswerError);
});

it('an answer that is not Berth’s says what came, and nothing of its content', async () => {
  const failure = await fail({ status: 200, headers: html, body: page }, () => berth.account.profile());
  expect(failure.message).toContain('GET /v1/my/account/profile');
  expect(failure.message).toContain('text/html');
  expect(failure.message).not.toContain('airport');
  expect(failure).toMatchObject({ status: 200 });
});

it('an answer that is not Berth’s that lacks its pages is no list', async () => {
  const body = JSON.stringify({ ok: true, msg: '', data: [] });
  expect(await fail({ status: 200, headers: JSON_TYPE, body }, () => berth.projects.page())).toBeInstanceOf(
    UnexpectedAnswerError,
  );
  proxy.next({ status: 200, headers: JSON_TYPE, body: JSON.stringify({ data: [], pagination }) });
  expect((await berth.projects.page()).data).toEqual([]);
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i to another origin is not followed, so that it gets no token',
    async (status) => {
      const location = `${stranger.url}/v1/my/account/profile`;
      const failure = await fail({ status, headers: { location } }, () => berth.account.profile());
      expect(failure).toBeInstanceOf(UnexpectedAnswerError);
      expect(failure).toMatchObject({ status });
      await fail({ status, headers: { location } }, () => berth.projects.create({ name: 'Elsewhere' }));
      expect(stranger.seen).toEqual([]);
    },
  );
});

it('an answer without an end is given up where it is longer than the client takes', async () => {
  const start = '{"ok":true,"msg":"","data":{"name":"';
  const failure = await fail({ status: 200, headers: JSON_TYPE, body: start, isEndless: true }, () =>
    berth.account.profile(),
  );
  expect(failure).toBeInstanceOf(UnexpectedAnswerError);
  expect(failure.message).toContain('1048576 bytes');
  // What was sent further went into the buffers of the connection, not into this program.
  expect(proxy.endlessBytes).toBeLessThan(64 * 1024 * 1024);
});

it('an answer without an end is given up as an error and as a file, too', async () => {
  for (const status of [500, 200]) {
    const failure = await fail({ status, headers: { 'content-type': 'text/html' }, isEndless: true }, () =>
      berth.files.content('0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'),
    );
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
  }
});

it('an answer without an end that comes in drops is given up in time', async () => {
  const body = { status: 200, headers: { ...JSON_TYPE, 'content-length': '1000' }, body: '{' };
  const open = { ...body, isEndless: false };
  proxy.next({ ...open, headers: { ...JSON_TYPE } });
  await expect(berth.account.profile()).rejects.toThrow(UnexpectedAnswerError);
  proxy.next('hang');
  await expect(berth.account.profile({ timeoutMs: 1_000 })).rejects.toThrow(TimeoutError);
});

const all = (error: BerthError): string => inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);

it('the token is in no error, not even where the answer repeats it', async () => {
  const secret = token.split('|')[1]!;
  const echo = { ok: false, msg: `Who is Bearer ${token}?`, data: null, message: token, errors: { token: [token] } };
  for (const status of [200, 401, 422, 500]) {
    const headers = { ...JSON_TYPE, 'x-error-code': 'internal' };
    const failure = await fail({ status, headers, body: JSON.stringify(echo) }, () => berth.account.profile());
    expect(failure.message).toContain('Who is');
    expect(all(failure)).not.toContain(secret);
  }
  const page = { status: 200, headers: { 'content-type': `text/${secret}` }, body: token };
  for (const fault of [page, 'cut', 'hang'] as const) {
    expect(all(await fail(fault, () => berth.account.profile({ timeoutMs: 2_000 })))).not.toContain(secret);
  }
});

it('the token is not shown by a print of the client', () => {
  expect(inspect(berth, { depth: 10, showHidden: true }) + JSON.stringify(berth)).not.toContain(token);
});

it('the token that cannot be one is refused before anything is sent, without saying it', () => {
  expect(() => new Berth({ baseUrl: proxy.url, token: 'secret\nvalue' })).toThrow(BerthError);
  expect(() => new Berth({ baseUrl: proxy.url, token: 'secret\nvalue' })).not.toThrow(/secret/);
});

it('the token goes along with no login', async () => {
  await berth.auth.login({ email: 'ada@example.com', password: 'wrong' }).catch(() => undefined);
  expect(proxy.seen[0]!.headers.authorization).toBeUndefined();
});

describe('what a caller gets wrong', () => {
  it.each(['ftp://berth.example.com', 'berth.example.com', 'http://me:word@berth.example.com', 'http://b.example?x=1'])(
    'an address like %s is reported at once',
    (baseUrl) => expect(() => new Berth({ baseUrl })).toThrow(/baseUrl/),
  );

  it('an id leads to its own route or to none', async () => {
    for (const id of ['..', '.', '', undefined as unknown as string]) {
      await expect(async () => berth.terminals.get(id)).rejects.toThrow(/id/);
    }
    await expect(berth.terminals.get('../tasks?x=#')).rejects.toMatchObject({ status: 404 });
    expect(proxy.seen.map(({ url }) => url)).toEqual(['/v1/my/trading/terminals/..%2Ftasks%3Fx%3D%23']);
  });

  it('a text of an error is bounded', async () => {
    const body = JSON.stringify({ ok: false, msg: 'x'.repeat(100_000), data: null });
    const failure = await fail({ status: 500, headers: { ...JSON_TYPE, 'x-error-code': 'internal' }, body }, () =>
      berth.account.profile(),
    );
    expect(failure).toBeInstanceOf(ServerError);
    expect(failure.message.length).toBeLessThanOrEqual(1000);
  });
});
