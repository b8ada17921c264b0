/** Callers who hang up at whatever moment: what their requests held is given back, and the service answers as before. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { TaskType } from '@berth/contract';
import { EventReader, isDeadlock, TestHost, usualTimes, waitFor, withClient, useTestServer } from '@berth/testing';
import type { Client } from 'pg';
import { beforeAll, expect, it } from 'vitest';

const KIB = 1024;
/** Longer than the shortest answer that counts. */
const FILE_BYTES = 256 * KIB;

interface Route {
  method: string;
  path: string;
  /** Of a program, a browser or a host. */
  rights: string;
  body?: Buffer;
}

const server = useTestServer({ config: { times: { ...usualTimes, roomStuckMs: 500 } } });
let host: TestHost;
let routes: Route[];
/** The server's side of the connections of this file. */
const sockets = new Set<Socket>();

beforeAll(async () => {
  server.app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { token, user } = await server.register('Impatient');
  const { email, password } = user;
  const signedIn = await server.request('POST', '/v1/auth/login', { body: { email, password, session: true } });
  const cookie = `Cookie: ${signedIn.headers.getSetCookie()[0]?.split(';')[0]}`;
  host = await TestHost.enrol(server);
  const id = await server.createTerminal(token);
  await host.installAll();
  const file = randomBytes(FILE_BYTES);
  const fileId = (await server.upload(token, file)).body.data.id as string;
  const tasks = `/v1/my/trading/terminals/${id}/tasks`;
  const payload = { name: 'E', file_id: fileId, symbol: 'EURUSD', period: 'H1' };
  await server.request('POST', tasks, { token, body: { type: TaskType.EA_INSTALL, payload } });
  const [inHand] = await host.claim();
  // A list whose answer is long.
  await server.query(
    `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at, result)
     select gen_random_uuid(), user_id, host_id, id, 5, 4, now(), json_build_object('status', 0, 'runner_result', json_build_array(
       json_build_object('step', 'read', 'ok', true, 'code', null, 'message', repeat('x', 9000), 'at', '', 'data', '{}'::json)))
     from terminals, generate_series(1, 20) where id = $1`,
    [id],
  );
  const bearer = `Authorization: Bearer ${token}`;
  const asHost = `Authorization: Bearer ${host.credential}`;
  const json = (body: object): Buffer => Buffer.from(JSON.stringify(body));
  const ofHost = (name: string, body: object): Route => ({
    method: 'POST',
    path: `/v1/agent/${name}`,
    rights: asHost,
    body: json({ session_id: host.sessionId, ...body }),
  });
  routes = [
    { method: 'GET', path: `/v1/my/files/${fileId}/content`, rights: bearer },
    { method: 'GET', path: tasks, rights: bearer },
    { method: 'GET', path: tasks, rights: cookie },
    { method: 'GET', path: '/v1/my/tasks', rights: bearer },
    { method: 'GET', path: '/v1/my/trading/terminals', rights: bearer },
    { method: 'GET', path: '/v1/my/events', rights: bearer },
    { method: 'GET', path: '/v1/my/events', rights: cookie },
    { method: 'POST', path: '/v1/my/files?name=b', rights: bearer, body: file },
    { method: 'POST', path: tasks, rights: bearer, body: json({ type: TaskType.EA_LOGS, payload: {} }) },
    {
      method: 'POST',
      path: '/v1/my/projects',
      rights: bearer,
      body: json({ name: 'p', description: 'x'.repeat(200) }),
    },
    { method: 'POST', path: '/v1/auth/login', rights: 'X: y', body: json({ email, password }) },
    { method: 'GET', path: `/v1/agent/tasks/${inHand!.id}/files/${fileId}`, rights: asHost },
    {
      method: 'POST',
      path: `/v1/agent/tasks/${inHand!.id}/files?name=c&fence=${inHand!.fence}`,
      rights: asHost,
      body: file,
    },
    ofHost('claim', { slots: 10, wait_ms: 20_000 }),
    ofHost('heartbeat', { tasks: [] }),
    ofHost('report', { events: [] }),
    ofHost('samples', { samples: [] }),
    ofHost('charts', { terminals: [] }),
  ];
});

