/** Readers who take nothing of what they asked for, or who ask for much: what they cost the memory, and others. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_FILE_BYTES } from '@berth/contract';
import { EventReader, startAttack, waitFor, withClient, type Attack, type TestAnswer } from '@berth/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useService } from './support/service.ts';
import { call, createWorld, runSql, type World } from './support/world.ts';

const TIMEOUT_MS = 600_000;
const MIB = 1024 * 1024;
/** Logs of 70 kB: 28 MB. */
const TASKS = 400;
const LINES_BYTES = 70_000;

const FILL = `
  insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at, result)
  select gen_random_uuid(), user_id, host_id, id, 5, 4, now(), json_build_object('status', 0, 'runner_result', json_build_array(
    json_build_object('step', 'read', 'ok', true, 'code', null, 'message', '', 'at', '',
      'data', json_build_object('lines', json_build_array(n || repeat('x', ${LINES_BYTES})), 'truncated', false))))
  from terminals, generate_series(1, ${TASKS}) as n where id = $1 order by n`;

let world: World;
let tasks: string;
/** The server's side of every open connection. */
const sockets = new Set<Socket>();

beforeAll(async () => {
  world = await createWorld();
  tasks = `/v1/my/trading/terminals/${world.terminalId}/tasks`;
  world.server.app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await runSql(world.server, FILL, [world.terminalId]);
}, TIMEOUT_MS);
afterAll(() => world.server.close());

const get = (path: string): Promise<TestAnswer> => world.server.request('GET', path, { token: world.owner.token });

const countHeld = (): number => [...sockets].reduce((sum, socket) => sum + socket.writableLength, 0);

