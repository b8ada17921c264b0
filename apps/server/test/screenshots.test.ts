/** The last screenshot of a terminal, small; and what many who ask for a fresh one come to. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { HostStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { TestHost, toSample, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { toThumbnail } from '../src/screenshots/png.ts';
import { look, toChunk, toPng } from './support/pngs.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const TERMINALS = '/v1/my/trading/terminals';

/** The same PNG with a number of empty data chunks after its header. */
const withChunks = (png: Buffer, count: number): Buffer => {
  const empty = Buffer.concat(Array.from({ length: count }, () => toChunk('IDAT', Buffer.alloc(0))));
  return Buffer.concat([png.subarray(0, 33), empty, png.subarray(33)]);
};

it.each([0, 2, 3, 4, 6])(
  'a small copy is made of every kind of PNG, by every filter: colour type %i',
  async (colorType) => {
    const small = await toThumbnail(toPng({ width: 700, height: 350, colorType }), 320);
    expect(look(small!)).toEqual({ width: 320, height: 160, colours: [200] });
  },
);

it('a small copy of what is small already is as large as it was', async () => {
  expect(look((await toThumbnail(toPng({ width: 20, height: 10 }), 320))!)).toMatchObject({
    width: 20,
    height: 10,
  });
});

it.each([
  [320, 4096, { width: 25, height: 320 }],
  [1, 4096, { width: 1, height: 320 }],
  [4096, 1, { width: 320, height: 1 }],
])('a small copy has no side of more than 320 pixels: %i by %i', async (width, height, size) => {
  expect(look((await toThumbnail(toPng({ width, height }), 320))!)).toEqual({ ...size, colours: [200] });
});

it('a small copy leaves the event loop a turn for each 64 KiB of pixels, however long the rows are', async () => {
  const work = new AsyncLocalStorage<true>();
  let turns = 0;
  const init = (_: number, type: string): void => {
    if (type === 'Immediate' && work.getStore()) turns += 1;
  };
  const hook = createHook({ init }).enable();
  await work.run(true, () => toThumbnail(toPng({ width: 4096, height: 64 }), 320));
  hook.disable();
  expect(turns).toBeGreaterThanOrEqual(16);
});

const whole = toPng({ width: 64, height: 64 });
const hostile: [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['markup', Buffer.from('<svg onload="alert(1)">')],
  ['a PNG that is cut off', whole.subarray(0, -40)],
  ['a chunk longer than the file', Buffer.concat([whole.subarray(0, 8), Buffer.from('7fffffff49484452', 'hex')])],
  ['a side of 100,000 pixels', toPng({ width: 100_000, height: 1, raw: Buffer.alloc(1) })],
  ['no pixels', toPng({ width: 0, height: 0, raw: Buffer.alloc(0) })],
  ['fewer rows than it says', toPng({ width: 4096, height: 2000, raw: Buffer.alloc(100) })],
  ['a bomb: more data than it says', toPng({ width: 8, height: 8, raw: Buffer.alloc(50_000_000) })],
  ['more chunks than any screenshot has', withChunks(whole, 20_000)],
  ['a filter that there is not', toPng({ width: 1, height: 1, raw: Buffer.from([9, 1, 2, 3, 4]) })],
  ['interlaced rows', toPng({ width: 8, height: 8, interlace: 1 })],
  ['an unknown colour type', toPng({ width: 8, height: 8, colorType: 5 })],
];
it.each(hostile)('a small copy is not made of %s', async (_, content) => {
  expect(await toThumbnail(content, 320)).toBeUndefined();
});

it('a small copy is made of a PNG in a thousand chunks', async () => {
  const small = await toThumbnail(withChunks(toPng({ width: 20, height: 10 }), 1_000), 320);
  expect(look(small!).colours).toEqual([200]);
});

it('a small copy of a PNG whose palette is too short is black there', async () => {
  const png = toPng({ width: 4, height: 1, colorType: 3, raw: Buffer.from([0, 255, 255, 255, 255]) });
  expect(look((await toThumbnail(png, 320))!).colours).toEqual([0]);
});

