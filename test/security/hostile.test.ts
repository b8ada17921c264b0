/**
 * Attacks by many sockets, guesses and races; clients that behave well are served meanwhile. The limits themselves:
 * limits.test.ts.
 */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_FILE_BYTES } from '@berth/contract';
import {
  createUnknownSecret,
  startAttack,
  startTestServer,
  startTestStack,
  useTestServer,
  waitFor,
  type Attack,
  type AttackOptions,
  type TestAccount,
  type TestAnswer,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useService } from './support/service.ts';
import { call, createWorld, toTokenId, type World } from './support/world.ts';

const TIMEOUT_MS = 600_000;

const countBy = <Value>(values: readonly Value[]): Map<Value, number> => {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

const repeat = <Value>(count: number, run: (number: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => run(number)));

describe('a server with many hostile sockets', { timeout: TIMEOUT_MS }, () => {
  let stack: TestStack;
  let token: string;
  let attack: Attack | undefined;

  beforeAll(async () => {
    stack = await startTestStack({ hasLocalHosts: false });
    ({ token } = await stack.register('Well-behaved'));
  }, TIMEOUT_MS);
  afterAll(() => stack.close(), TIMEOUT_MS);

  /** Serves an ordinary client while the attack is under way; `isMet` says when enough of it has happened. */
  const serveUnder = async (options: Omit<AttackOptions, 'url'>, isMet: () => boolean = () => true) => {
    attack = await startAttack({ url: stack.url, ...options });
    const { failures } = await useService(stack, token, 50);
    await waitFor(isMet, { what: 'the answers to the attack' });
    const { open, answers } = attack;
    await attack.stop();
    expect(failures).toEqual([]);
    expect((await useService(stack, token, 5)).failures).toEqual([]);
    return { open, answers };
  };

  const toRequest = (line: string, ...headers: string[]): string =>
    [`${line} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers].join('\r\n');
  const login = (...headers: string[]) => `${toRequest('POST /v1/auth/login', ...headers)}\r\n\r\n`;

  it('a server with many hostile sockets serves others beside hundreds that send their headers, and bodies, byte by byte', async () => {
    const toHead = (number: number) =>
      number % 2 === 0 ? `${toRequest('GET /v1/my/projects')}\r\nX: ` : login('Content-Length: 10000');
    const { open } = await serveUnder({ count: 600, toHead, rest: 'x', everyMs: 500 });
    expect(open).toBe(600);
  });

  it('a server with many hostile sockets serves others beside thousands that say nothing', async () => {
    const { open } = await serveUnder({ count: 2_000 });
    expect(open).toBe(2_000);
  });

  it('a server with many hostile sockets cuts headers without an end, again and again, and serves others', async () => {
    const head = () => `${toRequest('GET /v1/my/projects')}\r\n`;
    const rest = `X: ${'y'.repeat(1000)}\r\n`.repeat(4);
    const isMet = () => (attack?.closed ?? 0) >= 300;
    const { answers } = await serveUnder({ count: 60, toHead: head, rest, isPersistent: true }, isMet);
    expect([...answers.keys()]).toEqual(['431']);
  });

  it('a server with many hostile sockets cuts bodies without an end, with a token or without, again and again, and serves others', async () => {
    const anonymous = login('Transfer-Encoding: chunked');
    const authorization = [`Authorization: Bearer ${token}`, 'Transfer-Encoding: chunked'];
    const known = `${toRequest('POST /v1/my/projects', ...authorization)}\r\n\r\n`;
    const toHead = (number: number) => (number % 2 === 0 ? anonymous : known);
    const rest = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
    const isMet = () => (attack?.closed ?? 0) >= 300;
    const { answers } = await serveUnder({ count: 60, toHead, rest, isPersistent: true }, isMet);
    expect([...answers.keys()]).toEqual(['413']);
  });

  it('a server with many hostile sockets cuts clients that send requests without waiting for answers, and serves others', async () => {
    const guess = `${toRequest('GET /v1/my/projects', `Authorization: Bearer 1|${createUnknownSecret()}`)}\r\n\r\n`;
    const rest = guess.repeat(500);
    const isMet = () => (attack?.closed ?? 0) >= 300;
    const { answers } = await serveUnder({ count: 30, rest, isPersistent: true }, isMet);
    expect([...answers.keys()].filter((status) => status !== '401')).toEqual([]);
  });

  it('a server with many hostile sockets answers requests that were sent without waiting, in their order, when they are few', async () => {
    const heads = Array.from({ length: 20 }, (_, number) => `${toRequest(`GET /v1/nowhere/${number}`)}\r\n\r\n`);
    const few = await startAttack({ url: stack.url, count: 1, toHead: () => heads.join('') });
    await waitFor(() => (few.answers.get('404') ?? 0) > 0, { what: 'answers' });
    expect(few.closed).toBe(0);
    await few.stop();
  });

  it('a server with many hostile sockets reads no more than 16 KiB of a body that comes without a valid token', async () => {
    const post = (sizeBytes: number) =>
      stack.request('POST', '/v1/auth/login', { body: JSON.stringify({ filler: 'x'.repeat(sizeBytes) }) });
    expect((await post(16 * 1024 - 13)).status).toBe(422);
    expect((await post(16 * 1024)).status).toBe(413);
  });
});

describe('bodies that never end', { timeout: TIMEOUT_MS }, () => {
  const server = useTestServer();

  /** Sends four files but for their last byte: all that there is room for from one user. */
  const fillRoom = async (token: string): Promise<Attack> => {
    const before = await readRoom();
    const lines = ['POST /v1/my/files?name=x HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${token}`];
    const head = [...lines, `Content-Length: ${MAX_FILE_BYTES}`, '', 'x'.repeat(MAX_FILE_BYTES - 1)].join('\r\n');
    const attack = await startAttack({ url: server.url, count: 4, toHead: () => head });
    await waitFor(async () => (await readRoom()) === before + 4 * (MAX_FILE_BYTES - 1), {
      what: 'the end of a user’s room',
    });
    return attack;
  };
  const readRoom = async (): Promise<number> => {
    const text = String((await server.request('GET', '/metrics')).bytes);
    return Number(/^berth_room_used_bytes\{room="bodies"\} (\d+)$/m.exec(text)?.[1]);
  };
  const upload = (token: string) =>
    server.request('POST', '/v1/my/files?name=x', {
      token,
      body: Buffer.alloc(1000),
      headers: { 'content-type': 'application/octet-stream' },
    });

  it('bodies that never end keep 128 MiB of their user’s room and 512 MiB of all, and give it back when they are gone', async () => {
    const users = await repeat(5, (number) => server.register(`Uploader ${number}`));
    const [first, other] = users.map(({ token }) => token) as [string, string];
    const attacks = [await fillRoom(first)];
    const refused = await upload(first);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await upload(other)).status).toBe(200);
    for (const { token } of users.slice(1, 4)) attacks.push(await fillRoom(token));
    const full = await upload(users[4]!.token);
    expect([full.status, full.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
    // What has no large body is served all the same.
    expect((await server.request('GET', '/v1/my/projects', { token: first })).status).toBe(200);
    for (const attack of attacks) await attack.stop();
    for (const token of [first, users[4]!.token])
      await waitFor(async () => (await upload(token)).status === 200, { what: 'room' });
  });
});

