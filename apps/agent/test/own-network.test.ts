/** A host's own network: a proxy to go through, a private authority that signs the server's certificate. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findProcessStat } from '@berth/kit';
import { waitFor } from '@berth/testing/wait-for';
import { exchange, type ExchangeRequest } from '../src/server/http-exchange.ts';
import { sendJson, ServerTransport } from '../src/server/server-transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-ca-'));
const servers: TcpServer[] = [];
const transports: ServerTransport[] = [];
const sockets = new Set<Socket>();
const children: ChildProcess[] = [];
/** What the proxy was asked for. */
let asked: string[] = [];
/** What came with its other requests. */
let forwarded: IncomingHttpHeaders[] = [];
/** What came with its CONNECTs, and as whom TLS addressed it. */
let tunnels: { headers: IncomingHttpHeaders; name: TLSSocket['servername'] | undefined }[] = [];

const listen = async (server: TcpServer): Promise<number> => {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const openssl = (...args: string[]) => expect(spawnSync('openssl', args, { cwd: folder }).status).toBe(0);
const answer = createServer((_, response) => response.end('{"is":"the server"}'));

/** The certificate of `berth.test` and its key. */
const createKeys = () => {
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'k', '-out', 'c', '-subj', '/CN=berth.test');
  return { key: readFileSync(join(folder, 'k')), cert: readFileSync(join(folder, 'c')) };
};

/** Knows `berth.test`, which no name server does. */
const createProxy = (proxy: Server = createServer()): Server => {
  proxy.on('request', (from, to) => {
    asked.push(`${from.method} ${from.url}`);
    forwarded.push(from.headers);
    const { port, pathname } = new URL(from.url ?? '');
    request({ host: '127.0.0.1', port, path: pathname, method: 'POST' }, (given) => given.pipe(to)).end();
  });
  return proxy.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push(`CONNECT ${url}`);
    tunnels.push({ headers, name: client instanceof TLSSocket ? client.servername : undefined });
    const server = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(server).pipe(client);
    });
    sockets.add(server).add(client);
    for (const socket of [server, client]) socket.on('error', () => undefined);
  });
};

/** Whoever takes what comes and answers in a way of its own, or not at all. */
const listenRaw = async (onAsked: (client: Socket) => unknown = () => undefined) => {
  const stranger = { port: 0, asked: 0, isLeft: false };
  const server = createTcpServer((client) => {
    client.on('error', () => undefined).on('close', () => (stranger.isLeft = true));
    client.once('data', () => {
      stranger.asked += 1;
      onAsked(client);
    });
  });
  stranger.port = await listen(server);
  return stranger;
};

/** The timeout is one that no test lives to see, unless it says so. */
const open = (serverUrl: string, timeoutMs = 600_000) => {
  const transport = new ServerTransport({ serverUrl, version: 'test' });
  transports.push(transport);
  const controller = new AbortController();
  const { signal } = controller;
  const send = async () => (await sendJson(transport, { path: 'v1/agent/claim', body: {}, timeoutMs, signal })).json;
  return { send, abort: () => controller.abort(), close: () => transport.close() };
};
const call = (serverUrl: string) => open(serverUrl).send();

beforeEach(() => {
  asked = [];
  forwarded = [];
  tunnels = [];
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toLowerCase(), '');
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const transport of transports.splice(0)) transport.close();
  for (const socket of sockets) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
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

test('a proxy to an http server gets its own credentials, which are not those of the call', async () => {
  const port = await listen(answer);
  vi.stubEnv('HTTP_PROXY', `http://us%40er:pass%3Aword@localhost:${await listen(createProxy())}`);
  const { send } = open(`http://berth.test:${port}`);
  expect([await send(), await send()]).toEqual([{ is: 'the server' }, { is: 'the server' }]);
  const authorization = `Basic ${Buffer.from('us@er:pass:word').toString('base64')}`;
  const headers = { host: `berth.test:${port}`, 'proxy-authorization': authorization };
  expect(forwarded).toMatchObject([headers, headers]);
  for (const each of forwarded) expect(each).not.toHaveProperty('authorization');
});

test(
  'a certificate of an unknown authority is refused with the way out, directly and through a proxy',
  { tags: ['openssl'] },
  async () => {
    const port = await listen(createSecureServer(createKeys(), (_, response) => response.end('{}')));
    const wayOut = 'Then start the agent with NODE_EXTRA_CA_CERTS=/path/to/ca.pem.';
    await expect(call(`https://127.0.0.1:${port}`)).rejects.toThrow(wayOut);
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listen(createProxy())}`);
    await expect(call(`https://berth.test:${port}`)).rejects.toThrow(wayOut);
    expect(asked).toEqual([`CONNECT berth.test:${port}`]);
  },
);

