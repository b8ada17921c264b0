/** Three servers on one PostgreSQL behind a plain proxy; the host and the users reach any of them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskType } from '@berth/contract';
import {
  createTestClient,
  endProcesses,
  startTestAgent,
  startTestStack,
  startTestTradingServer,
  waitFor,
  withClient,
  type TestClient,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBalancer, type Balancer } from './balancer.ts';

const SERVERS = 3;
const TERMINALS = 3;
const TASKS = 60;
const WORKERS = 6;
const TIMEOUT_MS = 180_000;
const ACTIVE = 3;

const servers: TestStack[] = [];
let balancer: Balancer;
let client: TestClient;
let token: string;

const post = async (path: string, body: object, headers = {}) => client.request('POST', path, { token, body, headers });

beforeAll(async () => {
  const shared = { BERTH_SECRET_KEY: randomBytes(32).toString('hex'), BERTH_DEFAULT_PLATFORM: 'sandbox' };
  servers.push(await startTestStack({ hasLocalHosts: false, environment: shared }));
  const environment = { ...shared, BERTH_DATABASE_URL: servers[0]!.databaseUrl };
  while (servers.length < SERVERS) servers.push(await startTestStack({ hasLocalHosts: false, environment }));
  balancer = await startBalancer(servers.map(({ url }) => url));
  client = createTestClient(balancer.url);
  const [first] = servers;
  const { dataDir } = first!;
  const networkFile = join(dataDir, 'broker', 'network');
  mkdirSync(join(dataDir, 'broker'));
  startTestTradingServer(join(dataDir, 'broker'), networkFile);
  const [, password] = await first!.server.waitForLine(/Password +(\S{12,})/);
  const login = await post('/v1/auth/login', { email: 'operator@berth.local', password });
  const operator = (login.body as { data: { token: string } }).data.token;
  const order = { token: operator, body: { region: 0, name: 'anywhere' } };
  const joined = await client.request('POST', '/v1/operator/join-tokens', order);
  const { join_token: joinToken } = (joined.body as { data: { join_token: string } }).data;
  startTestAgent({ serverUrl: balancer.url, directory: join(dataDir, 'agents', 'any'), networkFile, joinToken });
  await first!.waitForHosts(1);
  ({ token } = await client.register('Anywhere'));
}, TIMEOUT_MS);

afterAll(async () => {
  await balancer?.close();
  await endProcesses();
  // The first one's database is everybody's.
  for (const server of servers.reverse()) await server.close().catch(() => undefined);
}, TIMEOUT_MS);

const createTerminal = async (number: number): Promise<string> => {
  const body = { server_name: 'Harbour-Demo', login: `${7100 + number}`, password: 'a-password', region: 0 };
  const { body: answer } = await post('/v1/my/trading/terminals', body);
  const { id } = (answer as { data: { id: string } }).data;
  const path = `/v1/my/trading/terminals/${id}`;
  const isActive = async () => (await client.request('GET', path, { token })).body.data.status === ACTIVE;
  await waitFor(isActive, { what: `terminal ${number} at ACTIVE`, timeoutMs: 60_000 });
  return id;
};

/** Posts one task as a good client does: under one key, again and again, until it is answered. */
const createTask = async (terminalId: string): Promise<string> => {
  const headers = { 'idempotency-key': randomUUID() };
  const order = { type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} };
  for (;;) {
    const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
    const answer = await post(path, order, headers).catch(() => undefined);
    if (answer?.status === 200) return (answer.body as { data: { id: string } }).data.id;
    await delay(50);
  }
};

describe('several servers on one PostgreSQL', () => {
  it(
    'refuse a revoked token at once, whichever of them revoked it',
    async () => {
      const created = await post('/v1/my/account/tokens', { name: 'short-lived', abilities: ['read'] });
      const { token: short, id } = await findToken(created.body);
      const use = (server: TestStack) => server.request('GET', '/v1/my/account/profile', { token: short });
      for (const server of servers) expect((await use(server)).status).toBe(200);
      expect((await client.request('DELETE', `/v1/my/account/tokens/${id}`, { token })).status).toBe(200);
      for (const server of servers) expect((await use(server)).status).toBe(401);
    },
    TIMEOUT_MS,
  );

  it(
    'lose no task and do none twice when one of them is killed under load',
    async () => {
      const terminals = await Promise.all(Array.from({ length: TERMINALS }, (_, number) => createTerminal(number)));
      const accepted: string[] = [];
      let next = 0;
      let killedAt = 0;
      const work = async () => {
        while (next < TASKS) {
          const number = next++;
          accepted.push(await createTask(terminals[number % TERMINALS]!));
          if (accepted.length === TASKS / 4) {
            servers[1]!.server.kill('SIGKILL');
            killedAt = Date.now();
          }
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      const { databaseUrl } = servers[0]!;
      const query = (text: string, values: unknown[]) =>
        withClient(databaseUrl, async (db) => (await db.query<Record<string, number>>(text, values)).rows[0]!);
      const text = `select count(*)::int as ended, count(*) filter (where status = 4)::int as completed from tasks
        where id = any($1::uuid[]) and finished_at is not null`;
      await waitFor(async () => (await query(text, [accepted])).ended === TASKS, {
        what: 'an end of every accepted task',
        timeoutMs: 120_000,
      });
      expect((await query(text, [accepted])).completed).toBe(TASKS);
      const all = `select count(*)::int as tasks, max(attempts)::int as attempts,
          (extract(epoch from min(delivered_at) filter (where delivered_at > to_timestamp($3))) - $3)::real as resumed_s
        from tasks where terminal_id = any($1::uuid[]) and type = $2`;
      const row = await query(all, [terminals, TaskType.MARKET_WATCH_SHOW_ALL, killedAt / 1000]);
      process.stdout.write(`claims went on ${row.resumed_s} s after the kill\n`);
      expect(row.tasks).toBe(TASKS);
    },
    TIMEOUT_MS,
  );
});

const findToken = async (created: unknown): Promise<{ token: string; id: number }> => {
  const { data } = created as { data: { token: string } };
  return { token: data.token, id: Number(data.token.split('|')[0]) };
};
