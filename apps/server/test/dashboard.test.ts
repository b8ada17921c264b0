/** The dashboard over HTTP: who gets the page and who does not, how its files are kept, and what the page may do. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createLogger } from '@berth/kit';
import { startTestServer, toErrorBody, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer();

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CHROME = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';

const ask = async (accept: string, { method = 'GET', path = '/', from = server } = {}) => {
  const answer = await from.request(method, path, { headers: { accept } });
  return { ...answer, text: answer.bytes.toString() };
};

/** As it goes over the wire: `fetch` would unpack the content, tidy the path up and add headers. */
const askBare = async (path: string, headers: Record<string, string> = {}) => {
  const { hostname, port } = new URL(server.url);
  const [answer] = (await once(get({ hostname, port, path, headers }), 'response')) as [IncomingMessage];
  const content = Buffer.concat((await answer.toArray()) as Buffer[]);
  return { status: answer.statusCode, headers: answer.headers, content };
};

const listAssets = async (): Promise<string[]> => {
  const { text } = await ask(FIREFOX);
  return [...text.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
};

test.each([FIREFOX, CHROME, 'text/html', 'TEXT/HTML;q=0.1', 'text/*', 'application/json;q=0.8, text/html'])(
  'who wants a page gets it: %s',
  async (accept) => {
    const answer = await ask(accept);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('<div id="app">');
  },
);

test.each(['/terminals', '/terminals/0198c2a1-0000-7000-8000-000000000000', '/tasks?status=3', '/sign-in', '/v2'])(
  'who wants a page gets it at the address %s, which may have been kept or sent',
  async (path) => {
    const answer = await ask(FIREFOX, { path });
    expect([answer.status, answer.text]).toEqual([200, (await ask(FIREFOX)).text]);
  },
);

test('HEAD of a page says the same as GET, without a body', async () => {
  const [page, head] = [await ask(FIREFOX), await ask(FIREFOX, { method: 'HEAD' })];
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  for (const name of ['content-type', 'etag', 'content-security-policy', 'cache-control', 'content-length']) {
    expect([name, head.headers.get(name)]).toEqual([name, page.headers.get(name)]);
  }
});

test('who wants a page gets it, and a client that has it gets 304', async () => {
  const etag = (await ask(FIREFOX)).headers.get('etag')!;
  const again = await askBare('/terminals', { accept: FIREFOX, 'if-none-match': etag });
  expect([again.status, again.content.length]).toEqual([304, 0]);
});

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
])('a program gets a 404: %s', async (accept) => {
  const answer = await ask(accept);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('vary')).toBe('Accept');
  expect(answer.body).toEqual(toErrorBody('route_not_found'));
});

test('a program gets a 404, also one that names no type at all', async () => {
  expect((await askBare('/')).status).toBe(404);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'a program gets a 404: %s is not found whatever is wanted',
  async (method) => {
    const answer = await ask(FIREFOX, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
  },
);

test.each([
  '/v1',
  '/v1/',
  '/v1/my/nothing',
  '/docs/nothing',
  '/flags/gb',
  '/metrics/x',
  '/assets',
  '/assets/x.js',
  '/install/x',
])('a program gets a 404 at %s, which is not the place of pages: browsers get JSON too', async (path) => {
  const answer = await ask(FIREFOX, { path });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

test.each(['//', '//evil.example', '//evil.example/terminals', '/index.html', '/favicon.ico', '/terminals/app.js'])(
  'a page at %s is not found by a program',
  async (path) => {
    const { status, headers } = await askBare(path, { accept: FIREFOX });
    expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  },
);

test('the files of the page are there, under names that never mean another content, and may be kept for ever', async () => {
  const paths = await listAssets();
  expect(paths.length).toBeGreaterThanOrEqual(3);
  for (const path of paths) {
    const { status, headers } = await askBare(path);
    expect([path, status]).toEqual([path, 200]);
    expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('the files of the page come packed to who unpacks them, and plain to everybody else', async () => {
  const path = (await listAssets()).find((name) => name.endsWith('.js') && !name.includes('theme'))!;
  const plain = await askBare(path);
  const gzip = await askBare(path, { 'accept-encoding': 'gzip' });
  const brotli = await askBare(path, { 'accept-encoding': 'gzip, deflate, br' });
  expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
  expect(gunzipSync(gzip.content).equals(plain.content)).toBe(true);
  expect(brotliDecompressSync(brotli.content).equals(plain.content)).toBe(true);
  expect(plain.headers.vary).toBe('Accept-Encoding');
  const refused = await askBare(path, { 'accept-encoding': 'br;q=0, gzip;q=0' });
  expect(refused.content.equals(plain.content)).toBe(true);
});

test.each(['..%2f..%2fpackage.json', '%2e%2e%2findex.html', '../index.html', '..', '%00', 'a%5c..%5cindex.html'])(
  'no name leads out of the folder of the page: %s',
  async (name) => {
    const { status, content } = await askBare(`/assets/${name}`, { accept: '*/*' });
    expect([400, 404]).toContain(status);
    expect(content.toString()).not.toMatch(/<html|"name": ?"berth/);
  },
);

test('the files of the page are named by the page with the path of the public address', async () => {
  const proxied = await startTestServer({ config: { publicUrl: 'https://berth.example.com/desk' } });
  try {
    const { text } = await ask(FIREFOX, { from: proxied });
    expect(text).toMatch(/src="\/desk\/assets\/[^"]+\.js"/);
    expect(text).not.toMatch(/"\.?\/assets\//);
  } finally {
    await proxied.close();
  }
});

test('what the page may do is exact: scripts, styles and requests of this server alone, and in no frame', async () => {
  const { headers } = await ask(FIREFOX);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
      "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('vary')).toBe('Accept');
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('what the page may do fits what stands in it: no script and no style inside of the page, and nothing from elsewhere', async () => {
  const { text } = await ask(FIREFOX);
  expect(text).not.toMatch(/<style|style=|\son\w+=|https?:/);
  expect(text.match(/<script(?![^>]*\bsrc=)/)).toBeNull();
});

test('what answers that are data may do stays nothing at all', async () => {
  const { headers } = await ask('application/json');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('the server starts, says in one line what to do, and answers all but the page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-no-dashboard-'));
  const lines: string[] = [];
  const log = createLogger({ name: 'test', level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const bare = await startTestServer({ dashboardDir: join(folder, 'dist'), log });
  try {
    const page = await ask(FIREFOX, { path: '/terminals', from: bare });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
    expect(page.text).toContain('script/build');
    expect((await bare.request('GET', '/healthz')).status).toBe(200);
    expect((await bare.request('GET', '/assets/index.js')).status).toBe(404);
  } finally {
    await bare.close();
  }
  expect(lines.filter((line) => line.includes('dashboard'))).toEqual([expect.stringContaining('run script/build')]);
  await rm(folder, { recursive: true });
});
