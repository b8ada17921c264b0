/** Times, sockets, rates, and input that would like to be a path or a line of a file. Sizes: sizes.test.ts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AccountStatus, type ErrorCode } from '@berth/contract';
import { toPasswordHash, startTestServer, useTestServer, waitFor, toErrorBody, type TestAnswer } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRawError, openSocket, sendRaw } from './support/raw-http.ts';
import { createSnapshots } from './support/snapshot.ts';
import { call, createWorld, runSql, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.server.close());

const projects = '/v1/my/projects';

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  world.server.request('POST', path, { token: world.owner.token, body, headers });

describe('slow and many senders', () => {
  const server = useTestServer();

  it('slow and many senders have 20 seconds for headers, 60 for a body unless it keeps moving, and 100,000 connections', () => {
    const { headersTimeout, maxConnections, keepAliveTimeout } = server.app.server;
    const { bodyPace } = server.app;
    expect({ headersTimeout, bodyPace, maxConnections, keepAliveTimeout }).toEqual({
      headersTimeout: 20_000,
      bodyPace: { graceMs: 60_000, bytesPerSecond: 8_000 },
      maxConnections: 100_000,
      keepAliveTimeout: 72_000,
    });
  });

  it('slow and many senders are cut when headers or body are late, or nothing is sent at all', async () => {
    Object.assign(server.app.server, { headersTimeout: 200 });
    server.app.bodyPace.graceMs = 400;
    const body =
      'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    const senders = [openSocket(server.url, ''), openSocket(server.url, 'GET / HT'), openSocket(server.url, body)];
    const what = 'the end of the slow connections';
    await waitFor(() => senders.every(({ closed }) => closed()), { what });
    const [, slowHeaders, slowBody] = senders.map(({ received }) => received());
    expect(slowHeaders).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*x-error-code: request_timeout\r\n/s);
    expect(slowBody).toMatch(/^HTTP\/1\.1 408 /);
    Object.assign(server.app.server, { headersTimeout: 20_000 });
    server.app.bodyPace.graceMs = 60_000;
  });

  it('gain no time by bytes that their route does not take', async () => {
    Object.assign(server.app.bodyPace, { graceMs: 400, bytesPerSecond: 16_384 });
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
    const head = `POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\n${type}\r\n\r\n`;
    const slow = openSocket(server.url, head);
    const sending = setInterval(() => slow.socket.write(`1;${'e'.repeat(4_000)}\r\n{\r\n`), 20);
    await waitFor(slow.closed, { what: 'the end of the connection' });
    clearInterval(sending);
    expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
    Object.assign(server.app.bodyPace, { graceMs: 60_000, bytesPerSecond: 8_000 });
  });

  it('slow and many senders of one address fill no more than its places; a trusted proxy is not counted', async () => {
    const limited = await startTestServer({ config: { connectionsPerAddress: 3 } });
    const idle = Array.from({ length: 8 }, () => openSocket(limited.url, ''));
    await waitFor(() => idle.filter(({ closed }) => closed()).length === 5, { what: 'five refused connections' });
    for (const { socket } of idle) socket.destroy();
    await waitFor(async () => {
      const answer = await sendRaw(
        limited.url,
        'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      );
      return answer.status === 200;
    });
    await limited.close();
    const config = { connectionsPerAddress: 3, trustedProxies: ['127.0.0.0/8'] };
    const proxied = await startTestServer({ config });
    const held = Array.from({ length: 8 }, () =>
      openSocket(proxied.url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    await waitFor(() => held.every(({ received }) => received().includes(' 200 OK')), { what: 'eight answers' });
    for (const { socket } of held) socket.destroy();
    await proxied.close();
  });

  it('fill no more than the places there are; a place that becomes free is taken', async () => {
    await waitFor(() => new Promise((resolve) => server.app.server.getConnections((_, count) => resolve(count === 0))));
    server.app.server.maxConnections = 3;
    const idle = Array.from({ length: 8 }, () => openSocket(server.url, ''));
    await waitFor(() => idle.filter(({ closed }) => closed()).length === 5, { what: 'five refused connections' });
    for (const { socket } of idle) socket.destroy();
    await waitFor(async () => {
      const answer = await sendRaw(server.url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return answer.status === 200;
    });
  });
});

it('headers of answers are those of a careful server, whatever is answered; no other site may read them', async () => {
  const { server, owner } = world;
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
  const open = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/', '/flags/gb.svg', '/install/host.sh'];
  const paths = [...open, '/nothing', projects];
  const answers: TestAnswer[] = [];
  for (const path of [...paths, `/v1/my/files/${world.fileId}/content`]) {
    answers.push(
      await server.request('GET', path, { token: path.startsWith('/v1') ? owner.token : undefined, headers }),
    );
  }
  for (const method of ['OPTIONS', 'HEAD', 'POST', 'PUT'])
    answers.push(await server.request(method, projects, { headers }));
  expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 401, 404, 405]);
  for (const answer of answers) {
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('content-security-policy')).toContain('default-src');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('server')).toBeNull();
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

it('headers of answers carry an id of the server, never one that the client chose', async () => {
  const answer = await world.server.request('GET', '/healthz', { headers: { 'x-request-id': 'chosen' } });
  expect(answer.headers.get('x-request-id')).not.toBe('chosen');
});

it('headers of answers are refused with two hosts, and with none: a proxy may have looked at the other one', async () => {
  for (const lines of ['Host: localhost\r\nHost: b', 'Host: localhost\r\nhOST: a', 'X: y']) {
    const request = `GET /healthz HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`;
    expectRawError(await sendRaw(world.server.url, request), 400, 'malformed_request');
  }
});

it('bodies of another media type, another encoding or another shape are refused; an empty one counts as {}', async () => {
  const latin1 = Buffer.from('{"name":"\xe9"}', 'latin1');
  const cases: [unknown, Record<string, string>, number, string][] = [
    ['{"name":"a"}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['name=a', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    [latin1, {}, 400, 'malformed_json'],
    ['{"name":', {}, 400, 'malformed_json'],
    ['{"__proto__":{"x":1},"name":"a"}', {}, 400, 'malformed_json'],
    ['null', {}, 400, 'body_not_object'],
    ['[]', {}, 400, 'body_not_object'],
    ['"text"', {}, 400, 'body_not_object'],
    ['12', {}, 400, 'body_not_object'],
    ['', {}, 422, 'validation'],
    ['  ', {}, 422, 'validation'],
    ['', { 'content-type': 'application/x-www-form-urlencoded' }, 422, 'validation'],
    [undefined, {}, 422, 'validation'],
  ];
  for (const [body, headers, status, code] of cases) {
    const answer = await post(projects, body, headers);
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([status, code]);
  }
});

/** One that would end a line, and some that a terminal or a journal would take for something else. */
const controls = ['\0', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'];

const terminal = { server_name: 'Harbour-Demo', login: '77', password: 'secret', name: 'Mine', region: 0 };
const demo = { server_name: 'S', name: 'N', email: 'n@example.com' };
const expert = () => ({ name: 'E', file_id: world.fileId, symbol: 'EURUSD', period: 'H1' });

it('text that ends up in configuration files of a terminal is refused with control characters, and nothing is created', async () => {
  const takeSnapshot = await createSnapshots(world.server);
  const before = await takeSnapshot();
  for (const field of ['server_name', 'login', 'password', 'name']) {
    for (const control of controls) {
      const answer = await post('/v1/my/trading/terminals', { ...terminal, [field]: `a${control}[Common]` });
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]]);
    }
  }
  expect(await takeSnapshot()).toBe(before);
});

