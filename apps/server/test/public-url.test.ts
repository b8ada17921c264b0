import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { toPublicUrl } from '../src/api/http/public-url.ts';

const config = { publicUrl: undefined, port: 4000 };
const toRequest = (host: string | undefined, url = '/v1/x?page=1') =>
  ({ headers: { host }, protocol: 'http', url, socket: { localPort: 4000 } }) as unknown as FastifyRequest;

test.each([
  ['berth.example.com', 'http://berth.example.com/v1/x?page=1'],
  ['127.0.0.1:4000', 'http://127.0.0.1:4000/v1/x?page=1'],
  ['[::1]:4000', 'http://[::1]:4000/v1/x?page=1'],
])('the host %s is kept', (host, url) => {
  expect(toPublicUrl(toRequest(host), config).href).toBe(url);
});

test.each([
  undefined,
  '',
  'evil.example.com/path',
  'user@evil.example.com',
  'a b',
  'x?y',
  'x#y',
  'a:b:c',
  '"><script>',
])('the host %j never gets into a link', (host) => {
  expect(toPublicUrl(toRequest(host), config).origin).toBe('http://localhost:4000');
});

test.each(['http://evil.example.com/v1/x?page=1', 'http://[/v1/x?page=1'])(
  'only the path of a request line with a whole URL (%s) is used',
  (url) => {
    expect(toPublicUrl(toRequest('good.example.com', url), config).href).toBe('http://good.example.com/v1/x?page=1');
  },
);
