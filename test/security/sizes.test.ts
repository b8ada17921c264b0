/** How large requests may be, on their way and in memory, whatever their headers say. */
import { MAX_BODY_BYTES, MAX_FILE_BYTES } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { expectRawError, openSocket, sendRaw } from './support/raw-http.ts';
import { createWorld, type World } from './support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.server.close());

const MIB = 1024 * 1024;
const projects = '/v1/my/projects';

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  world.server.request('POST', path, { token: world.owner.token, body, headers });

/** A JSON body of exactly this size. */
const toSized = (sizeBytes: number): string => {
  const frame = JSON.stringify({ name: 'n', filler: '' });
  return JSON.stringify({ name: 'n', filler: 'x'.repeat(sizeBytes - frame.length) });
};

const head = (request: string, ...lines: string[]): string =>
  [`${request} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${world.owner.token}`, ...lines, '', ''].join(
    '\r\n',
  );

it('a body of 64 KiB is taken, one byte more is not', async () => {
  expect((await post(projects, toSized(MAX_BODY_BYTES))).status).toBe(200);
  const answer = await post(projects, toSized(MAX_BODY_BYTES + 1));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'body_too_large']);
});

it('routes for many terminals, and the reports of hosts, take more, and the description says how much', async () => {
  const { paths } = (await world.server.request('GET', '/openapi.json')).body as {
    paths: Record<string, { post: { requestBody: { description: string } } }>;
  };
  const larger: [string, number, string][] = [
    ['/v1/my/trading/terminals/bulk', MIB, 'Up to 1 MiB.'],
    ['/v1/my/trading/bulk-runs', MIB / 2, 'Up to 512 KiB.'],
  ];
  for (const [path, sizeBytes, text] of larger) {
    expect((await post(path, toSized(sizeBytes))).status).toBe(422);
    expect((await post(path, toSized(sizeBytes + 1))).status).toBe(413);
    expect(paths[path]?.post.requestBody.description).toBe(text);
  }
  expect(paths[projects]?.post.requestBody.description).toBe('Up to 64 KiB.');
  const report = (sizeBytes: number) =>
    world.server.request('POST', '/v1/agent/report', { token: world.host.credential, body: toSized(sizeBytes) });
  expect([(await report(MIB)).status, (await report(MIB + 1)).status]).toEqual([422, 413]);
});

it('a body is parsed only if it is at most 64 deep, no list is longer than 16,384, and there are 100,000 values', async () => {
  const send = async (items: string) => (await post('/v1/my/trading/terminals/bulk', `{"items":${items}}`)).status;
  const lists = (count: number) =>
    `[${Array<string>(count)
      .fill(`[${'0,'.repeat(15_999)}0]`)
      .join()}]`;
  expect(await send('['.repeat(63) + ']'.repeat(63))).toBe(422);
  expect(await send('['.repeat(64) + ']'.repeat(64))).toBe(413);
  expect(await send(`[${'0,'.repeat(16_383)}0]`)).toBe(422);
  expect(await send(`[${'0,'.repeat(16_384)}0]`)).toBe(413);
  expect(await send(lists(6))).toBe(422);
  expect(await send(lists(7))).toBe(413);
  // What stands in a text is no value.
  expect(await send(`["${',[{\\"'.repeat(50_000)}"]`)).toBe(422);
});

it('a file of 32 MiB is taken, one byte more is not', async () => {
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await post('/v1/my/files?name=large', Buffer.alloc(MAX_FILE_BYTES), headers);
  expect([answer.status, answer.body.data?.size]).toEqual([200, MAX_FILE_BYTES]);
  expect((await post('/v1/my/files?name=large', Buffer.alloc(MAX_FILE_BYTES + 1), headers)).status).toBe(413);
});

it('a chunked body without an end is cut at the limit, and the connection with it', async () => {
  const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
  const type = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const answer = await sendRaw(world.server.url, head(`POST ${projects}`, ...type), ...Array<string>(40).fill(chunk));
  expectRawError(answer, 413, 'body_too_large');
  expect(answer.headers.get('connection')).toBe('close');
});

it('headers over 16 KiB are refused, a path that long too', async () => {
  const long = 'a'.repeat(16 * 1024);
  expectRawError(await sendRaw(world.server.url, head(`GET ${projects}`, `X: ${long}`)), 431, 'header_too_large');
  expectRawError(await sendRaw(world.server.url, head(`GET ${projects}/${long}`)), 431, 'header_too_large');
  const less = 'a'.repeat(15 * 1024);
  const answer = await sendRaw(world.server.url, head(`GET ${projects}`, `X: ${less}`, 'Connection: close'));
  expect(answer.status).toBe(200);
});

it('100 headers are taken, one more is refused, and so is what Node would obey without showing it', async () => {
  const close = 'Connection: close';
  const toMany = (count: number) => Array.from({ length: count }, (_, index) => `a${index}:`);
  // Host, Authorization and Connection are among them.
  expect((await sendRaw(world.server.url, head(`GET ${projects}`, close, ...toMany(97)))).status).toBe(200);
  const one = await sendRaw(world.server.url, head(`GET ${projects}`, close, ...toMany(98)));
  expectRawError(one, 431, 'header_too_large');
  for (const hidden of ['Content-Length: 33554432', 'Transfer-Encoding: chunked', 'Host: other']) {
    const request = head('POST /v1/my/files?name=x', ...toMany(1_100), hidden);
    // The connection is closed, although the body never ends.
    expectRawError(await sendRaw(world.server.url, request), 431, 'header_too_large');
  }
});

