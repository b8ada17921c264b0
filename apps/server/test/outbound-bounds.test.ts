/** Answers that have no end, come too slowly, or are none: what a hostile server can do to a call. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { closeAfterEach, createOutbound, REQUEST, startHttpPeer, startRawPeer, toUrl, until } from './support/peers.ts';

closeAfterEach();

const SOON = { timeoutMs: 3_000 };

/** Says something once the request is there. */
const startPeerThatSays = (say: (socket: Socket) => void) =>
  startRawPeer((socket) => void socket.once('data', () => say(socket)));

/** Writes for as long as anybody reads. */
const startEndlessPeer = async (start: string, part: string) => {
  const sent = { bytes: 0 };
  const block = Buffer.from(part.repeat(Math.ceil(16_384 / part.length)));
  const flood = async (socket: Socket) => {
    socket.write(start);
    while (!socket.destroyed) {
      sent.bytes += block.length;
      if (!socket.write(block))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
    }
  };
  const peer = await startPeerThatSays((socket) => void flood(socket));
  return { ...peer, sent };
};

/** Says a piece again and again, and never all. */
const startDrip = (start: string, piece: string) =>
  startPeerThatSays((socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 10);
    socket.once('close', () => clearInterval(timer));
  });

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;
/** What the operating system takes in for a socket that nobody reads any more is some MiB. */
const FEW_BYTES = 32 * 1024 * 1024;

test.each([
  ['nothing at all', '', undefined],
  ['a status line, letter by letter', 'HTTP/1.1 200 ', 'a'],
  ['headers, one by one', HEAD, 'x: 1\r\n'],
  ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
])('an answer that comes too slowly ends the call when its time is over: %s', async (_title, start, piece) => {
  const peer =
    piece === undefined ? await startRawPeer((socket) => void socket.resume()) : await startDrip(start, piece);
  const outbound = createOutbound(SOON);
  await expect(outbound.post(toUrl(peer), REQUEST)).rejects.toMatchObject({ code: 'timeout' });
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
});

test('an answer that comes too slowly is told from none: a body or trailers that trickle', async () => {
  const starts: [string, string][] = [
    [`${HEAD}content-length: 500000\r\n\r\n`, 'a'],
    [CHUNKED, '1\r\na\r\n'],
    [`${HEAD}\r\n`, 'a'],
    [`${CHUNKED}0\r\n`, 'x: 1\r\n'],
  ];
  // Time enough for the beginning of the answer, however busy the machine is.
  const outbound = createOutbound({ timeoutMs: 4_000 });
  const peers = await Promise.all(starts.map(([start, piece]) => startDrip(start, piece)));
  const calls = peers.map((peer) => outbound.post(toUrl(peer), REQUEST).catch((error) => error.code));
  expect(await Promise.all(calls)).toEqual(starts.map(() => 'answer_too_slow'));
  await until(() => outbound.counts.connections === 0 && peers.every(({ sockets }) => sockets[0]!.destroyed));
});

test('an answer that comes too slowly is none of a server that does not read what it is sent', async () => {
  const peer = await startRawPeer((socket) => void socket.pause());
  const outbound = createOutbound(SOON);
  const body = 'a'.repeat(256 * 1024);
  await expect(outbound.post(toUrl(peer), { ...REQUEST, headers: {}, body })).rejects.toMatchObject({
    code: 'timeout',
  });
  await until(() => outbound.counts.connections === 0);
});

test('an answer that comes too slowly is none of one that never shakes hands over TLS', async () => {
  const peer = await startRawPeer((socket) => void socket.resume());
  const call = createOutbound(SOON).post(`https://127.0.0.1:${peer.port}/`, REQUEST);
  await expect(call).rejects.toMatchObject({ code: 'timeout', message: 'No connection could be made in time.' });
  await until(() => peer.sockets[0]!.destroyed);
});

test.each([
  ['a body with a length', `${HEAD}content-length: 99999999999\r\n\r\n`, 'abcdefgh'],
  ['a body without one', `${HEAD}\r\n`, 'abcdefgh'],
  ['chunks', CHUNKED, '8\r\nabcdefgh\r\n'],
  ['an error with a body', 'HTTP/1.1 500 Oh\r\n\r\n', 'abcdefgh'],
])('an answer without an end is read at its beginning only: %s', async (_title, start, part) => {
  const peer = await startEndlessPeer(start, part);
  const outbound = createOutbound();
  const answer = await outbound.post(toUrl(peer), REQUEST);
  expect(answer).toMatchObject({ status: start.includes('500') ? 500 : 200, excerpt: 'abcdefgh'.repeat(125) });
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
  expect(peer.sent.bytes).toBeLessThan(FEW_BYTES);
});