describe('slow senders', { timeout: TIMEOUT_MS }, () => {
  it('slow senders of bodies that keep moving are waited for; those that trickle are cut, and so is who goes on after the answer', async () => {
    const server = await startTestServer();
    const { token } = await server.register('Far away');
    Object.assign(server.app.bodyPace, { graceMs: 500, bytesPerSecond: 4_000 });
    const head = (sizeBytes: number) => [
      `POST /v1/my/files?name=x HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      `Content-Length: ${sizeBytes}`,
    ];
    const send = (sizeBytes: number, rest: string, everyMs: number) =>
      startAttack({
        url: server.url,
        count: 1,
        toHead: () => [...head(sizeBytes), '', ''].join('\r\n'),
        rest,
        everyMs,
      });
    /** Sends exactly this much: anything after it, before the answer, would be taken for a broken request. */
    const upload = async (parts: number, part: string, everyMs: number): Promise<number | undefined> => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-length': String(parts * part.length),
        connection: 'close',
      };
      const sending = request(`${server.url}/v1/my/files?name=x`, { method: 'POST', headers });
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
      for (let count = 0; count < parts; count += 1) {
        sending.write(part);
        await delay(everyMs);
      }
      sending.end();
      const [response] = await answered;
      response.resume();
      return response.statusCode;
    };
    const moving = upload(100, 'x'.repeat(5_000), 50);
    const trickling = await send(100_000, 'x'.repeat(50), 50);
    const refused = await send(64 * 1024 * 1024, 'x'.repeat(1_000), 50);
    for (const slow of [trickling, refused]) await waitFor(() => slow.open === 0, { what: 'the end of a slow sender' });
    expect(await moving).toBe(200);
    expect([...trickling.answers.keys()]).toEqual(['408']);
    expect([...refused.answers.keys()]).toEqual(['413']);
    for (const attack of [trickling, refused]) await attack.stop();
    await server.close();
  });
});

describe('a stop', { timeout: TIMEOUT_MS }, () => {
  it('a stop waits for nobody who keeps silent, or never ends a request', async () => {
    const server = await startTestServer();
    const head =
      'POST /v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
    const heads = ['', 'GET / HT', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: ', head];
    const attack = await startAttack({ url: server.url, count: 40, toHead: (number) => heads[number % 4]! });
    await waitFor(() => attack.open === 40);
    await server.close();
    await waitFor(() => attack.open === 0, { what: 'the end of every connection' });
    await attack.stop();
  });
});

describe('guesses', { timeout: TIMEOUT_MS }, () => {
  const server = useTestServer({ config: { isRateLimited: true } });
  let account: TestAccount;
  beforeAll(async () => {
    account = await server.register('Guessed');
  });

  it('guesses of tokens, by the thousand, are all refused and soon limited; the right token is served beside them', async () => {
    const id = toTokenId(account.token);
    const statuses: number[] = [];
    const guess = async () => {
      while (statuses.length < 2_000) {
        const token = `${id}|${createUnknownSecret()}`;
        const headers = { 'x-forwarded-for': `10.0.0.${statuses.length % 250}` };
        statuses.push((await server.request('GET', '/v1/my/projects', { token, headers })).status);
      }
    };
    const guessing = repeat(20, guess);
    const { failures } = await useService(server, account.token, 100);
    await guessing;
    expect(failures).toEqual([]);
    const counts = countBy(statuses);
    expect([...counts.keys()].sort()).toEqual([401, 429]);
    expect(counts.get(401)).toBeLessThanOrEqual(1_000);
    expect((await useService(server, account.token, 5)).failures).toEqual([]);
  });

  it('guesses of passwords cost one address sixty checks a minute, however many accounts it tries', async () => {
    const asked = await startTestServer({ config: { isRateLimited: true } });
    const login = (number: number) =>
      asked.request('POST', '/v1/auth/login', {
        body: { email: `nobody.${number}@example.com`, password: 'a guess' },
        headers: { 'x-forwarded-for': `10.0.1.${number}` },
      });
    const answers = await repeat(200, login);
    expect(countBy(answers.map(({ status }) => status))).toEqual(
      new Map([
        [422, 60],
        [429, 140],
      ]),
    );
    await asked.close();
  });

  it('behind a trusted proxy are counted by the address that it names, and by the network of an IPv6 one', async () => {
    const proxied = await startTestServer({ config: { isRateLimited: true, trustedProxies: ['127.0.0.1'] } });
    const login = (address: string, number: number) =>
      proxied.request('POST', '/v1/auth/login', {
        body: { email: `${number}@example.com`, password: 'a guess' },
        headers: { 'x-forwarded-for': address },
      });
    const useUp = async (toAddress: (number: number) => string): Promise<number> =>
      (await repeat(70, (number) => login(toAddress(number), number))).filter(({ status }) => status === 422).length;
    expect(await useUp(() => '10.0.0.1')).toBe(60);
    expect(await useUp((number) => `2001:db8:0:1::${(number + 1).toString(16)}`)).toBe(60);
    expect((await login('2001:db8:0:1:ffff::1', 100)).status).toBe(429);
    expect((await login('2001:db8:0:2::1', 100)).status).toBe(422);
    // The nearest address is the proxy's word, what is before it is the client's.
    expect((await login('10.9.9.9, 10.0.0.1', 100)).status).toBe(429);
    await proxied.close();
  });

  it('all at once are computed two at a time; callers that would wait too long are asked to retry later', async () => {
    const unlimited = await startTestServer();
    const { token, user } = await unlimited.register('Patient');
    const login = (password: string) =>
      unlimited.request('POST', '/v1/auth/login', { body: { email: user.email, password } });
    const guessing = repeat(300, () => login('a guess'));
    expect((await useService(unlimited, token, 50)).failures).toEqual([]);
    const answers = await guessing;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422, 503]));
    const late = answers.filter(({ status }) => status === 503);
    expect(new Set(late.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['5']));
    expect((await login(user.password)).status).toBe(200);
    await unlimited.close();
  });
});

describe('races', { timeout: TIMEOUT_MS }, () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.server.close());

  /** Uses the token from many sides until it is revoked; what is sent after the revocation's answer must be refused. */
  const expectRevoked = async (token: string, revoke: () => Promise<TestAnswer>): Promise<void> => {
    const { server } = world;
    let isRevoked = false;
    const late: number[] = [];
    const use = async () => {
      for (let after = 0; after < 5;) {
        const wasRevoked = isRevoked;
        const { status } = await server.request('GET', '/v1/my/projects', { token });
        if (!wasRevoked) continue;
        late.push(status);
        after += 1;
      }
    };
    const using = repeat(20, use);
    expect((await revoke()).status).toBe(200);
    isRevoked = true;
    await using;
    expect(countBy(late)).toEqual(new Map([[401, 100]]));
  };

  it('between a token’s use and its revocation, logout or change of password: nothing succeeds after the answer', async () => {
    const { server, owner } = world;
    const createToken = async (): Promise<string> =>
      (await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'short-lived' })).data.token;
    for (let round = 0; round < 5; round += 1) {
      const token = await createToken();
      const path = `/v1/my/account/tokens/${toTokenId(token)}`;
      await expectRevoked(token, () => server.request('DELETE', path, { token: owner.token }));
      const second = await createToken();
      await expectRevoked(second, () => server.request('POST', '/v1/auth/logout', { token: second }));
    }
    const changer = await server.register('Changer');
    const change = {
      current_password: changer.user.password,
      new_password: 'another one',
      new_password_confirmation: 'another one',
    };
    const path = '/v1/my/account/security/change-password';
    await expectRevoked(changer.token, () => server.request('POST', path, { token: changer.token, body: change }));
  });
});
