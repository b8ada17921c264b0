/** Calls of addresses that users chose: what is sent, where it goes, and what stays open. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  closeAfterEach,
  createOutbound,
  REQUEST,
  startHttpPeer,
  startRawPeer,
  startReadingPeer,
  toUrl,
  until,
} from './support/peers.ts';

closeAfterEach();

const ok = () => startHttpPeer((_request, response) => void response.end('taken'));
const NOTHING = { connections: 0, idleOrigins: 0 };

test('a call sends headers and body, and brings back the status, two headers and the beginning of the answer', async () => {
  const seen: unknown[] = [];
  const peer = await startReadingPeer((body, request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: body.toString() });
    response.writeHead(429, { 'retry-after': '30', 'content-type': 'text/plain', 'x-other': 'kept out' });
    response.end('slow\r\ndown\u0000');
  });
  const answer = await createOutbound().post(`http://hooks.example.com:${peer.port}/a%20b?id=1#part`, {
    ...REQUEST,
    headers: { 'X-Signature': 'abc', 'content-type': 'application/json' },
    body: '{"text":"grüße"}',
  });
  expect(answer).toEqual({
    status: 429,
    headers: { retryAfter: '30', contentType: 'text/plain' },
    excerpt: 'slow down',
    ms: expect.any(Number) as number,
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/a%20b?id=1',
      headers: {
        host: `hooks.example.com:${peer.port}`,
        connection: 'keep-alive',
        'accept-encoding': 'identity',
        'x-signature': 'abc',
        'content-type': 'application/json',
        'content-length': '18',
      },
      body: '{"text":"grüße"}',
    },
  ]);
});

test.each([301, 302, 303, 307, 308])('a call never follows a redirect: %i is an answer', async (status) => {
  const inner = await ok();
  const peer = await startHttpPeer((_request, response) => {
    response.writeHead(status, { location: toUrl(inner) }).end();
  });
  expect(await createOutbound().post(toUrl(peer), REQUEST)).toMatchObject({ status });
  expect(inner.sockets).toHaveLength(0);
});

test('a call takes no proxy from the environment', async () => {
  const [peer, proxy] = [await ok(), await ok()];
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
  const before = names.map((name) => [name, process.env[name]] as const);
  try {
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    await createOutbound().post(toUrl(peer), REQUEST);
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  expect(proxy.sockets).toHaveLength(0);
  expect(peer.sockets).toHaveLength(1);
});

test('a call fails in words for the user, without addresses, when nobody is there', async () => {
  const peer = await startHttpPeer(() => undefined, '127.0.0.3');
  const error: unknown = await createOutbound().post(toUrl(peer, 'hooks.example.com'), REQUEST).catch(String);
  expect(error).toBe('OutboundError: The connection was refused there.');
});

test('a call does not leave what Node.js fetches with changed', async () => {
  const key = Symbol.for('undici.globalDispatcher.1');
  const before: unknown = Reflect.get(globalThis, key);
  await createOutbound().post(toUrl(await ok()), REQUEST);
  expect(Reflect.get(globalThis, key)).toBe(before);
});

const wrong: [string, Record<string, string>, string][] = [
  ['a body over 3 MiB', {}, 'a'.repeat(3 * 1024 * 1024 + 1)],
  ...['Host', 'content-length', 'Transfer-Encoding', 'connection', 'upgrade', 'expect', 'a b', 'a\r\nb', ''].map(
    (name): [string, Record<string, string>, string] => [`the header ${JSON.stringify(name)}`, { [name]: '1' }, ''],
  ),
  ...['a\r\nx: 1', 'a\nb', 'a\u0000', 'a\u007f', 'ł'].map((value): [string, Record<string, string>, string] => [
    `the value ${JSON.stringify(value)}`,
    { 'x-value': value },
    '',
  ]),
];
test.each(wrong)('a call is not made with %s: that is a mistake of the program', async (_title, headers, body) => {
  const peer = await ok();
  await expect(createOutbound().post(toUrl(peer), { ...REQUEST, headers, body })).rejects.toThrow(TypeError);
  expect(peer.sockets).toHaveLength(0);
});

test('a call takes a body of 3 MiB', async () => {
  const peer = await startReadingPeer((body, _request, response) => void response.end(String(body.length)));
  const body = Buffer.alloc(3 * 1024 * 1024, 'a');
  expect(await createOutbound().post(toUrl(peer), { ...REQUEST, headers: {}, body })).toMatchObject({
    excerpt: '3145728',
  });
});

test('a connection goes to an address that was checked, with one look at the name', async () => {
  const first = await ok();
  const second = await startHttpPeer((_request, response) => void response.end(), '127.0.0.2', first.port);
  let lookups = 0;
  const lookup = async () => [(lookups += 1) === 1 ? '127.0.0.1' : '127.0.0.2'];
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], lookup });
  await outbound.post(toUrl(first, 'hooks.example.com'), REQUEST);
  expect(lookups).toBe(1);
  expect(first.sockets).toHaveLength(1);
  expect(second.sockets).toHaveLength(0);
});

test('a connection is refused when the name leads inside by now, though it did not when it was given', async () => {
  const peer = await ok();
  const answers = ['93.184.215.14', '127.0.0.1'];
  const outbound = createOutbound({ allow: [], lookup: async () => [answers.shift()!] });
  const url = toUrl(peer, 'hooks.example.com');
  expect(await outbound.check(url)).toBeUndefined();
  await expect(outbound.post(url, REQUEST)).rejects.toMatchObject({ code: 'refused_address' });
  expect(peer.sockets).toHaveLength(0);
});

test('a connection is refused when one of the addresses is forbidden, though another one is allowed', async () => {
  const peer = await ok();
  for (const lookup of [async () => ['127.0.0.1', '10.0.0.1'], async () => ['fd00::1', '127.0.0.1']]) {
    const call = createOutbound({ lookup }).post(toUrl(peer, 'hooks.example.com'), REQUEST);
    await expect(call).rejects.toMatchObject({ code: 'refused_address' });
  }
  expect(peer.sockets).toHaveLength(0);
});

test('a connection is tried with the next address when nobody is at the first one', async () => {
  const peer = await ok();
  const outbound = createOutbound({ allow: ['127.0.0.0/8'], lookup: async () => ['127.0.0.9', '127.0.0.1'] });
  expect(await outbound.post(toUrl(peer, 'hooks.example.com'), REQUEST)).toMatchObject({ status: 200 });
});

test('a connection is used again; when it is gone, the name is looked up and checked anew', async () => {
  const peer = await ok();
  const answers = ['127.0.0.1', '127.0.0.1', '10.0.0.1'];
  const outbound = createOutbound({ lookup: async () => [answers.shift()!] });
  const url = toUrl(peer, 'hooks.example.com');
  for (let count = 0; count < 5; count += 1) await outbound.post(url, REQUEST);
  expect(peer.sockets).toHaveLength(1);
  for (const _left of [1, 0]) {
    peer.sockets.at(-1)!.destroy();
    await until(() => outbound.counts.connections === 0);
    if (answers.length === 2) await outbound.post(url, REQUEST);
  }
  expect(peer.sockets).toHaveLength(2);
  await expect(outbound.post(url, REQUEST)).rejects.toMatchObject({ code: 'refused_address' });
});

test('a connection is not used again when the answer says so, or is not read to its end', async () => {
  const texts = ['', 'a'.repeat(9_000)];
  for (const text of texts) {
    const peer = await startHttpPeer((_request, response) => {
      response.writeHead(200, text === '' ? { connection: 'close' } : {}).end(text);
    });
    const outbound = createOutbound();
    await outbound.post(toUrl(peer), REQUEST);
    await until(() => outbound.counts.connections === 0);
    await outbound.post(toUrl(peer), REQUEST);
    expect(peer.sockets).toHaveLength(2);
  }
});

test('a connection is closed by itself when nobody needs it, however long its server would keep it', async () => {
  const peer = await startHttpPeer((_request, response) => {
    response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=600' }).end();
  });
  const outbound = createOutbound({ limits: { idleMs: 30 } });
  await outbound.post(toUrl(peer), REQUEST);
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
  expect(outbound.counts).toEqual(NOTHING);
});

test('a connection is one of few: further calls of an origin wait for their turn', async () => {
  const waiting: (() => void)[] = [];
  const peer = await startHttpPeer((_request, response) => void waiting.push(() => response.end()));
  const outbound = createOutbound({ limits: { perOrigin: 2 } });
  const calls = Array.from({ length: 7 }, () => outbound.post(toUrl(peer), REQUEST));
  for (let ended = 0; ended < 7; ended += 1) {
    await until(() => waiting.length === Math.min(2, 7 - ended));
    expect(outbound.counts.connections).toBeLessThanOrEqual(2);
    waiting.shift()!();
  }
  await Promise.all(calls);
  expect(peer.sockets).toHaveLength(2);
});

test('a connection of one user holds up no other user who calls the same origin', async () => {
  const peer = await startHttpPeer((request, response) => {
    if (request.headers.authorization !== 'slow') response.end();
  });
  const outbound = createOutbound({ limits: { perOrigin: 2 } });
  const slow = { ...REQUEST, ownerId: 'attacker', headers: { authorization: 'slow' } };
  const stop = new AbortController();
  const stalled = Array.from({ length: 20 }, () => outbound.post(toUrl(peer), { ...slow, signal: stop.signal }));
  const ends = Promise.allSettled(stalled);
  await until(() => outbound.counts.connections === 2);
  expect(await outbound.post(toUrl(peer), REQUEST)).toMatchObject({ status: 200 });
  stop.abort();
  await ends;
});

test('a connection that had to wait for its turn has its whole time afterwards', async () => {
  const answers: (() => void)[] = [];
  const peer = await startHttpPeer((_request, response) => void answers.push(() => response.end()));
  const outbound = createOutbound({ limits: { perOrigin: 1 }, timeoutMs: 2_000 });
  const calls = [outbound.post(toUrl(peer), REQUEST), outbound.post(toUrl(peer), REQUEST)];
  for (const number of [1, 2]) {
    await until(() => answers.length === number);
    await delay(1_200);
    answers.at(-1)!();
  }
  expect(await Promise.all(calls)).toMatchObject([{ status: 200 }, { status: 200 }]);
});

test('a connection that its server closes at the moment of the next call loses no call that was not sent, and none is sent twice', async () => {
  let arrived = 0;
  const peer = await startHttpPeer((request, response) => {
    arrived += 1;
    response.end(() => void setTimeout(() => request.socket.destroy(), 5));
  });
  const outbound = createOutbound();
  const ends: string[] = [];
  for (let number = 0; number < 200; number += 1) {
    const end = await outbound.post(toUrl(peer), REQUEST).then(
      () => 'answered',
      (error) => error.code,
    );
    ends.push(end);
    await delay(number % 8);
  }
  // What was on its way when the connection broke is lost: whether it arrived, nobody knows.
  expect(ends.filter((end) => end !== 'answered' && end !== 'unreachable')).toEqual([]);
  expect(ends.filter((end) => end === 'answered')).toHaveLength(arrived);
  expect(arrived).toBeGreaterThan(150);
});

test('a connection of an idle origin makes room when there are as many as there may be', async () => {
  const peer = await ok();
  const outbound = createOutbound({ limits: { total: 3 } });
  for (let number = 0; number < 10; number += 1) {
    await outbound.post(toUrl(peer, `n${number}.example.com`), REQUEST);
    expect(outbound.counts.connections).toBeLessThanOrEqual(3);
  }
  expect(outbound.counts).toEqual({ connections: 3, idleOrigins: 3 });
  await outbound.post(toUrl(peer, 'n9.example.com'), REQUEST);
  expect(peer.sockets).toHaveLength(10);
});

test('a connection that never comes holds up no more calls than may wait', async () => {
  const lookup = () => new Promise<never>(() => undefined);
  const outbound = createOutbound({ lookup, limits: { perOrigin: 1, maxWaiting: 1 }, timeoutMs: 500 });
  const call = () => outbound.post('https://hooks.example.com/', REQUEST).catch((error) => error.code);
  const calls = [call(), call(), call()];
  // The first one waits for its name, the second one for its place, and the third one for nothing.
  expect(await Promise.all(calls)).toEqual(['timeout', 'busy', 'busy']);
});

test('a connection of 2,000 origins leaves nothing behind, however they end', async () => {
  const peer = await startHttpPeer((request, response) => {
    if (request.headers.host!.startsWith('n7')) request.socket.destroy();
    else response.end();
  });
  const lookup = async (name: string) => [name.startsWith('n3') ? '10.0.0.1' : '127.0.0.1'];
  const outbound = createOutbound({ lookup, limits: { idleMs: 50 } });
  const codes = new Set<string>();
  const callAll = async (start: number) => {
    for (let number = start; number < 2_000; number += 40) {
      const call = outbound.post(toUrl(peer, `n${number}.example.com`), REQUEST);
      codes.add(await call.then(() => 'ok').catch((error) => error.code));
      expect(outbound.counts.connections).toBeLessThanOrEqual(128);
    }
  };
  await Promise.all(Array.from({ length: 40 }, (_, start) => callAll(start)));
  expect([...codes].sort()).toEqual(['ok', 'refused_address', 'unreachable']);
  await until(() => outbound.counts.connections === 0);
  expect(outbound.counts).toEqual(NOTHING);
  await until(() => peer.sockets.every(({ destroyed }) => destroyed));
});

test('a call is over when its caller calls it off, before or during', async () => {
  const peer = await startRawPeer(() => undefined);
  const outbound = createOutbound();
  const abort = new AbortController();
  const call = outbound.post(toUrl(peer), { ...REQUEST, signal: abort.signal });
  await until(() => peer.sockets.length === 1);
  abort.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  const late = outbound.post(toUrl(peer), { ...REQUEST, signal: abort.signal });
  await expect(late).rejects.toMatchObject({ code: 'cancelled' });
  await until(() => outbound.counts.connections === 0);
  expect(peer.sockets).toHaveLength(1);
});

test('a call is over when the client is closed, and so are kept connections', async () => {
  const [silent, quick] = [await startRawPeer(() => undefined), await ok()];
  const outbound = createOutbound();
  await outbound.post(toUrl(quick), REQUEST);
  const call = outbound.post(toUrl(silent), REQUEST);
  await Promise.all([
    until(() => silent.sockets.length === 1),
    expect(call).rejects.toThrow('called off'),
    (async () => {
      await until(() => silent.sockets.length === 1);
      await outbound.close();
    })(),
  ]);
  await until(() => outbound.counts.connections === 0 && quick.sockets[0]!.destroyed);
  await expect(outbound.post(toUrl(quick), REQUEST)).rejects.toMatchObject({ code: 'cancelled' });
});
