/** A host's own network: a proxy to go through, a private authority that signs the server's certificate. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendJson, ServerTransport } from '../src/server/server-transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-ca-'));
const servers: Server[] = [];
const sockets = new Set<Socket>();
/** What the proxy was asked for. */
let asked: string[] = [];

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const openssl = (...args: string[]) => expect(spawnSync('openssl', args, { cwd: folder }).status).toBe(0);
const answer = createServer((_, response) => response.end('{"is":"the server"}'));

/** Knows `berth.test`, which no name server does. */
const createProxy = (): Server => {
  const proxy = createServer((from, to) => {
    asked.push(`${from.method} ${from.url}`);
    const { port, pathname } = new URL(from.url ?? '');
    request({ host: '127.0.0.1', port, path: pathname, method: 'POST' }, (given) => given.pipe(to)).end();
  });
  return proxy.on('connect', ({ url = '' }, client: Socket) => {
    asked.push(`CONNECT ${url}`);
    const server = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(server).pipe(client);
    });
    sockets.add(server).add(client);
    for (const socket of [server, client]) socket.on('error', () => undefined);
  });
};

const call = async (serverUrl: string) => {
  const transport = new ServerTransport({ serverUrl, version: 'test' });
  const { signal } = new AbortController();
  return sendJson(transport, { path: 'v1/agent/claim', body: {}, signal })
    .then(({ json }) => json)
    .finally(() => transport.close());
};

beforeEach(() => {
  asked = [];
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toLowerCase(), '');
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a proxy that the environment names is gone through, except to what NO_PROXY names and to this machine', async () => {
  const port = await listen(answer);
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${await listen(createProxy())}`);
  expect(await call(`http://berth.test:${port}`)).toEqual({ is: 'the server' });
  expect(asked).toEqual([`POST http://berth.test:${port}/v1/agent/claim`]);
  expect(await call(`http://127.0.0.1:${port}`)).toEqual({ is: 'the server' });
  vi.stubEnv('NO_PROXY', 'berth.test');
  await expect(call(`http://berth.test:${port}`)).rejects.toThrow('berth.test');
  expect(asked).toHaveLength(1);
});

test(
  'a certificate of an unknown authority is refused with the way out, directly and through a proxy',
  { tags: ['openssl'] },
  async () => {
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'k', '-out', 'c', '-subj', '/CN=berth.test');
    const keys = { key: readFileSync(join(folder, 'k')), cert: readFileSync(join(folder, 'c')) };
    const port = await listen(createSecureServer(keys, (_, response) => response.end('{}')));
    const wayOut = 'Then start the agent with NODE_EXTRA_CA_CERTS=/path/to/ca.pem.';
    await expect(call(`https://127.0.0.1:${port}`)).rejects.toThrow(wayOut);
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listen(createProxy())}`);
    await expect(call(`https://berth.test:${port}`)).rejects.toThrow(wayOut);
    expect(asked).toEqual([`CONNECT berth.test:${port}`]);
  },
);

test('a proxy that refuses is not the server', async () => {
  const proxy = createServer().on('connect', (_, client: Socket) =>
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
  );
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listen(proxy)}`);
  await expect(call('https://berth.test:1')).rejects.toMatchObject({ name: 'ServerError', kind: 'unreachable' });
});

test('a server that is not there is named by its setting, whichever way it is missed', async () => {
  const port = await listen(answer);
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  const wayOut = 'Is BERTH_SERVER_URL right, does the server run';
  await expect(call(`http://127.0.0.1:${port}`)).rejects.toThrow(wayOut);
  await expect(call(`http://localhost:${port}`)).rejects.toThrow(wayOut);
});