describe('a tunnel through a proxy', { tags: ['openssl'] }, () => {
  // Nobody has signed these certificates.
  beforeEach(() => void vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0'));
  const schemes = ['http', 'https'] as const;
  const createProxyOf = { http: createProxy, https: () => createProxy(createSecureServer(createKeys())) };

  test.each(schemes)(
    'a tunnel through a proxy is opened once for several calls, with the credentials of an %s proxy',
    async (scheme) => {
      const port = await listen(createSecureServer(createKeys(), (_, to) => to.end('{"is":"the server"}')));
      vi.stubEnv('HTTPS_PROXY', `${scheme}://us%40er:pass%3Aword@localhost:${await listen(createProxyOf[scheme]())}`);
      const { send } = open(`https://berth.test:${port}`);
      expect([await send(), await send()]).toEqual([{ is: 'the server' }, { is: 'the server' }]);
      expect(asked).toEqual([`CONNECT berth.test:${port}`]);
      const authorization = `Basic ${Buffer.from('us@er:pass:word').toString('base64')}`;
      const headers = { host: `berth.test:${port}`, 'proxy-authorization': authorization };
      expect(tunnels).toMatchObject([{ headers, name: scheme === 'https' ? 'localhost' : undefined }]);
    },
  );

  test.each(schemes)(
    'a tunnel through a proxy that an %s proxy resets fails the call inside, and no other',
    async (scheme) => {
      let calls = 0;
      const onCall = () => (calls += 1);
      const port = await listen(createSecureServer(createKeys(), onCall));
      vi.stubEnv('HTTPS_PROXY', `${scheme}://127.0.0.1:${await listen(createProxyOf[scheme]())}`);
      const { send } = open(`https://berth.test:${port}`);
      for (const count of [1, 2]) {
        const failed = expect(send()).rejects.toMatchObject({ kind: 'unreachable' });
        await waitFor(() => calls === count, { what: 'the call' });
        // TLS inside TCP goes with it.
        for (const socket of sockets) if (!(socket instanceof TLSSocket)) socket.resetAndDestroy();
        await failed;
      }
    },
  );

  test('a tunnel through a proxy leads to an IPv6 address too, and without credentials where the proxy has none', async () => {
    const port = await listen(createSecureServer(createKeys(), (_, to) => to.end('{"is":"the server"}')));
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${await listen(createProxy())}`);
    expect(await call(`https://[2001:db8::1]:${port}`)).toEqual({ is: 'the server' });
    expect(asked).toEqual([`CONNECT [2001:db8::1]:${port}`]);
    expect(tunnels[0]?.headers).not.toHaveProperty('proxy-authorization');
  });
});

test.each([
  ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n', 'the proxy answered 407'],
  ['speaks as the server', 'HTTP/1.1 401 No\r\nX-Error-Code: unauthenticated\r\n\r\n', 'the proxy answered 401'],
  ['switches protocols', 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'the proxy answered 101'],
  ['sends a page through the tunnel', 'HTTP/1.1 200 OK\r\n\r\nPlease sign in.', 'SSL'],
  ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'Parse Error'],
  ['sends a header of more than 16 KiB', `HTTP/1.1 200 OK\r\nX-Filler: ${'x'.repeat(17_000)}`, 'Header overflow'],
])('a proxy that %s is not the server, and is left', async (_, text, reason) => {
  const proxy = await listenRaw((client) => client.write(text));
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  const expected = { name: 'ServerError', kind: 'unreachable', message: expect.stringContaining(reason) as string };
  await expect(call('https://berth.test:1')).rejects.toMatchObject(expected);
  await waitFor(() => proxy.isLeft, { what: 'the end of the connection' });
});

const aborted = { kind: 'unreachable', message: expect.stringContaining('aborted') as string };
const late = { kind: 'unreachable', message: expect.stringContaining('no answer within') as string };

