/** Parts of files (RFC 9110, 14): what is asked for, what is answered, and that a reader who goes away is forgotten. */
import { randomBytes } from 'node:crypto';
import { Berth } from '@berth/client';
import { useTestServer } from '@berth/testing';
import { beforeAll, expect, it, vi } from 'vitest';

const server = useTestServer();
let berth: Berth;
let token: string;
let id: string;
let etag: string;

/** More than a slice, which the server reads at a time. */
const content = randomBytes(3 * 1024 * 1024 + 17);
const SIZE = content.length;

beforeAll(async () => {
  ({ token } = await server.register('Reader'));
  berth = new Berth({ baseUrl: server.url, token });
  const file = await berth.files.upload('a.bin', new Uint8Array(content));
  id = file.id;
  etag = `"${file.sha256}"`;
});

const get = async (headers: Record<string, string>) => {
  const answer = await server.request('GET', `/v1/my/files/${id}/content`, { token, headers });
  return { status: answer.status, headers: answer.headers, bytes: answer.bytes };
};

const slice = 1024 * 1024;

it.each([
  ['bytes=0-0', 0, 1],
  ['bytes=5-9', 5, 10],
  [`bytes=${slice - 1}-${slice}`, slice - 1, slice + 1],
  [`bytes=7-${2 * slice + 3}`, 7, 2 * slice + 4],
  [`bytes=${SIZE - 1}-`, SIZE - 1, SIZE],
  ['bytes=100-999999999999', 100, SIZE],
  ['bytes=-3', SIZE - 3, SIZE],
  ['bytes=-999999999999', 0, SIZE],
])('%s is answered by that part', async (range, from, end) => {
  const { status, headers, bytes } = await get({ range });
  expect([status, headers.get('content-range')]).toEqual([206, `bytes ${from}-${end - 1}/${SIZE}`]);
  expect([headers.get('content-length'), headers.get('accept-ranges')]).toEqual([String(end - from), 'bytes']);
  expect(headers.get('etag')).toBe(etag);
  expect(bytes.equals(content.subarray(from, end))).toBe(true);
});

it.each(['bytes=0-1,5-6', 'bytes=-', 'bytes=9-5', 'bytes=a-b', 'lines=1-2', 'bytes', '0-5', 'bytes=1-2,'])(
  '%s is no single range, and the whole file is answered',
  async (range) => {
    const { status, headers, bytes } = await get({ range });
    expect([status, headers.get('content-range')]).toEqual([200, null]);
    expect(bytes.equals(content)).toBe(true);
  },
);

it.each([`bytes=${SIZE}-`, 'bytes=99999999999-', 'bytes=-0'])('%s is behind the end', async (range) => {
  const { status, headers, bytes } = await get({ range });
  expect([status, headers.get('x-error-code')]).toEqual([416, 'range_not_satisfiable']);
  expect([headers.get('content-range'), headers.get('content-disposition')]).toEqual([`bytes */${SIZE}`, null]);
  expect(JSON.parse(bytes.toString())).toMatchObject({ ok: false });
});

it('a request with If-Range gets a part of this very file only, and a 304 goes before any part', async () => {
  const range = 'bytes=1-4';
  expect((await get({ range, 'if-range': etag })).status).toBe(206);
  for (const other of ['"0"', `W/${etag}`, 'Mon, 23 Nov 2026 10:00:00 GMT'])
    expect((await get({ range, 'if-range': other })).status).toBe(200);
  expect((await get({ range, 'if-none-match': etag })).status).toBe(304);
  expect((await get({ range: 'bytes=99999999999-', 'if-none-match': etag })).status).toBe(304);
});

it('the client streams a file whole, from where it broke off, and from the beginning of another file', async () => {
  const readAll = async (stream: AsyncIterable<Uint8Array>) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const whole = await berth.files.stream(id);
  expect(whole).toMatchObject({ from: 0, size: SIZE, etag, type: 'application/octet-stream' });
  expect((await readAll(whole.stream)).equals(content)).toBe(true);
  const rest = await berth.files.stream(id, { from: SIZE - 5, etag });
  expect(rest).toMatchObject({ from: SIZE - 5, size: SIZE });
  expect((await readAll(rest.stream)).equals(content.subarray(-5))).toBe(true);
  const other = await berth.files.stream(id, { from: 5, etag: '"0"' });
  expect(other).toMatchObject({ from: 0, size: SIZE });
  await other.stream.cancel();
  await expect(berth.files.stream(id, { from: SIZE })).rejects.toMatchObject({ code: 'range_not_satisfiable' });
  expect(Buffer.from((await berth.files.content(id)).bytes).equals(content)).toBe(true);
});

it('a download ends with its signal, and one that is left costs the server nothing that lasts', async () => {
  const controller = new AbortController();
  const { stream } = await berth.files.stream(id, { signal: controller.signal });
  const reader = stream.getReader();
  expect((await reader.read()).done).toBe(false);
  controller.abort();
  const readOn = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readOn()).rejects.toMatchObject({ name: 'AbortError' });
  for (let round = 0; round < 60; round += 1) await (await berth.files.stream(id)).stream.cancel();
  expect((await berth.files.content(id)).bytes).toHaveLength(SIZE);
});

it('nothing is read of a file that is only asked about', async () => {
  const { db } = server.services;
  const read: string[] = [];
  const slowFor = db.slowFor.bind(db);
  vi.spyOn(db, 'slowFor').mockImplementation((ownerId) => ({
    query: (statement, values) => {
      read.push(statement.text);
      return slowFor(ownerId).query(statement, values);
    },
  }));
  const answer = await server.request('HEAD', `/v1/my/files/${id}/content`, { token });
  expect([answer.status, answer.headers.get('content-length'), answer.bytes.length]).toEqual([200, String(SIZE), 0]);
  expect(read.filter((text) => /\bcontent\b/.test(text))).toEqual([]);
  vi.restoreAllMocks();
});