test.each([
  ['one header', `${HEAD}x: `, 'a'],
  ['the name of a header', HEAD, 'a'],
  ['many headers', HEAD, 'x: 1\r\n'],
  ['a status line', 'HTTP/1.1 200 ', 'a'],
  ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['interim answers with headers', '', `HTTP/1.1 103 Early Hints\r\nx: ${'a'.repeat(1_000)}\r\n\r\n`],
])('an answer without an end of which there is no beginning of a body is an error: %s', async (_title, start, part) => {
  const peer = await startEndlessPeer(start, part);
  const outbound = createOutbound();
  await expect(outbound.post(toUrl(peer), REQUEST)).rejects.toMatchObject({ code: 'answer_too_large' });
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
  expect(peer.sent.bytes).toBeLessThan(FEW_BYTES);
});

test.each([
  ['the extension of a chunk', `${CHUNKED}3\r\nabc\r\n8;`, 'a'],
  ['chunks of one byte with long extensions', `${CHUNKED}3\r\nabc\r\n`, `1;${'a'.repeat(4_000)}\r\n \r\n`],
])('an answer without an end counts with what there was of it, where it hides: %s', async (_title, start, part) => {
  const peer = await startEndlessPeer(start, part);
  const outbound = createOutbound();
  expect(await outbound.post(toUrl(peer), REQUEST)).toMatchObject({ status: 200, excerpt: 'abc' });
  await until(() => outbound.counts.connections === 0 && peer.sockets[0]!.destroyed);
  expect(peer.sent.bytes).toBeLessThan(FEW_BYTES);
});

test('an answer without an end of trailers is an error', async () => {
  const peer = await startEndlessPeer(`${CHUNKED}0\r\n`, 'x: 1\r\n');
  await expect(createOutbound().post(toUrl(peer), REQUEST)).rejects.toMatchObject({ code: 'answer_too_large' });
  expect(peer.sent.bytes).toBeLessThan(FEW_BYTES);
});

test('an answer without an end is not what many answers on one connection come to', async () => {
  const peer = await startHttpPeer((_request, response) => void response.end('a'.repeat(8_000)));
  const outbound = createOutbound();
  for (let count = 0; count < 50; count += 1) await outbound.post(toUrl(peer), REQUEST);
  expect(peer.sockets).toHaveLength(1);
});

test.each([
  ['another protocol', '220 mail.example.com ESMTP\r\n', 'broken_answer'],
  ['a length that is none', `${HEAD}content-length: abc\r\n\r\n`, 'broken_answer'],
  ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\na`, 'broken_answer'],
  ['a length and chunks', `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n`, 'broken_answer'],
  [
    'an upgrade that nobody asked for',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    undefined,
  ],
  ['an end without a beginning', '', 'unreachable'],
  ['an end in the headers', `${HEAD}x: 1\r\n`, undefined],
  ['an end in the body', `${HEAD}content-length: 10\r\n\r\nabc`, undefined],
])('what is no answer ends the call: %s', async (_title, text, code) => {
  const peer = await startPeerThatSays((socket) => void socket.end(text));
  const outbound = createOutbound();
  const error = await outbound.post(toUrl(peer), REQUEST).catch((cause) => cause);
  expect(['broken_answer', 'unreachable']).toContain(error.code);
  if (code !== undefined) expect(error.code).toBe(code);
  await until(() => outbound.counts.connections === 0);
});

const answerWith = async (body: Uint8Array | string, headers: Record<string, string> = {}) => {
  const peer = await startHttpPeer((_request, response) => void response.writeHead(200, headers).end(body));
  return createOutbound().post(toUrl(peer), REQUEST);
};

test('the excerpt is never made by decompression, which could make a gigabyte of little', async () => {
  const bomb = gzipSync(Buffer.alloc(4_000_000));
  for (const encoding of ['gzip', 'br', 'deflate', 'zstd'])
    expect((await answerWith(bomb, { 'content-encoding': encoding })).excerpt).toBe('');
  expect((await answerWith('plain', { 'content-encoding': 'identity' })).excerpt).toBe('plain');
});

test('the excerpt is text that can be stored and shown, whatever came', async () => {
  const bytes = Buffer.concat([
    Buffer.from('a\u0000b\u001b[31mc\u0085d\u202ee\ufefff\r\n\tg'),
    Buffer.from([0xff, 0x68]),
  ]);
  expect((await answerWith(bytes)).excerpt).toBe('ab[31mcdef g\ufffdh');
});

test('the excerpt has up to 1,000 characters, none of them cut in the middle', async () => {
  const { excerpt } = await answerWith('🚢'.repeat(1_500));
  expect([...excerpt]).toHaveLength(1_000);
  expect(excerpt.isWellFormed()).toBe(true);
  // 8 KiB end in the middle of a character, and what is shown of it is not that.
  const cut = `${'\u0001'.repeat(8_190)}🚢${'a'.repeat(100)}`;
  expect((await answerWith(cut)).excerpt).toBe('');
  expect((await answerWith(`${'\u0001'.repeat(8_190)}ab`)).excerpt).toBe('ab');
});

test('the excerpt stands beside headers that are as harmless', async () => {
  const headers = { 'retry-after': '7'.repeat(500), 'content-type': 'a\tb' };
  expect((await answerWith('', headers)).headers).toEqual({ retryAfter: '7'.repeat(200), contentType: 'a b' });
  expect((await answerWith('')).headers).toEqual({ retryAfter: undefined, contentType: undefined });
});