/** A user with an ACTIVE terminal on a host of their own. */
const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}` });
  await server.query(`update hosts set status = ${HostStatus.RETIRED} where id <> $1`, [host.id]);
  const account = { server_name: 'Demo', login: '1', password: 'x', region: 0 };
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path, { token, headers, ...(body === undefined ? {} : { body }) });
  const { id } = (await send('POST', TERMINALS, account)).body.data as { id: string };
  await host.installAll();
  const path = `${TERMINALS}/${id}/screenshot`;
  const take = async (content: Buffer) => {
    const { data: task } = (await send('POST', path)).body as { data: { id: string } };
    const claimed = (await host.claim()).find((one) => one.id === task.id)!;
    const { file } = await host.upload(claimed, content);
    const { id: fileId, sha256, size: bytes, type } = file;
    await host.complete(claimed, { file: { id: fileId, sha256, bytes, type, width: 700, height: 350 } });
    return fileId;
  };
  return { token, user, host, id, path, send, take };
};

it('the screenshot of a terminal is small, has a tag, and is not sent again to who has it', async () => {
  const { send, path, take } = await createOwner();
  const none = await send('GET', path);
  expect([none.status, none.body.msg]).toEqual([404, 'Screenshot not found.']);
  const fileId = await take(toPng({ width: 700, height: 350 }));
  for (let times = 0; times < 2; times += 1) {
    const answer = await send('GET', path);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('etag')]).toEqual([
      200,
      'image/png',
      `"${fileId}"`,
    ]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(look(answer.bytes)).toEqual({ width: 320, height: 160, colours: [200] });
  }
  const again = await send('GET', path, undefined, { 'if-none-match': `"${fileId}"` });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

it('the screenshot of a terminal is the newest one, and none when its file was deleted or cannot be read', async () => {
  const { send, path, take, id } = await createOwner();
  await take(toPng({ width: 70, height: 35 }));
  const list = async () => (await send('GET', `${TERMINALS}?include=details`)).body.data[0].screenshot;
  await server.query(`update tasks set created_at = now() - interval '1 minute' where terminal_id = $1`, [id]);
  const second = await take(toPng({ width: 60, height: 30 }));
  expect(look((await send('GET', path)).bytes)).toMatchObject({ width: 60 });
  expect(await list()).toEqual({ file_id: second, taken_at: expect.stringMatching(/Z$/) });
  expect((await send('DELETE', `/v1/my/files/${second}`)).status).toBe(200);
  expect([(await send('GET', path)).status, await list()]).toEqual([404, null]);
  await server.query(`update tasks set created_at = now() - interval '1 minute' where terminal_id = $1`, [id]);
  await take(Buffer.from('<html>not a screenshot'));
  expect((await send('GET', path)).status).toBe(404);
});

it('the screenshot of a terminal is taken once for all requests within ten seconds, then again', async () => {
  const { send, path, id } = await createOwner();
  const ids = async () =>
    new Set((await Promise.all(Array.from({ length: 8 }, () => send('POST', path)))).map(({ body }) => body.data.id));
  const first = await ids();
  expect(first.size).toBe(1);
  const [taskId] = [...first];
  const { task } = (await send('GET', `${TERMINALS}/${id}/tasks/${taskId}`)).body.data;
  expect(task).toMatchObject({ type: TaskType.SCREENSHOT, payload: {} });
  await server.query(`update tasks set created_at = now() - interval '11 seconds' where id = $1`, [taskId]);
  expect([...(await ids())]).not.toEqual([taskId]);
});

it('the screenshot of a terminal that was taken within ten seconds is returned as the completed task that it is', async () => {
  const { send, path, take } = await createOwner();
  const begun = (await send('POST', path)).body;
  expect(begun).toMatchObject({ msg: 'The screenshot is being taken.', data: { status: TaskStatus.PENDING } });
  await take(toPng({ width: 20, height: 10 }));
  const { msg, data } = (await send('POST', path)).body;
  expect([msg, data]).toEqual([
    'The screenshot was taken a moment ago.',
    { ...begun.data, status: TaskStatus.COMPLETED },
  ]);
});

it('the screenshot of a terminal is refused where the terminal takes no tasks', async () => {
  const { send, path, id } = await createOwner();
  await server.query(`update terminals set status = ${TerminalStatus.FAILED} where id = $1`, [id]);
  const { status, body } = await send('POST', path);
  expect([status, body.ok]).toEqual([200, false]);
});

it('include=details adds what is known at the moment, and nothing where it is not asked for', async () => {
  const { send, host, id } = await createOwner();
  const read = async (query: string) => (await send('GET', `${TERMINALS}${query}`)).body.data[0];
  expect(Object.keys(await read(''))).toHaveLength(9);
  const unknown = { state: 'unknown', since: null, ping_ms: null };
  await server.query(`update terminals set status_changed_at = now() - interval '1 hour' where id = $1`, [id]);
  expect(await read('?include=details')).toMatchObject({
    platform: 'sandbox',
    status_name: 'ACTIVE',
    status_reason: null,
    host_name: expect.stringMatching(/^host-/),
    link: unknown,
    screenshot: null,
    memory_mb: null,
    cpu_percent: null,
    build: null,
  });
  await host.call('samples', {
    samples: [toSample(id, { link: 'up', ping_ms: 12, memory_mb: 345, cpu_percent: 2.5, build: 5836 })],
  });
  expect(await read('?include=details')).toMatchObject({
    link: { state: 'up', since: expect.stringMatching(/Z$/), ping_ms: 12 },
    memory_mb: 345,
    cpu_percent: 2.5,
    build: 5836,
  });
  const one = (await send('GET', `${TERMINALS}/${id}?include=details`)).body.data;
  expect(one).toMatchObject({ link: { state: 'up' }, memory_mb: 345, trading_allowed: null, build: 5836 });
  await server.query(`update terminal_loads set sampled_at = now() - interval '2 minutes' where terminal_id = $1`, [
    id,
  ]);
  expect(await read('?include=details')).toMatchObject({
    link: unknown,
    memory_mb: null,
    cpu_percent: null,
    build: 5836,
  });
  // A terminal that does not run reports no build: the earlier one is kept. An update is announced.
  const later = async (changes: Parameters<typeof toSample>[1]) => {
    await server.query(`update terminal_loads set sampled_at = now() - interval '20 seconds'`);
    await host.sendSamples(toSample(id, changes));
    return (await read('?include=details')).build;
  };
  expect([await later({ link: 'down', build: null }), await later({}), await later({ build: 5900 })]).toEqual([
    5836, 5836, 5900,
  ]);
  const beyond = await host.call('samples', { samples: [toSample(id, { build: 1_000_001 })] });
  expect(beyond.status).toBe(422);
  const wrong = await send('GET', `${TERMINALS}?include=everything`);
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['include']]);
});

it('include=details says the same of the link as the status, also where the last measurement is from before it', async () => {
  const { send, host, id } = await createOwner();
  const { ACTIVE, DISCONNECTED, LOGIN_FAILED, STOPPED, FAILED, CONNECTING } = TerminalStatus;
  const measure = (link: 'up' | 'down') => host.sendSamples(toSample(id, { link, ping_ms: link === 'up' ? 12 : null }));
  const move = (status: TerminalStatus, secondsAgo: number) =>
    server.query(
      `update terminals set status = $2, status_changed_at = now() - $3 * interval '1 second' where id = $1`,
      [id, status, secondsAgo],
    );
  const read = async () => (await send('GET', `${TERMINALS}/${id}?include=details`)).body.data.link;
  await measure('down');
  const expected = [
    [ACTIVE, 'up'],
    [DISCONNECTED, 'down'],
    [LOGIN_FAILED, 'down'],
    [STOPPED, 'stopped'],
    [FAILED, 'unknown'],
    [CONNECTING, 'unknown'],
  ] as const;
  for (const [status, state] of expected) {
    await move(status, 0);
    expect([status, await read()]).toMatchObject([status, { state, ping_ms: null }]);
  }
  await server.query(`update terminal_loads set sampled_at = now() - interval '20 seconds' where terminal_id = $1`, [
    id,
  ]);
  await measure('up');
  await move(ACTIVE, 30);
  expect(await read()).toMatchObject({ state: 'up', ping_ms: 12 });
  await move(DISCONNECTED, 0);
  expect(await read()).toMatchObject({ state: 'down', ping_ms: null });
  await move(FAILED, 30);
  expect(await read()).toEqual({ state: 'unknown', since: null, ping_ms: null });
});