it('text that ends up in configuration files of a payload is refused with control characters and with what could climb out of a folder', async () => {
  const takeSnapshot = await createSnapshots(world.server);
  const before = await takeSnapshot();
  const bad: [number, object, string][] = controls.flatMap((control): [number, object, string][] => [
    [9, { login: `1${control}`.concat('2'), password: 'p' }, 'login'],
    [9, { login: '1', password: `p${control}q` }, 'password'],
    [9, { server_name: `a${control}b` }, 'server_name'],
    [11, { ...demo, server_name: `a${control}b` }, 'server_name'],
    [11, { ...demo, name: `a${control}b` }, 'name'],
    [11, { ...demo, email: `a${control}b@example.com` }, 'email'],
    [2, { ...expert(), name: `a${control}b` }, 'name'],
    [2, { ...expert(), symbol: `a${control}b` }, 'symbol'],
    [2, { ...expert(), inputs: { Text: `a${control}b` } }, 'inputs.Text'],
    [6, { chart_id: `a${control}b` }, 'chart_id'],
    [5, { contains: `a${control}b` }, 'contains'],
    [8, { servers: [{ name: `a${control}b`, address: 'h:1' }] }, 'servers.0.name'],
    [8, { servers: [{ name: 'a', address: `h${control}:1` }] }, 'servers.0.address'],
    [13, { url: `https://a${control}b.example` }, 'url'],
  ]);
  for (const text of ['../../x', '..', '.', '/etc/passwd', 'a/b', '\\a', 'C:x', '..\\..\\x', 'x'.repeat(129)]) {
    bad.push(
      [2, { ...expert(), name: text }, 'name'],
      [3, { name: text }, 'name'],
      [4, { name: text, inputs: {} }, 'name'],
    );
  }
  for (const text of ['../1', '..', '/', 'a.b', 'x'.repeat(65)]) bad.push([6, { chart_id: text }, 'chart_id']);
  for (const text of ['a/b', 'a\\b', 'a|b', 'a"b']) bad.push([2, { ...expert(), symbol: text }, 'symbol']);
  for (const name of ['a:b', 'a=1', '../x', ';a', 'x'.repeat(65)])
    bad.push([4, { name: 'E', inputs: { [name]: 1 } }, 'inputs']);
  for (const [type, payload, field] of bad) {
    const answer = await post(`/v1/my/trading/terminals/${world.terminalId}/tasks`, { type, payload });
    expect([answer.status, Object.keys(answer.body.errors)], JSON.stringify(payload)).toEqual([
      422,
      [`payload.${field}`],
    ]);
  }
  expect(await takeSnapshot()).toBe(before);
});

