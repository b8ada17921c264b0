import { createHash, randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';
import { toContentDisposition } from '../src/api/http/send-file.ts';
import { insertFile, SCREENSHOT_LIFETIME_MS } from '../src/files/files.ts';
import { findMediaType } from '../src/files/media-type.ts';

const server = useTestServer();

const upload = (token: string, name: string, body: Uint8Array | undefined, headers = {}) =>
  server.upload(token, body, name, headers);
const getMeta = (token: string, id: string) => server.request('GET', `/v1/my/files/${id}`, { token });
const getContent = (token: string, id: string, headers = {}) =>
  server.request('GET', `/v1/my/files/${id}/content`, { token, headers });

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex'),
  Buffer.from('0000000c49444154', 'hex'),
  deflateSync(Buffer.from([0, 1, 2, 3])),
]);

test('a file comes back byte for byte, with its hash', async () => {
  const { token } = await server.register('Uploader');
  const content = randomBytes(3 * 1024 * 1024 + 17);
  const answer = await upload(token, 'My Expert.ex5', content);
  expect(answer.status).toBe(200);
  const sha256 = createHash('sha256').update(content).digest('hex');
  expect(answer.body.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'My Expert.ex5',
    size: content.length,
    sha256,
    type: 'application/octet-stream',
    created_at: expect.stringMatching(/\.\d{6}Z$/),
  });
  const { id } = answer.body.data;
  expect((await getMeta(token, id)).body.data).toEqual(answer.body.data);
  const download = await getContent(token, id);
  expect(download.status).toBe(200);
  expect(download.bytes.equals(content)).toBe(true);
  expect(download.headers.get('content-length')).toBe(String(content.length));
  expect(download.headers.get('etag')).toBe(`"${sha256}"`);
});

test('a form is refused with how to send a file: it would be stored with its boundaries', async () => {
  const { token } = await server.register('Former');
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="Trend.ex5"\r\n\r\nEX5\r\n--x--\r\n';
  const types = [
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'Multipart/Form-Data;boundary=x',
  ];
  for (const type of types) {
    const answer = await upload(token, 'Trend.ex5', Buffer.from(form), { 'content-type': type });
    expect([answer.status, answer.body.code], type).toEqual([415, 'form_not_accepted']);
    expect(answer.body.hint).toContain('--data-binary @file');
    expect(answer.body.hint).toContain('application/octet-stream');
  }
  expect((await server.request('GET', '/v1/my/files', { token })).body.data).toEqual([]);
});

test('a client that already has the content gets 304', async () => {
  const { token } = await server.register('Cacher');
  const { id, sha256 } = (await upload(token, 'a.txt', Buffer.from('text'))).body.data;
  const answer = await getContent(token, id, { 'if-none-match': `"other", W/"${sha256}"` });
  expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
  expect((await getContent(token, id, { 'if-none-match': '"other"' })).status).toBe(200);
});

test('HTML is never shown by a browser: plain text, as an attachment, sniffing and scripts forbidden', async () => {
  const { token } = await server.register('Injector');
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  const { id, type } = (await upload(token, 'page.html', html, { 'content-type': 'text/html' })).body.data;
  expect(type).toBe('text/plain');
  const { headers } = await getContent(token, id);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="page.html"/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

test('an empty file is refused', async () => {
  const { token } = await server.register('Empty');
  const errors = { file: ['The file field is required.'] };
  expect((await upload(token, 'a', Buffer.alloc(0))).body).toEqual({
    message: errors.file[0],
    errors,
    code: 'validation',
    hint: expect.any(String),
  });
  const bodiless = await server.request('POST', '/v1/my/files?name=a', { token });
  expect([bodiless.status, bodiless.body.errors]).toEqual([422, errors]);
});

test.each([
  ['C:\\Users\\me\\Expert.ex5', 'Expert.ex5'],
  ['../../etc/passwd', 'passwd'],
  ['日本 "語".set', '日本 "語".set'],
])('the name %s is kept as %s', async (given, kept) => {
  const { token } = await server.register('Namer');
  expect((await upload(token, given, Buffer.from('x'))).body.data.name).toBe(kept);
});

test.each(['', '..', 'a/', 'line\nbreak', 'nul\0', 'x'.repeat(256)])('the name %j is refused', async (name) => {
  const { token } = await server.register('Misnamer');
  const answer = await upload(token, name, Buffer.from('x'));
  expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, ['name']]);
});

test('any media type but a form is taken, and none at all; over 32 MiB is too much', async () => {
  const { token } = await server.register('Sender');
  for (const type of ['application/json', 'text/plain', 'x/y; charset=z']) {
    const answer = await upload(token, 'a', Buffer.from('{not json'), { 'content-type': type });
    expect([type, answer.status]).toEqual([type, 200]);
  }
  const headers = { authorization: `Bearer ${token}` };
  const untyped = { method: 'POST', headers, body: new Uint8Array([1, 2, 3]) };
  expect((await fetch(`${server.url}/v1/my/files?name=a`, untyped)).status).toBe(200);
  const large = await upload(token, 'a', Buffer.alloc(32 * 1024 * 1024 + 1));
  expect([large.status, large.headers.get('x-error-code')]).toEqual([413, 'body_too_large']);
});

test('a screenshot expires after 30 days and is removed; an upload stays', async () => {
  const { token, user } = await server.register('Photographer');
  const { db } = server.services;
  const kept = (await upload(token, 'kept.txt', Buffer.from('kept'))).body.data;
  const shot = await insertFile(db.slow, {
    userId: user.id,
    name: 'shot.png',
    content: PNG,
    lifetimeMs: SCREENSHOT_LIFETIME_MS,
    quotaBytes: 1024,
  });
  expect(shot.type).toBe('image/png');
  const age = (id: string, days: number) =>
    db.query(sql('age', 'update files set expires_at = expires_at - make_interval(days => $2) where id = $1'), [
      id,
      days,
    ]);
  await age(shot.id, 29);
  expect((await getContent(token, shot.id)).bytes.equals(PNG)).toBe(true);
  await age(shot.id, 1);
  expect((await getMeta(token, shot.id)).status).toBe(404);
  expect((await getContent(token, shot.id)).status).toBe(404);
  await server.prune();
  const ids = await db.query<{ id: string }>(sql('ids', 'select id from files where user_id = $1'), [user.id]);
  expect(ids).toEqual([{ id: kept.id }]);
});

test.each<[string, Buffer, string]>([
  ['a PNG', PNG, 'image/png'],
  ['gzip', gzipSync('x'), 'application/gzip'],
  ['UTF-8 text', Buffer.from('naïve\r\n\ttext'), 'text/plain'],
  ['text whose letter is cut at 64 KiB', Buffer.from(`${'a'.repeat(65_535)}é`), 'text/plain'],
  ['text with a NUL', Buffer.from('a\0b'), 'application/octet-stream'],
  ['broken UTF-8', Buffer.from([0x61, 0xc3, 0x28]), 'application/octet-stream'],
  ['one byte', Buffer.from([0xff]), 'application/octet-stream'],
])('the type of %s is found from the content', async (_, content, type) => {
  expect(await findMediaType(content)).toBe(type);
});

test('a file name cannot break out of its header', () => {
  expect(toContentDisposition('a"; evil="é.txt')).toBe(
    `attachment; filename="a_; evil=__.txt"; filename*=UTF-8''a%22%3B%20evil%3D%22%C3%A9.txt`,
  );
  expect(toContentDisposition("it's (1)*.txt")).toContain("filename*=UTF-8''it%27s%20%281%29%2A.txt");
});