const toHead =
  (path: string, rights = `Authorization: Bearer ${world.owner.token}`) =>
  (): string =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${rights}\r\n\r\n`;

/** What a browser sends that its user has signed in. */
const signIn = async (): Promise<string> => {
  const { email, password } = world.owner.user;
  const body = { email, password, session: true };
  const answer = await world.server.request('POST', '/v1/auth/login', { body });
  return `Cookie: ${answer.headers.getSetCookie()[0]?.split(';')[0]}`;
};

const listIds = async (): Promise<string[]> => {
  const rows = await runSql<{ id: string }>(
    world.server,
    'select id from tasks where terminal_id = $1 order by seq desc',
    [world.terminalId],
  );
  return rows.map(({ id }) => id);
};
const idsOf = (answer: TestAnswer): string[] => (answer.body.data as { id: string }[]).map(({ id }) => id);

describe('a list of thirty megabytes', { timeout: TIMEOUT_MS }, () => {
  it('a list of thirty megabytes comes whole, and every task as it is read alone', async () => {
    const answer = await get(tasks);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.bytes.length).toBeGreaterThan(TASKS * LINES_BYTES);
    expect(Object.keys(answer.body)).toEqual(['ok', 'msg', 'data']);
    expect(idsOf(answer)).toEqual(await listIds());
    for (const number of [0, 1, 199, 399]) {
      const task = answer.body.data[number];
      expect(task).toEqual((await get(`${tasks}/${task.id}`)).body.data.task);
    }
  });

  it('a list of thirty megabytes comes by pages of a hundred, with their pagination', async () => {
    const answer = await get(`${tasks}?per_page=100&page=3`);
    expect(idsOf(answer)).toEqual((await listIds()).slice(200, 300));
    expect(answer.body.pagination).toMatchObject({ current_page: 3, per_page: 100, from: 201, to: 300 });
    const short = await get(`${tasks}?per_page=2&page=2`);
    expect(Object.keys(answer.body)).toEqual(Object.keys(short.body));
    expect(Object.keys(answer.body.pagination)).toEqual(Object.keys(short.body.pagination));
    expect(Object.keys(answer.body.data[0])).toEqual(Object.keys(short.body.data[0]));
  });
});

describe('readers who take nothing', { timeout: TIMEOUT_MS }, () => {
  beforeEach(() => waitFor(() => countHeld() === 0, { what: 'sockets that hold nothing' }));

  /** Opens readers who read only the beginning; resolves when all have been answered. */
  const stall = async (path: string, count: number, rights?: string): Promise<Attack> => {
    const attack = await startAttack({ url: world.server.url, count, toHead: toHead(path, rights), isDeaf: true });
    const answered = () => [...attack.answers.values()].reduce((sum, one) => sum + one, 0);
    await waitFor(() => answered() === count, { what: 'the beginnings of all answers', timeoutMs: 120_000 });
    return attack;
  };

  it('readers who take nothing of sixty such lists hold no more than their user’s room, and others are served', async () => {
    const attack = await stall(tasks, 60);
    const { answers } = attack;
    expect([...answers.keys()].sort()).toEqual(['200', '429']);
    expect(answers.get('200')).toBeLessThanOrEqual(64 / 3);
    expect(countHeld()).toBeLessThan(64 * MIB);
    // Their own user gets 503, and is served everything small.
    const refused = await get(tasks);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await get(`${tasks}?per_page=2`)).status).toBe(200);
    const { token } = await world.server.register('Beside');
    expect((await useService(world.server, token, 20)).failures).toEqual([]);
    await attack.stop();
    await waitFor(async () => (await get(tasks)).status === 200, { what: 'room for a list' });
  });

  it('readers who take nothing of files and lists are cut; those that only wait, or read a little at a time, are not', async () => {
    const { server, owner } = world;
    const headers = { 'content-type': 'application/octet-stream' };
    const content = randomBytes(MAX_FILE_BYTES);
    const upload = await server.request('POST', '/v1/my/files?name=large', {
      token: owner.token,
      body: content,
      headers,
    });
    const file = `/v1/my/files/${upload.body.data.id}/content`;
    server.app.server.timeout = 3_000;
    const reader = await EventReader.open(server.url, owner.token);
    const attacks = [await stall(tasks, 5), await stall(file, 5)];
    const slow = await readSlowly(file);
    expect(slow.equals(content)).toBe(true);
    for (const attack of attacks) {
      await waitFor(() => countHeld() === 0, { what: 'the end of whoever takes nothing' });
      await attack.stop();
    }
    // A reader that only waits is not cut: nothing waits for it.
    expect(reader.dataOf('ready')).toHaveLength(1);
    await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'heard' });
    await waitFor(() => reader.dataOf('notification').length > 0, { what: 'a notification' });
    reader.close();
    server.app.server.timeout = 30_000;
  });

  /** Opens streams of live events that nobody reads: some by a token, some by the cookie of a session. */
  const stallEvents = async () => {
    const others = new Set(sockets);
    const attacks = [await stall('/v1/my/events', 3), await stall('/v1/my/events', 3, await signIn())];
    const deaf = [...sockets].filter((socket) => !others.has(socket) && !socket.destroyed);
    expect(deaf.length).toBeGreaterThanOrEqual(6);
    return { deaf, stop: () => Promise.all(attacks.map((attack) => attack.stop())) };
  };
  /** Announces a hundred changes to one user, of the largest size that there is: what the system keeps for a socket fills up. */
  const announce = (userId: string) =>
    runSql(
      world.server,
      `select pg_notify('berth_events', json_build_object('user', $1::text, 'event', 'task',
        'data', json_build_object('filler', repeat('x', 7000), 'n', n))::text) from generate_series(1, 100) as n`,
      [userId],
    );

  it('readers who take nothing of live events are cut when a megabyte waits for them; who reads hears everything', async () => {
    const { server, owner } = world;
    // Without the limit of time, so that what is held is the one that cuts.
    server.app.server.timeout = 0;
    const reader = await EventReader.open(server.url, owner.token);
    await waitFor(() => reader.dataOf('ready').length === 1, { what: 'ready' });
    const { deaf, stop } = await stallEvents();
    const held = new Map<Socket, number>();
    let announced = 0;
    const note = () => {
      for (const socket of deaf) held.set(socket, Math.max(held.get(socket) ?? 0, socket.writableLength));
    };
    await waitFor(
      async () => {
        await announce(owner.user.id);
        announced += 100;
        await waitFor(() => reader.dataOf('task').length === announced, { what: 'every change' });
        note();
        return deaf.every((socket) => socket.destroyed);
      },
      { what: 'the end of the deaf streams', timeoutMs: 120_000 },
    );
    expect([...held.values()].every((bytes) => bytes > 0 && bytes < 1.1 * MIB)).toBe(true);
    expect(countHeld()).toBe(0);
    await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'heard after the flood' });
    await waitFor(() => reader.dataOf('notification').length > 0, { what: 'a notification' });
    reader.close();
    await stop();
    server.app.server.timeout = 30_000;
  });

  it('readers who take nothing of live events are cut when they take nothing for a while, however little waits for them', async () => {
    const { server, owner } = world;
    server.app.server.timeout = 3_000;
    const { deaf, stop } = await stallEvents();
    // Just enough that something waits.
    const isWaiting = (socket: Socket) => socket.destroyed || socket.writableLength > 0;
    await waitFor(
      async () => {
        if (deaf.every(isWaiting)) return true;
        await announce(owner.user.id);
        return false;
      },
      { what: 'something that waits for each', timeoutMs: 120_000 },
    );
    await waitFor(() => deaf.every((socket) => socket.destroyed), { what: 'the end of the deaf streams' });
    await stop();
    server.app.server.timeout = 30_000;
  });

  /** Takes a part, waits, takes the next; the waits together are longer than a reader may take nothing. */
  const readSlowly = async (path: string): Promise<Buffer> => {
    const { hostname, port } = new URL(world.server.url);
    const socket = connect(Number(port), hostname);
    socket.write(toHead(path)().replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (chunks.length % 8 !== 0) return;
      socket.pause();
      void delay(80).then(() => socket.resume());
    });
    await once(socket, 'close');
    const bytes = Buffer.concat(chunks);
    return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  };
});

describe('one user’s slow statements', { timeout: TIMEOUT_MS }, () => {
  it('one user’s slow statements leave connections for others, and logins; the user who asks far too often gets a 429', async () => {
    const { server, owner, terminalId } = world;
    const other = await server.register('Other');
    await withClient(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table tasks in access exclusive mode');
      const path = `/v1/my/trading/terminals/${terminalId}/tasks?page=1`;
      const list = () => server.request('GET', path, { token: owner.token });
      const asked = Array.from({ length: 125 }, list);
      const statuses: number[] = [];
      for (const answer of asked) void answer.then(({ status }) => statuses.push(status));
      // Two are at work, a hundred wait.
      await waitFor(() => statuses.length >= 19, { what: 'refusals' });
      expect(new Set(statuses)).toEqual(new Set([429]));
      for (let round = 0; round < 5; round += 1) {
        const terminals = await server.request('GET', '/v1/my/trading/terminals', { token: other.token });
        expect(terminals.status).toBe(200);
        const { email, password } = other.user;
        expect((await server.request('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
      }
      await client.query('commit');
      const all = await Promise.all(asked);
      expect(all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(50);
    });
  });

  it('one user’s slow statements that wait for a locked table, on the connection of all short lists, hold up no other kind of read', async () => {
    const { server, owner } = world;
    const other = await server.register('Beside');
    await withClient(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('lock table notifications in access exclusive mode');
      const list = () => server.request('GET', '/v1/my/account/notifications', { token: owner.token });
      const asked = Array.from({ length: 130 }, list);
      const statuses: number[] = [];
      for (const answer of asked) void answer.then(({ status }) => statuses.push(status));
      // Each asks twice: for the page and for the count.
      await waitFor(() => statuses.length >= 22, { what: 'refusals' });
      expect(new Set(statuses)).toEqual(new Set([429]));
      for (const path of ['/v1/my/account/profile', `/v1/my/trading/terminals/${world.terminalId}`, tasks])
        expect([path, (await get(path)).status]).toEqual([path, 200]);
      const { email, password } = other.user;
      expect((await server.request('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
      const answered = statuses.length;
      await client.query('commit');
      const all = (await Promise.all(asked)).map(({ status }) => status);
      expect(all.filter((status) => status === 429)).toHaveLength(answered);
      expect(all.filter((status) => status === 200)).toHaveLength(130 - answered);
    });
  });

  it('one user’s slow statements that create leave connections for the creations and logins of others', async () => {
    const { server, owner } = world;
    const other = await server.register('Another');
    const create = (login: number) =>
      server.request('POST', '/v1/my/trading/terminals', {
        token: owner.token,
        body: { server_name: 'Harbour-Demo', login: String(login), password: 'secret', region: 0 },
      });
    await withClient(server.databaseUrl, async (client) => {
      await client.query('begin');
      await client.query('select from users where id = $1 for update', [owner.user.id]);
      const waiting = Array.from({ length: 40 }, (_, number) => create(100 + number));
      // A host's row is held by the owner's creations, so another kind of creation.
      await call(server, other.token, 'POST', '/v1/my/projects', { name: 'Beside' });
      const { email, password } = other.user;
      expect((await server.request('POST', '/v1/auth/login', { body: { email, password } })).status).toBe(200);
      await client.query('commit');
      expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
    });
  });
});