it('headers after a body are no more than those before it', async () => {
  const type = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close'];
  const trailers = Array.from({ length: 1_500 }, (_, index) => `X-${index}: 1234567890\r\n`).join('');
  const answer = await sendRaw(world.server.url, head(`POST ${projects}`, ...type), `2\r\n{}\r\n0\r\n${trailers}\r\n`);
  expectRawError(answer, 431, 'header_too_large');
});

it('what is no HTTP gets the API its own kind of answer', async () => {
  const broken = [
    '\x16\x03\x01\x02\x00\x01\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: localhost\r\nX : y\r\n\r\n',
    'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    'GET /v1/my/files/%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  ];
  for (const text of broken) {
    const answer = await sendRaw(world.server.url, Buffer.from(text, 'latin1'));
    if (/zz\r\n$/.test(text)) expect([0, 400, 404, 415]).toContain(answer.status);
    else expectRawError(answer, 400, 'malformed_request');
  }
});

const readRoom = async (): Promise<number> => {
  const text = String((await world.server.request('GET', '/metrics')).bytes);
  return Number(/^berth_room_used_bytes\{room="bodies"\} (\d+)$/m.exec(text)?.[1]);
};
const upload = (...lines: string[]) => head('POST /v1/my/files?name=x', 'Content-Type: a/b', ...lines);
const chunk = (sizeBytes: number) => `${sizeBytes.toString(16)}\r\n${'x'.repeat(sizeBytes)}\r\n`;

it('bodies on their way count with what has arrived of them, not with what they announce', async () => {
  const announced = Array.from({ length: 8 }, () =>
    openSocket(world.server.url, upload(`Content-Length: ${MAX_FILE_BYTES}`) + 'x'.repeat(1_000)),
  );
  const chunked = openSocket(world.server.url, upload('Transfer-Encoding: chunked') + chunk(MIB));
  await waitFor(async () => (await readRoom()) === 8_000 + MIB, { what: 'the bytes that were sent' });
  for (const { socket } of [...announced, chunked]) socket.destroy();
  await waitFor(async () => (await readRoom()) === 0, { what: 'what they gave back' });
});

it('bodies on their way give back what they took when they break off before it is counted', async () => {
  const trailers = `${'x: y\r\n'.repeat(5_000)}\r\n`;
  const broken = `${upload('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n${trailers}`;
  await Promise.all(Array.from({ length: 20 }, () => sendRaw(world.server.url, broken)));
  await waitFor(async () => (await readRoom()) === 0, { what: 'what they gave back' });
});

it('bodies on their way arrive whole in chunks of one byte', async () => {
  const text = Array.from({ length: 20_000 }, (_, index) => index % 10).join('');
  const chunks = [...text].map((byte) => `1\r\n${byte}\r\n`).join('');
  const answer = await sendRaw(
    world.server.url,
    upload('Transfer-Encoding: chunked', 'Connection: close'),
    `${chunks}0\r\n\r\n`,
  );
  const { id } = (JSON.parse(answer.body) as { data: { id: string } }).data;
  const content = await world.server.request('GET', `/v1/my/files/${id}/content`, { token: world.owner.token });
  expect(String(content.bytes)).toBe(text);
});

it('bodies on their way of large reports are parsed in turn: who asks for little in the meantime does not wait for all of them', async () => {
  const LARGE = 12;
  const fields = Array.from({ length: 16_000 }, (_, index) => `"${index}":[]`).join();
  const body = `{"a":{${fields}},"b":{${fields}},"c":{${fields}}}`;
  const request = [
    'POST /v1/agent/report HTTP/1.1',
    ...['Host: localhost', `Authorization: Bearer ${world.host.credential}`, 'Content-Type: application/json'],
    ...[`Content-Length: ${body.length}`, '', body.slice(0, -1)],
  ].join('\r\n');
  const large = Array.from({ length: LARGE }, () => openSocket(world.server.url, request));
  const small = openSocket(world.server.url, '');
  const order: string[] = [];
  small.socket.once('data', () => order.push('small answered'));
  const parse = JSON.parse;
  vi.spyOn(JSON, 'parse').mockImplementation((text, revive) => {
    if (text.length === body.length) order.push('large parsed');
    return parse(text, revive) as unknown;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  await waitFor(async () => (await readRoom()) === LARGE * (body.length - 1), { what: 'all but the last bytes' });
  // All at once: they are ready to be parsed in the same turn of the event loop, and nothing waits for the database.
  for (const { socket } of large) socket.write('}');
  small.socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const readStatuses = () => [...large, small].map(({ received }) => received().slice(9, 12));
  const expected = [...Array<string>(LARGE).fill('422'), '200'];
  await waitFor(() => readStatuses().join() === expected.join(), { what: 'every answer' });
  for (const { socket } of [...large, small]) socket.destroy();
  expect(order.indexOf('small answered')).toBeLessThan(LARGE);
  expect(order).toHaveLength(LARGE + 1);
});
