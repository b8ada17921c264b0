/** The address alone: a person in a browser is led to something to read, a program is told that nothing is there. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';

const ask = (accept: string, { method = 'GET', path = '/' } = {}) =>
  server.request(method, path, { headers: { accept } });

/** With these headers and no others: `fetch` would add some, and keeps `Host` to itself. */
const askBare = async (headers: Record<string, string>): Promise<IncomingMessage> => {
  const [answer] = (await once(get(`${server.url}/`, { headers }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer;
};

describe('who wants a page is led to one', () => {
  test.each([
    FIREFOX,
    CHROME,
    'text/html',
    'TEXT/HTML;q=0.1',
    'text/*',
    'application/json;q=0.8, text/html',
    'text/html, application/json',
    '*/*;q=0.8, text/html;level=1, text/html',
  ])('%s', async (accept) => {
    const answer = await ask(accept);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${server.url}/docs`]);
    expect(answer.bytes.length).toBe(0);
    const page = await ask(accept, { path: new URL(answer.headers.get('location')!).pathname });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  test('with a query, too, which leads nowhere else', async () => {
    const { status, headers } = await ask(FIREFOX, { path: '/?next=https://evil.example' });
    expect([status, headers.get('location')]).toEqual([302, `${server.url}/docs`]);
  });

  test('HEAD says the same, without a body', async () => {
    const { status, headers, bytes } = await ask(FIREFOX, { method: 'HEAD' });
    expect([status, headers.get('location'), bytes.length]).toEqual([302, `${server.url}/docs`, 0]);
  });

  test.each(['a b', 'evil.example/x', 'x@evil.example', '"><script>'])(
    'the host %j never gets into where it leads',
    async (host) => {
      const { statusCode, headers } = await askBare({ host, accept: 'text/html' });
      expect([400, 302]).toContain(statusCode);
      if (statusCode === 302) expect(headers.location).toMatch(/^http:\/\/localhost:\d+\/docs$/);
    },
  );
});

describe('a program is told that nothing is there', () => {
  test.each([
    '*/*',
    '',
    'application/json',
    'application/*',
    'application/json, text/html',
    'application/json, text/html;q=0.9',
    'text/html;q=0',
    'text/html;q=0, */*',
    'text/html;q=0.5, */*',
    'image/png',
    'text',
    ',,;q=,/',
    `text/x,${'a/b;q=1,'.repeat(1500)}`,
  ])('%s', async (accept) => {
    const answer = await ask(accept);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({ ok: false, msg: expect.any(String), data: null });
  });

  test('also one that names no type at all', async () => {
    expect((await askBare({})).statusCode).toBe(404);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not found whatever is wanted', async (method) => {
    const answer = await ask(FIREFOX, { method });
    expect([answer.status, answer.headers.get('allow'), answer.headers.get('location')]).toEqual([404, null, null]);
  });

  test.each(['//', '/index.html', '/v1', '/v1/', '/%2F'])('so is a page at %s', async (path) => {
    expect((await ask(FIREFOX, { path })).headers.get('location')).not.toBe(`${server.url}/docs`);
  });
});

test('behind a proxy it leads to the public address, below its path', async () => {
  const proxied = await startTestServer({ config: { publicUrl: 'https://berth.example.com/api' } });
  try {
    const { headers } = await proxied.request('GET', '/', { headers: { accept: FIREFOX } });
    expect(headers.get('location')).toBe('https://berth.example.com/api/docs');
  } finally {
    await proxied.close();
  }
});

test('either answer says that it depends on the wanted type, with the headers of a careful server', async () => {
  for (const accept of [FIREFOX, 'application/json', '*/*']) {
    const { headers } = await ask(accept);
    expect(headers.get('vary')).toBe('Accept');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  const elsewhere = await ask(FIREFOX, { path: '/nothing' });
  expect([elsewhere.status, elsewhere.headers.get('vary')]).toEqual([404, null]);
});
