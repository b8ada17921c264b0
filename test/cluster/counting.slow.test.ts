/**
 * Two servers on one PostgreSQL, under load: one is killed and started again, one stands still for longer than its leases,
 * PostgreSQL is killed. Each event is in the log once, and is read and sent; each alert is opened once, and told.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskType } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@berth/postgres';
import {
  createTestClient,
  endProcesses,
  logInOperator,
  startTestStack,
  TestHost,
  waitFor,
  waitForAll,
  withClient,
  type TestAccount,
  type TestClient,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTroubles, type Troubles } from './alert-counting.ts';
import { startBalancer, type Balancer } from './balancer.ts';
import { createTerminal, startHost, startLoad, toImpatient } from './cluster.ts';
import { expectAllCounted, startCounting, type Counting, type Query } from './counting.ts';

const TIMEOUT_MS = 600_000;
const TIME_PERCENT = 50;
const USERS = 3;
const WEBHOOKS_EACH = 3;
/** Between two faults. */
const TASKS = 20;
const FAULTS = 4;
/** Of the host whose terminals cannot log in; the load has another one. */
const TROUBLED_REGION = 1;

let postgres: EmbeddedPostgres;
const dataDir = mkdtempSync(join(tmpdir(), 'berth-counted-'));
const servers: TestStack[] = [];
const users: TestAccount[] = [];
let balancer: Balancer;
let client: TestClient;
let counting: Counting;
let troubles: Troubles;

beforeAll(async () => {
  postgres = await startEmbeddedPostgres({ dataDir, log: createLogger({ name: 'counted database', level: 'fatal' }) });
  const environment = {
    BERTH_SECRET_KEY: randomBytes(32).toString('hex'),
    BERTH_DEFAULT_PLATFORM: 'sandbox',
    BERTH_DATABASE_URL: postgres.url,
    BERTH_TIME_PERCENT: String(TIME_PERCENT),
    BERTH_OUTBOUND_ALLOW: '127.0.0.1/32',
  };
  while (servers.length < 2)
    servers.push(await startTestStack({ isEmbedded: true, hasLocalHosts: false, environment }));
  balancer = await startBalancer(servers.map(({ url }) => url));
  client = toImpatient(createTestClient(balancer.url));
  await startHost(servers[0]!, balancer.url, TIME_PERCENT);
  while (users.length < USERS) users.push(await servers[0]!.register(`Counted ${users.length}`));
}, TIMEOUT_MS);

afterAll(async () => {
  for (const { server } of servers) server.kill('SIGCONT');
  await counting?.close();
  await troubles?.close();
  await balancer?.close();
  await endProcesses();
  for (const server of servers.reverse()) await server.close().catch(() => undefined);
  await postgres?.stop();
  postgres?.remove();
}, TIMEOUT_MS);

const query: Query = (text, values = []) =>
  withClient(postgres.url, async (db) => (await db.query<Record<string, unknown>>(text, values)).rows);

const startTroubledHost = async (): Promise<TestHost> => {
  const { berth } = await logInOperator(servers[0]!, balancer.url);
  const { join_token: joinToken } = await berth.operator.joinTokens.create({
    region: TROUBLED_REGION,
    name: 'troubled',
  });
  return TestHost.join(client, joinToken);
};

/** Begins alerts, and waits until messages are under way. @returns a server that sends one, and what lets the channels answer */
const holdAlerts = async (): Promise<{ caller: TestStack; answer: () => void }> => {
  const answer = troubles.hold();
  await troubles.begin();
  const findCaller = () => servers.find(({ url }) => troubles.listCallers().includes(url));
  return { caller: await waitFor(findCaller, { what: 'a message under way' }), answer };
};

/** Holds calls of both servers at once, at the endpoints of webhooks that each has. @returns what lets the endpoints answer */
const holdBoth = async (): Promise<() => void> => {
  let release = counting.hold();
  const isHeldByBoth = async () => {
    const called = counting.hooks.filter(({ path }) => counting.held.includes(path)).map(({ id }) => id);
    const [row] = await query(
      `select count(distinct lease) filter (where id = any($1))::int as calling, count(distinct lease)::int as having,
         bool_and(lease is not null) as are_all
       from webhooks where lease is null or leased_until > now()`,
      [called],
    );
    if (row!.calling === 2) return true;
    if (row!.are_all !== true || row!.having === 2) return false;
    // One of them was quicker everywhere.
    release();
    await waitFor(() => counting.held.length === 0, { what: 'the end of the calls' });
    release = counting.hold();
    return false;
  };
  await waitFor(isHeldByBoth, { what: 'calls of both servers at the endpoints' });
  return release;
};

it('lose no event and none twice, and no alert, whatever falls', { timeout: TIMEOUT_MS }, async () => {
  const terminals = await Promise.all(
    users.map(({ token }, number) => createTerminal(balancer.url, token, 7_400 + number)),
  );
  const urls = servers.map(({ url }) => url);
  counting = await startCounting({ users, client, urls, webhooksEach: WEBHOOKS_EACH, patienceMs: 3_000 });
  const host = await startTroubledHost();
  troubles = await startTroubles({ users, client, query, host, region: TROUBLED_REGION, each: FAULTS });
  const loads = users.map(({ token }, number) =>
    startLoad(client, token, [terminals[number]!], { workers: 2, everyMs: 300 }),
  );
  const finish = async () => void (await Promise.all(loads.map((load) => load.finish())));
  onTestFinished(finish);
  const countAccepted = () => loads.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const workOn = () => waitForAll(countAccepted, countAccepted() + TASKS, { what: 'tasks before the next fault' });

  await workOn();
  let { caller, answer } = await holdAlerts();
  let release = await holdBoth();
  let countAgain = counting.watchRepeats();
  caller.server.kill('SIGKILL');
  await caller.server.ended;
  release();
  answer();
  await waitFor(() => countAgain() > 0, { what: 'what the killed server had in hand' });
  await caller.restart();
  troubles.end();
  await workOn();

  ({ caller, answer } = await holdAlerts());
  release = await holdBoth();
  countAgain = counting.watchRepeats();
  caller.server.kill('SIGSTOP');
  release();
  answer();
  // It waits until the lease has run out.
  await waitFor(() => countAgain() > 0, { what: 'what the frozen server had in hand' });
  await workOn();
  caller.server.kill('SIGCONT');
  troubles.end();
  await workOn();

  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    ({ answer } = await holdAlerts());
    release = await holdBoth();
    const { pid } = postgres;
    process.kill(pid!, signal);
    release();
    answer();
    const isBack = () => postgres.pid !== pid && query('select 1').catch(() => false);
    await waitFor(isBack, { what: 'PostgreSQL' });
    troubles.end();
    await workOn();
  }

  await finish();
  expect(loads.flatMap(({ refusals }) => refusals)).toEqual([]);
  const ended = 'select count(*)::int as count from tasks where finished_at is not null and type = $1';
  const countEnds = async () => (await query(ended, [TaskType.MARKET_WATCH_SHOW_ALL]))[0]!.count as number;
  await waitForAll(countEnds, countAccepted(), { what: 'ends of tasks' });
  const told = await troubles.expectAllCounted();
  const counts = await expectAllCounted(counting, query);
  process.stdout.write(`${JSON.stringify({ ...counts, told })}\n`);
  expect(counts.tasks).toBeGreaterThanOrEqual(countAccepted());
  expect(counts.requests).toBeGreaterThan(counts.sent);
  expect(told.alerts).toBe(USERS * FAULTS);
  expect(told.requests).toBeGreaterThan(told.messages);
});
