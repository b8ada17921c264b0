/** Under which names a server answers, and where its links lead. */
import { errorTable } from '@berth/contract';
import { startTestServer, type TestServer, type TestServerOptions, toErrorBody } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw, type RawAnswer } from './support/raw-http.ts';

const projects = '/v1/my/projects';

/** A server with a way to ask it under any name. */
const start = async (config: NonNullable<TestServerOptions['config']>) => {
  const server: TestServer = await startTestServer({ config });
  const { token } = await server.register('Local');
  const ask = (host: string, path = projects): Promise<RawAnswer> => {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`, 'Connection: close'];
    return sendRaw(server.url, [...lines, '', ''].join('\r\n'));
  };
  return { ask, close: () => server.close() };
};

describe('a server on loopback', () => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start({ serverNames: ['berth.lan'] });
  });
  afterAll(() => server.close());

  it.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    'xlocalhost',
    'localhost:x',
    '',
    '[a]',
    '1.2.3',
  ])('a server on loopback refuses the name "%s": a page of a stranger may let its name lead here', async (host) => {
    for (const path of [projects, '/healthz', '/', '/docs', '/metrics', '/nothing']) {
      const { status, headers, body } = await server.ask(host, path);
      expect([path, status, headers.get('x-error-code')]).toEqual([path, 421, 'unknown_server_name']);
      expect(headers.get('x-error-hint')).toBe(errorTable.unknown_server_name.hint);
      expect(JSON.parse(body)).toEqual(toErrorBody('unknown_server_name'));
    }
  });

  it.each(['localhost', 'LOCALHOST:1', 'app.localhost', '127.0.0.1:4000', '[::1]:4000', '10.0.0.7', 'Berth.lan:4000'])(
    'a server on loopback answers under %s, and lets nobody keep the answer',
    async (host) => {
      const { status, headers } = await server.ask(host);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    },
  );
});

it('a server that listens everywhere answers under every name; odd and hostile ones lead nowhere else', async () => {
  const { ask, close } = await start({ host: '0.0.0.0' });
  for (const host of ['1.2.3.4.5', '[:::]', 'x:99999', 'evil.example/x', 'a b', '@evil.example', "'"]) {
    const { status, body } = await ask(host);
    expect(status).toBe(200);
    expect(JSON.parse(body).pagination.first_page_url).toMatch(/^http:\/\/localhost:\d+\/v1\/my\/projects\?page=1$/);
  }
  // A name since Node.js 24, and none before.
  expect((await ask('xn--a')).status).toBe(200);
  await close();
});
