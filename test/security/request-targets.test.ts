/** The same resource under another spelling of its address: as a proxy writes it, or with what needs no escape escaped. */
import { startTestServer, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { sendRaw } from './support/raw-http.ts';

const server = useTestServer();

const get = (target: string, token: string) =>
  sendRaw(
    server.url,
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );

it.each(['/v1/my/account/profile', 'http://localhost/v1/my/account/profile', '/%761/my/account/profile'])(
  'what is of an account is kept by nobody, asked for as %s',
  async (target) => {
    const { token } = await server.register('Ada');
    const { status, headers } = await get(target, token);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const refused = await get(target, 'wrong');
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store']);
  },
);

it('a server that stops takes reports of hosts, however their address is written', async () => {
  const stopping = await startTestServer();
  stopping.services.draining.abort();
  const target = 'http://localhost/v1/agent/report';
  const head = 'Host: localhost\r\nContent-Length: 2\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}';
  const answers = await Promise.all(
    [target, '/v1/agent/report', '/v1/my/projects'].map((each) =>
      sendRaw(stopping.url, `POST ${each} HTTP/1.1\r\n${head}`),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 503]);
  await stopping.close();
});