describe('rates', () => {
  const server = useTestServer({ config: { isRateLimited: true } });

  const expectLimited = (code: ErrorCode, answer: TestAnswer): void => {
    expect([answer.status, answer.body]).toEqual([429, toErrorBody(code)]);
    expect(answer.headers.get('x-error-code')).toBe(code);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  };

  /** Sends the request until the limit, which must be this; returns the answer over it. */
  const useUp = async (limit: number, code: ErrorCode, send: () => Promise<TestAnswer>): Promise<void> => {
    for (let used = 0; used < limit; used += 1) expect((await send()).status).not.toBe(429);
    expectLimited(code, await send());
  };

  it.each(['login', 'forgot-password', 'reset-password', 'register'])(
    '%s: five per minute for an address and e-mail in whatever case, also with input that is refused',
    async (name) => {
      let count = 0;
      const send = (email: string) => {
        count += 1;
        const written = count % 2 === 0 ? email.toUpperCase() : `  ${email} `;
        return server.request('POST', `/v1/auth/${name}`, { body: { email: written } });
      };
      await useUp(5, 'credentials_rate_limit', () => send(`${name}@example.com`));
      expect((await send(`other.${name}@example.com`)).status).not.toBe(429);
    },
  );

  it('the right password does not help over the limit', async () => {
    const { user } = await server.register('Forgetful');
    const login = (password: string) =>
      server.request('POST', '/v1/auth/login', { body: { email: user.email, password } });
    for (let used = 0; used < 4; used += 1) expect((await login('wrong password')).status).toBe(422);
    expectLimited('credentials_rate_limit', await login(user.password));
  });

  it('passwords: ten changes a minute, tried or done, with all tokens of a user together', async () => {
    const { token } = await server.register('Changer');
    const second = (await call(server, token, 'POST', '/v1/my/account/tokens', { name: 'b' })).data.token;
    let count = 0;
    const path = '/v1/my/account/security/change-password';
    await useUp(10, 'password_change_rate_limit', () =>
      server.request('POST', path, { token: (count += 1) % 2 ? token : second, body: {} }),
    );
  });

  it('tasks: sixty creations per minute, also of those that are refused; other requests stay free', async () => {
    const { token } = await server.register('Busy');
    const path = '/v1/my/trading/terminals/x/tasks';
    await useUp(60, 'task_creation_rate_limit', () => server.request('POST', path, { token, body: {} }));
    expect((await server.request('GET', path, { token })).status).toBe(404);
  });

  it('requests: three hundred per minute for a token, and 1,200 for a user with however many tokens', async () => {
    // 1,700 requests may take longer than a minute on a machine that is busy: the window has to hold all of them.
    const patient = await startTestServer({ config: { isRateLimited: true, rateWindowMs: 600_000 } });
    const { token } = await patient.register('Many tokens');
    const tokens: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      tokens.push((await call(patient, token, 'POST', '/v1/my/account/tokens', { name: `${number}` })).data.token);
    }
    const { token: other } = await patient.register('Other');
    const use = (one: string) => patient.request('GET', '/v1/my/account/profile', { token: one });
    /** Ten at a time. @returns how many of them were answered */
    const useOften = async (one: string, times: number): Promise<number> => {
      const lane = async (): Promise<number> => {
        let answered = 0;
        for (let used = 0; used < times / 10; used += 1) answered += (await use(one)).status === 200 ? 1 : 0;
        return answered;
      };
      const lanes = await Promise.all(Array.from({ length: 10 }, lane));
      return lanes.reduce((sum, answered) => sum + answered, 0);
    };
    const answered = await Promise.all(tokens.map((one) => useOften(one, 290)));
    // Six uses already: five creations, and the registration's look at the profile.
    expect(answered.reduce((sum, count) => sum + count, 0)).toBe(1_200 - 6);
    expect((await use(token)).status).toBe(429);
    // One of the three hundred was the registration's.
    expect(await useOften(other, 310)).toBe(299);
    expect((await use(other)).status).toBe(429);
    await patient.close();
  });

  it('rates hold on each server by itself where they cannot be counted in the database', async () => {
    await runSql(server, 'alter table rate_uses rename to rate_uses_away');
    let count = 0;
    const send = (email: string) => {
      count += 1;
      return server.request('POST', '/v1/auth/login', { body: { email, password: `guess ${count}` } });
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('away@example.com')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]));
    expectLimited('credentials_rate_limit', await send('away@example.com'));
    await runSql(server, 'alter table rate_uses_away rename to rate_uses');
  });

  it('searches in the pages: sixty per minute, whatever is asked for', async () => {
    let count = 0;
    await useUp(60, 'search_rate_limit', () => server.request('GET', `/docs/search?q=word${(count += 1)}`));
  });

  it('enrolments: sixty per minute', async () => {
    await useUp(60, 'enrolment_rate_limit', () => server.request('POST', '/v1/agent/enrol', { body: {} }));
  });
});

