// @module-tag openssl
/** Calls over TLS: the certificate has to be that of the name, whatever the way there. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeAfterEach, createOutbound, listen, REQUEST, startHttpPeer, until } from './support/peers.ts';
import { startProxy } from './support/proxy.ts';

closeAfterEach();

let folder: string;
let key: string;
let certificate: string;

/** Its own authority, for a name and an address. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-outbound-'));
  const names = 'subjectAltName=DNS:hooks.example.com,IP:127.0.0.1';
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, '-subj', '/CN=test', '-addext', names, ...files]);
  key = await readFile(join(folder, 'key.pem'), 'utf8');
  certificate = await readFile(join(folder, 'certificate.pem'), 'utf8');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const startTlsPeer = async (body = 'taken') => {
  const asked: unknown[] = [];
  const server = createTlsServer({ key, cert: certificate }, (request, response) => {
    asked.push((request.socket as TLSSocket).servername);
    response.end(body);
  });
  server.on('tlsClientError', () => undefined);
  return { ...(await listen(server)), asked };
};

test('a certificate of the name, or of the address, is right; the connection is kept', async () => {
  const peer = await startTlsPeer();
  const outbound = createOutbound({ authorities: [certificate] });
  for (const name of ['hooks.example.com', 'HOOKS.example.com.', '127.0.0.1']) {
    const url = `https://${name}:${peer.port}/hook`;
    expect(await outbound.post(url, REQUEST)).toMatchObject({ status: 200, excerpt: 'taken' });
  }
  await outbound.post(`https://hooks.example.com:${peer.port}/`, REQUEST);
  expect(peer.asked).toEqual(['hooks.example.com', 'hooks.example.com', false, 'hooks.example.com']);
  expect(peer.sockets).toHaveLength(3);
});

test('one of another name is refused', async () => {
  const peer = await startTlsPeer();
  const outbound = createOutbound({ authorities: [certificate], allow: ['127.0.0.0/8'] });
  const call = outbound.post(`https://other.example.com:${peer.port}/`, REQUEST);
  const message = 'The certificate there is for another name.';
  await expect(call).rejects.toMatchObject({ code: 'tls', message });
  expect(peer.asked).toEqual([]);
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
});

test('one that nobody vouches for is refused, also where a variable says to take any', async () => {
  const peer = await startTlsPeer();
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const call = createOutbound().post(`https://hooks.example.com:${peer.port}/`, REQUEST);
    await expect(call).rejects.toMatchObject({ code: 'tls' });
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
  expect(peer.asked).toEqual([]);
});

test('a server without TLS is no secure one', async () => {
  const peer = await startHttpPeer((_request, response) => void response.end());
  const call = createOutbound().post(`https://hooks.example.com:${peer.port}/`, REQUEST);
  await expect(call).rejects.toMatchObject({ code: 'tls', message: 'No secure connection could be made there.' });
});

test('through a proxy, the certificate is that of the name, though the proxy is asked for an address', async () => {
  const peer = await startTlsPeer();
  const proxy = await startProxy(() => peer.port);
  const lookup = async () => ['93.184.215.14'];
  const outbound = createOutbound({ authorities: [certificate], allow: [], lookup, proxy: proxy.url });
  expect(await outbound.post('https://hooks.example.com/', REQUEST)).toMatchObject({ excerpt: 'taken' });
  await expect(outbound.post('https://other.example.com/', REQUEST)).rejects.toMatchObject({ code: 'tls' });
  expect(proxy.asked).toEqual(['CONNECT 93.184.215.14:443', 'CONNECT 93.184.215.14:443']);
  expect(peer.asked).toEqual(['hooks.example.com']);
});

test('an answer without an end is read at its beginning only, over TLS too', async () => {
  const peer = await startTlsPeer('a'.repeat(5_000_000));
  const outbound = createOutbound({ authorities: [certificate] });
  const answer = await outbound.post(`https://hooks.example.com:${peer.port}/`, REQUEST);
  expect(answer.excerpt).toBe('a'.repeat(1_000));
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
});
