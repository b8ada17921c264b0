/** Two servers on a primary of PostgreSQL with a synchronous standby, and what must hold when the primary is lost under load. */
import { randomBytes } from 'node:crypto';
import { TaskStatus, TaskType } from '@berth/contract';
import {
  createTestClient,
  endProcesses,
  startReplicatedPostgres,
  startTestStack,
  waitFor,
  waitForAll,
  withClient,
  type ReplicatedPostgres,
  type TestClient,
  type TestStack,
} from '@berth/testing';
import { afterEach, beforeEach, expect } from 'vitest';
import { startBalancer, type Balancer } from './balancer.ts';
import { createTerminal, startHost, startLoad } from './cluster.ts';

export const TIMEOUT_MS = 600_000;

const servers: TestStack[] = [];
let postgres: ReplicatedPostgres;
let balancer: Balancer;
let client: TestClient;

/** Gives each test of the file servers of its own. */
export const usePair = (timePercent: number): void => {
  beforeEach(async () => {
    postgres = await startReplicatedPostgres();
    const environment = {
      BERTH_SECRET_KEY: randomBytes(32).toString('hex'),
      BERTH_DEFAULT_PLATFORM: 'sandbox',
      BERTH_DATABASE_URL: postgres.url,
      BERTH_TIME_PERCENT: String(timePercent),
    };
    while (servers.length < 2) {
      servers.push(await startTestStack({ isEmbedded: true, hasLocalHosts: false, environment }));
    }
    balancer = await startBalancer(servers.map(({ url }) => url));
    client = createTestClient(balancer.url);
    await startHost(servers[0]!, balancer.url, timePercent);
  }, TIMEOUT_MS);

  afterEach(async () => {
    await balancer?.close();
    await endProcesses();
    for (const server of servers.splice(0)) await server.close().catch(() => undefined);
    await postgres?.close();
  }, TIMEOUT_MS);
};

const count = (text: string, ...values: unknown[]): Promise<number> =>
  withClient(postgres.standbyUrl, async (db) => (await db.query<{ count: number }>(text, values)).rows[0]!.count);

export const losses: readonly (readonly [how: string, lose: (pair: ReplicatedPostgres) => unknown])[] = [
  ['was killed', (pair) => pair.killPrimary()],
  ['fell silent, with all its connections open', (pair) => pair.freezePrimary()],
];

/** Loses the primary and promotes the standby. @param tasks that are accepted before, and after */
export const expectNoLoss = async (lose: (pair: ReplicatedPostgres) => unknown, tasks: number): Promise<void> => {
  const { token } = await client.register('Two Databases');
  const terminals = await Promise.all([8100, 8101].map((login) => createTerminal(balancer.url, token, login)));
  const load = startLoad(client, token, terminals);
  await waitFor(() => load.accepted.length >= tasks, { what: 'tasks before the loss', timeoutMs: 120_000 });
  await lose(postgres);
  const before = [...load.accepted];
  await postgres.promote();
  const promotedAt = performance.now();
  const known = 'select count(*)::int as count from tasks where id = any($1::uuid[])';
  expect(await count(known, before)).toBe(before.length);
  const goal = load.accepted.length + 1;
  await waitFor(() => load.accepted.length >= goal, { what: 'a task after the promotion', timeoutMs: 120_000 });
  process.stdout.write(
    `tasks are accepted again ${Math.round(performance.now() - promotedAt)} ms after the promotion\n`,
  );
  await waitFor(() => load.accepted.length >= goal + tasks, { what: 'more tasks', timeoutMs: 120_000 });
  await load.finish();
  expect(load.refusals).toEqual([]);
  const countEnds = () => count(`${known} and finished_at is not null`, load.accepted);
  await waitForAll(countEnds, load.accepted.length, { what: 'the ends of the accepted tasks' });
  expect(await count(`${known} and status = ${TaskStatus.COMPLETED}`, load.accepted)).toBe(load.accepted.length);
  const all = 'select count(*)::int as count from tasks where terminal_id = any($1::uuid[]) and type = $2';
  expect(await count(all, terminals, TaskType.MARKET_WATCH_SHOW_ALL)).toBe(load.accepted.length);
};