const toHead = ({ method, path, rights, body }: Route): string => {
  const type = path.includes('/files') ? 'application/octet-stream' : 'application/json';
  const content = body ? [`Content-Type: ${type}`, `Content-Length: ${body.length}`] : [];
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', rights, ...content, '', ''].join('\r\n');
};

/** All of it, or a percentage. */
const toRequest = (route: Route, percent = 100): Buffer => {
  const whole = Buffer.concat([Buffer.from(toHead(route)), route.body ?? Buffer.alloc(0)]);
  return whole.subarray(0, Math.ceil((whole.length * percent) / 100));
};

const open = async (...parts: Buffer[]): Promise<Socket> => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  for (const part of parts) socket.write(part);
  return socket;
};

/** The server's side of a caller's connection. */
const findServed = (caller: Socket): Socket | undefined =>
  [...sockets].find(({ remotePort }) => remotePort === caller.localPort);

/** More than the server reads of a body that nobody takes yet. It then does not hear of the end either. */
const LONG_BYTES = 8 * KIB;

/** Hangs up; resolves when the server knows. */
const hangUp = async (callers: Socket[]): Promise<void> => {
  const served = callers.filter(({ bytesWritten }) => bytesWritten < LONG_BYTES).map(findServed);
  for (const caller of callers) caller.destroy();
  const isOver = (socket: Socket | undefined) => socket === undefined || !sockets.has(socket);
  await waitFor(() => served.every(isOver), { what: 'the end of every connection', timeoutMs: 20_000 });
};

/**
 * Sends the bytes, one connection each, and hangs up when the server has read them, or as much of a long body as it
 * accepts.
 */
const sendAndHangUp = async (requests: Buffer[]): Promise<void> => {
  const callers = await Promise.all(requests.map((request) => open(request)));
  const isRead = (caller: Socket, index: number) =>
    (findServed(caller)?.bytesRead ?? 0) >= Math.min(requests[index]!.length, LONG_BYTES);
  await waitFor(() => callers.every(isRead), { what: 'the server’s look at each', timeoutMs: 20_000 });
  await hangUp(callers);
};

const readFigures = async (): Promise<Map<string, number>> => {
  const { bytes } = await server.request('GET', '/metrics');
  const lines = [...bytes.toString().matchAll(/^(berth_(?:room_used|event)\S+) (\d+)$/gm)];
  return new Map(lines.map(([, name, value]) => [name!, Number(value)]));
};

/** Nothing is held any more, and each route is answered. */
const expectSound = async (): Promise<void> => {
  const nothing = new Map([
    ['berth_room_used_bytes{room="bodies"}', 0],
    ['berth_room_used_bytes{room="answers"}', 0],
    ['berth_event_streams', 0],
  ]);
  let figures = await readFigures();
  await waitFor(
    async () => {
      figures = await readFigures();
      return [...figures.values()].every((value) => value === 0);
    },
    { what: 'room that is given back', timeoutMs: 20_000 },
  ).catch(() => undefined);
  expect(figures).toEqual(nothing);
};

/** The server's own statements take these locks in another order: this client notices that first, gives way and tries again. */
const lock = async (client: Client, tables: string): Promise<void> => {
  for (;;) {
    await client.query('begin');
    try {
      await client.query(`lock table ${tables} in access exclusive mode`);
      return;
    } catch (error) {
      await client.query('rollback');
      if (!isDeadlock(error)) throw error;
    }
  }
};

/** While nobody else can read or write these tables. */
const withLocked = (tables: string, callback: () => Promise<void>): Promise<void> =>
  withClient(server.databaseUrl, async (client) => {
    await client.query("set deadlock_timeout = '10ms'");
    await lock(client, tables);
    await callback();
    await client.query('commit');
  });