it('a suspended account cannot log in, cannot reset its password, and learns why only with the right password', async () => {
  const { server } = world;
  const { user } = await server.register('Suspended');
  await runSql(server, `update users set status = ${AccountStatus.SUSPENDED} where id = $1`, [user.id]);
  const login = (password: string) =>
    server.request('POST', '/v1/auth/login', { body: { email: user.email, password } });
  const answer = await login(user.password);
  expect([answer.status, answer.body.msg]).toEqual([403, 'This account is suspended.']);
  expect((await login('wrong password')).body.errors).toEqual({
    email: ['These credentials do not match our records.'],
  });
  await call(server, '', 'POST', '/v1/auth/forgot-password', { email: user.email });
  const hash = await runSql(server, 'select password_hash from users where id = $1', [user.id]);
  const body = { email: user.email, code: 'WRONG', password: 'another one', password_confirmation: 'another one' };
  expect((await server.request('POST', '/v1/auth/reset-password', { body })).status).toBe(422);
  expect(await runSql(server, 'select password_hash from users where id = $1', [user.id])).toEqual(hash);
});

describe('by construction', () => {
  const read = (path: string) =>
    readFileSync(fileURLToPath(new URL(`../../apps/server/src/${path}`, import.meta.url)), 'utf8');

  it('an unknown address costs a verification like a known one: against a hash with the same parameters', async () => {
    const source = read('accounts/passwords.ts');
    const dummy = /DUMMY_HASH = '([^']+)'/.exec(source)?.[1] ?? '';
    const parametersOf = (hash: string) => hash.split('$').slice(0, 4);
    expect(parametersOf(dummy)).toEqual(parametersOf(await toPasswordHash('any password')));
    expect(parametersOf(dummy)).toEqual(['', 'argon2id', 'v=19', 'm=19456,t=2,p=1']);
    expect(source).toContain('await verify(passwordHash ?? DUMMY_HASH, password)');
    // The verification comes before anything that depends on whether there is a user.
    const login = read('api/v1/auth.ts');
    expect(login).toContain('const isMatch = await passwords.isMatch(password, user?.password_hash);');
    expect(login).toContain('if (!isMatch || !user) throw wrongCredentials();');
  });

  it('secrets are compared in constant time', () => {
    for (const path of ['secrets/token-secret.ts', 'accounts/reset-codes.ts'])
      expect(read(path)).toContain('timingSafeEqual(');
    const comparing = ['http/authenticate.ts', 'v1/auth.ts', 'v1/my/account.ts', 'v1/agent.ts'];
    for (const path of comparing.map((name) => `api/${name}`)) {
      expect(read(path)).not.toMatch(/(hash|secret|code|password)\w* *[!=]==? /i);
    }
  });
});
