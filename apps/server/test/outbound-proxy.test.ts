/** Calls through a proxy: what it is asked for was looked up and checked by us. */
import { expect, test } from 'vitest';
import { closeAfterEach, createOutbound, REQUEST, startHttpPeer, startRawPeer, until } from './support/peers.ts';
import { startProxy } from './support/proxy.ts';

closeAfterEach();

const PUBLIC = '93.184.215.14';

test('a proxy is asked for the address that was checked, never for a name, also without TLS', async () => {
  const hosts: unknown[] = [];
  const peer = await startHttpPeer((request, response) => {
    hosts.push(request.headers.host, request.url);
    response.end('taken');
  });
  const proxy = await startProxy(() => peer.port);
  const outbound = createOutbound({
    allow: [],
    lookup: async () => ['2606:4700:4700::1111', PUBLIC],
    proxy: proxy.url,
  });
  const url = 'http://hooks.example.com/hook';
  expect(await outbound.post(url, REQUEST)).toMatchObject({ status: 200, excerpt: 'taken' });
  await outbound.post(url, REQUEST);
  // Once: the connection was kept.
  expect(proxy.asked).toEqual([`CONNECT ${PUBLIC}:80`]);
  expect(proxy.headers[0]).not.toHaveProperty('proxy-authorization');
  expect(hosts).toEqual(['hooks.example.com', '/hook', 'hooks.example.com', '/hook']);
  const byNumber = createOutbound({ allow: [], proxy: proxy.url });
  await byNumber.post('http://[2606:4700:4700::1111]:8080/', REQUEST);
  expect(proxy.asked[1]).toBe('CONNECT [2606:4700:4700::1111]:8080');
});

test('it is not asked for what is forbidden', async () => {
  const proxy = await startProxy(() => 1);
  for (const lookup of [async () => ['10.0.0.1'], async () => [PUBLIC, '127.0.0.1']]) {
    const call = createOutbound({ allow: [], lookup, proxy: proxy.url }).post('http://hooks.example.com/', REQUEST);
    await expect(call).rejects.toMatchObject({ code: 'refused_address' });
  }
  expect(proxy.asked).toEqual([]);
});

test('it learns the user and password of its URL, and nobody else does', async () => {
  let seen: object = {};
  const peer = await startHttpPeer((request, response) => {
    seen = request.headers;
    response.end();
  });
  const proxy = await startProxy(() => peer.port);
  proxy.url.username = 'ada';
  proxy.url.password = 'a:b@c';
  await createOutbound({ allow: [PUBLIC], proxy: proxy.url }).post(`http://${PUBLIC}/`, REQUEST);
  const login = Buffer.from(proxy.headers[0]!['proxy-authorization']!.replace('Basic ', ''), 'base64').toString();
  expect(login).toBe('ada:a:b@c');
  expect(seen).not.toHaveProperty('proxy-authorization');
});

test.each([
  [407, 'proxy'],
  [403, 'proxy'],
  [302, 'proxy'],
  [502, 'unreachable'],
  [504, 'unreachable'],
])('when it answers %i, the call fails with %s, in words without addresses', async (status, code) => {
  const proxy = await startProxy(
    () => 1,
    () => status,
  );
  const outbound = createOutbound({ allow: [], lookup: async () => [PUBLIC], proxy: proxy.url });
  const error = await outbound.post('http://hooks.example.com/', REQUEST).catch((cause) => cause);
  expect(error).toMatchObject({ name: 'OutboundError', code });
  expect(error.message).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  expect(outbound.counts.connections).toBe(0);
});

test('when it is away, or says something else, that is said', async () => {
  const silly = await startRawPeer((socket) => void socket.end('220 mail.example.com ESMTP\r\n'));
  const gone = await startHttpPeer(() => undefined, '127.0.0.4');
  for (const { port } of [silly, gone]) {
    const outbound = createOutbound({ proxy: new URL(`http://127.0.0.1:${port}`) });
    const call = outbound.post(`http://127.0.0.1:8080/`, REQUEST);
    await expect(call).rejects.toMatchObject({ code: 'proxy' });
  }
});

test('when it never answers, the call ends with its time', async () => {
  const silent = await startRawPeer((socket) => void socket.resume());
  const outbound = createOutbound({ proxy: new URL(`http://127.0.0.1:${silent.port}`), timeoutMs: 3_000 });
  await expect(outbound.post('http://127.0.0.1:8080/', REQUEST)).rejects.toMatchObject({ code: 'timeout' });
  await until(() => outbound.counts.connections === 0 && silent.sockets[0]!.destroyed);
});