const WHO = 'tokens, users, hosts';
const WHAT = 'tasks, terminals, files, event_watchers, projects, task_leases';

it('a caller who hangs up before the headers are complete, or while the body arrives, leaves nothing behind', async () => {
  for (const percent of [1, 30, 60, 99]) await sendAndHangUp(routes.map((route) => toRequest(route, percent)));
  await expectSound();
});

it('a caller who hangs up while it is looked at who asks leaves nothing behind', async () => {
  await withLocked(WHO, () => sendAndHangUp(routes.map((route) => toRequest(route))));
  await expectSound();
  await withLocked(WHO, () => sendAndHangUp(routes.map((route) => toRequest(route, 80))));
  await expectSound();
});

it('a caller who hangs up while the handler waits for the database leaves nothing behind', async () => {
  await withLocked(WHAT, () => sendAndHangUp(routes.map((route) => toRequest(route))));
  await expectSound();
});

it('a caller who hangs up with several requests on one connection leaves nothing behind', async () => {
  const many = routes.map((route) => Buffer.concat(Array.from({ length: 5 }, () => toRequest(route))));
  for (const tables of [WHO, WHAT]) {
    await withLocked(tables, () => sendAndHangUp(many));
    await expectSound();
  }
});

it('a caller who hangs up while the answer is written leaves nothing behind', async () => {
  const callers = await Promise.all(routes.map((route) => open(toRequest(route))));
  const answered = callers.filter((_, index) => !routes[index]!.path.endsWith('/claim'));
  await Promise.all(answered.map((caller) => new Promise((resolve) => caller.once('data', resolve))));
  await hangUp(callers);
  await expectSound();
});

it('a caller who hangs up from a claim gets no task: the next claim has it', async () => {
  const claim = routes.find(({ path }) => path.endsWith('/claim'))!;
  await withLocked(WHO, () => sendAndHangUp([toRequest(claim)]));
  const { token } = await server.register('Next');
  const id = await server.createTerminal(token);
  expect((await host.claim()).map(({ terminal }) => terminal.id)).toEqual([id]);
});

it('room that is full while none is given back makes the server unready, and ready again when some is', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, (_, number) => server.register(`Holder ${number}`)));
  // All of a file but its last byte.
  const rest = Buffer.alloc(32 * KIB * KIB - 1, 'x');
  const toUpload = (token: string) =>
    Buffer.concat([
      Buffer.from(
        [
          'POST /v1/my/files?name=a HTTP/1.1',
          'Host: localhost',
          `Authorization: Bearer ${token}`,
          'Content-Type: application/octet-stream',
          `Content-Length: ${32 * KIB * KIB}`,
          '\r\n',
        ].join('\r\n'),
      ),
      rest,
    ]);
  const holders = await Promise.all(
    accounts.slice(0, 4).flatMap(({ token }) => Array.from({ length: 4 }, () => open(toUpload(token)))),
  );
  const full = 16 * rest.length;
  await waitFor(async () => (await readFigures()).get('berth_room_used_bytes{room="bodies"}') === full);
  const ready = () => server.request('GET', '/readyz');
  // Nobody has been refused yet.
  expect((await ready()).status).toBe(200);
  const refused = await server.request('POST', '/v1/my/projects', {
    token: accounts[4]!.token,
    body: { name: 'a'.repeat(20) },
  });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'unavailable']);
  await waitFor(async () => (await ready()).headers.get('x-error-code') === 'room_stuck', { what: 'unready' });
  for (const holder of holders) holder.destroy();
  await waitFor(async () => (await ready()).status === 200, { what: 'ready' });
  const reader = await EventReader.open(server.url, accounts[0]!.token);
  expect(reader.status).toBe(200);
  reader.close();
  await expectSound();
});