/** Where the environment has a proxy for a server. */
const useProxy = (serverUrl: string, proxyUrl: string) =>
  vi.stubEnv(serverUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY', proxyUrl);

const HALF_A_HEADER = 'HTTP/1.1 200 OK\r\nX-Filler: ';

describe.each([
  ['answers CONNECT with nothing', 'http', 'https', ''],
  ['answers CONNECT with half a header', 'http', 'https', HALF_A_HEADER],
  ['answers CONNECT with a tunnel in which nobody answers', 'http', 'https', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['is asked for a tunnel and ends no handshake of TLS', 'https', 'https', ''],
  ['answers a call with nothing', 'http', 'http', ''],
  ['answers a call with half a header', 'http', 'http', HALF_A_HEADER],
  ['is asked for an http server and ends no handshake of TLS', 'https', 'http', ''],
])('a proxy that %s', (_, proxyScheme, serverScheme, text) => {
  const askProxy = async (timeoutMs?: number) => {
    const proxy = await listenRaw((client) => text !== '' && client.write(text));
    const serverUrl = `${serverScheme}://berth.test`;
    useProxy(serverUrl, `${proxyScheme}://127.0.0.1:${proxy.port}`);
    return { proxy, ...open(serverUrl, timeoutMs) };
  };

  test('a proxy that hangs holds up a call until its timeout, and is left', async () => {
    const { proxy, send } = await askProxy(200);
    await expect(send()).rejects.toMatchObject(late);
    await waitFor(() => proxy.isLeft, { what: 'the end of the connection' });
  });

  test.each([
    ['it is given up', 'abort'],
    ['the transport is closed', 'close'],
  ] as const)('a proxy that hangs holds up a call until %s, and is left', async (__, end) => {
    const { proxy, send, ...ends } = await askProxy();
    const failed = expect(send()).rejects.toMatchObject(aborted);
    await waitFor(() => proxy.asked === 1, { what: 'the first bytes' });
    ends[end]();
    await failed;
    await waitFor(() => proxy.isLeft, { what: 'the end of the connection' });
  });
});

/** Takes no connection: its queue is full, and it is stopped. */
const STOPPED = `
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(String(server.address().port));
    setImmediate(() => process.kill(process.pid, 'SIGSTOP'));
  });
`;

const startStopped = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', STOPPED], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  await waitFor(() => findProcessStat(child.pid!)?.state === 'T', { what: 'a stopped proxy' });
  for (let queued = 0; queued < 2; queued += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    sockets.add(socket);
    await once(socket, 'connect');
  }
  return Number(port);
};

const isConnecting = () => process.getActiveResourcesInfo().includes('ConnectWrap');

describe.each(['http', 'https'])('a proxy that takes no connection to an %s server', (serverScheme) => {
  test.each(['http', 'https'])(
    'a proxy that takes no connection is not asked any longer than a call may take, over %s',
    async (proxyScheme) => {
      const serverUrl = `${serverScheme}://berth.test`;
      useProxy(serverUrl, `${proxyScheme}://127.0.0.1:${await startStopped()}`);
      const failed = expect(open(serverUrl, 500).send()).rejects.toMatchObject(late);
      await waitFor(isConnecting, { what: 'the attempt to connect' });
      await failed;
      await waitFor(() => !isConnecting(), { what: 'the end of the attempt to connect' });
    },
  );
});

test('a call for which no connection is ever opened ends at its timeout, and when it is given up', async () => {
  class NeverOpening extends Agent {
    override createConnection = () => undefined;
  }
  const limits = { timeoutMs: 600_000, maxAnswerBytes: 1, signals: [] };
  const send = (other: Partial<ExchangeRequest>) =>
    exchange(new NeverOpening(), {
      method: 'GET',
      url: new URL('http://berth.test'),
      headers: {},
      ...limits,
      ...other,
    });
  await expect(send({ timeoutMs: 1 })).rejects.toMatchObject({ kind: 'unreachable' });
  const controller = new AbortController();
  const failed = expect(send({ signals: [controller.signal] })).rejects.toMatchObject({ kind: 'unreachable' });
  controller.abort();
  await failed;
});

test('an answer that switches to another protocol is none, and its connection is left', async () => {
  const answered = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const server = await listenRaw((client) => client.write(answered));
  const expected = { kind: 'unreachable', message: expect.stringContaining('with status 101, but not by') as string };
  await expect(call(`http://127.0.0.1:${server.port}`)).rejects.toMatchObject(expected);
  await waitFor(() => server.isLeft, { what: 'the end of the connection' });
});

test('a server that is not there is named by its setting, whichever way it is missed', async () => {
  const port = await listen(answer);
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  const wayOut = 'Is BERTH_SERVER_URL right, does the server run';
  await expect(call(`http://127.0.0.1:${port}`)).rejects.toThrow(wayOut);
  await expect(call(`http://localhost:${port}`)).rejects.toThrow(wayOut);
});
