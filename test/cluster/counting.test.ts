/**
 * Two servers on one database, whose connections all break under load: each event is in the log once, and is read and sent; each
 * alert is opened once, and told.
 */
import { randomBytes } from 'node:crypto';
import { TaskType } from '@berth/contract';
import { createLogger } from '@berth/kit';
import {
  createTestDatabase,
  patientTimes,
  startTestServer,
  TestHost,
  waitFor,
  waitForAll,
  withClient,
  type TestAccount,
  type TestClient,
  type TestDatabase,
  type TestServer,
} from '@berth/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTroubles } from './alert-counting.ts';
import { startLoad } from './cluster.ts';
import { expectAllCounted, startCounting } from './counting.ts';

const USERS = 3;
const WEBHOOKS_EACH = 2;
const TASKS = 60;
/** The connections break after these shares of the tasks. */
const FAULTS = [0.25, 0.5, 0.75];

let database: TestDatabase;
const servers: TestServer[] = [];
const users: TestAccount[] = [];
let client: TestClient;
let host: TestHost;

beforeAll(async () => {
  database = await createTestDatabase();
  const outbound = { allow: ['127.0.0.1/32'], proxyUrl: undefined };
  const times = { ...patientTimes, webhookLeaseMs: 5_000 };
  const config = { outbound, times, secretKey: randomBytes(32).toString('hex') };
  // They are meant to fail to answer, and would say so each time.
  const log = createLogger({ name: 'counted server', level: 'fatal' });
  while (servers.length < 2) servers.push(await startTestServer({ database, config, log }));
  let turn = 0;
  const request: TestClient['request'] = (...call) => servers[(turn += 1) % servers.length]!.request(...call);
  client = { ...servers[0]!, request };
  host = await TestHost.enrol(servers[0]!);
  while (users.length < USERS) users.push(await servers[0]!.register(`Counted ${users.length}`));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await database?.close();
});

const query = (text: string, values: unknown[] = []) => servers[0]!.query(text, values);

const createTerminal = async ({ token }: TestAccount): Promise<string> => {
  const body = { server_name: 'Demo', login: '1', password: 'secret-password', region: 0 };
  const answer = await client.request('POST', '/v1/my/trading/terminals', { token, body });
  return (answer.body as { data: { id: string } }).data.id;
};

/** Asks as agents do until there is an answer, and does what it is given. */
const startWork = (): { stop: () => Promise<void> } => {
  let isOver = false;
  const insist = async <Result>(ask: () => Promise<Result>): Promise<Result | undefined> => {
    while (!isOver) {
      const answer = await ask().catch(() => undefined);
      if (answer !== undefined) return answer;
      await delay(20);
    }
    return undefined;
  };
  const work = async () => {
    while (!isOver) {
      const claim = async () => {
        const { status, body } = await host.call('claim', { slots: 20, wait_ms: 200, known: [] });
        return status === 200 ? (body as { tasks: Parameters<TestHost['complete']>[0][] }).tasks : undefined;
      };
      for (const task of (await insist(claim)) ?? []) await insist(() => host.complete(task));
    }
  };
  const done = work();
  return {
    stop: () => {
      isOver = true;
      return done;
    },
  };
};

/** Ends a transaction that wrote an event only when later ones were committed: its event appears behind them. */
const happenLate = ({ user }: TestAccount) => {
  const url = new URL(database.url);
  url.searchParams.set('application_name', 'test');
  return withClient(url.href, async (db) => {
    await db.query('begin');
    const written = await db.query<{ id: string }>(
      `insert into events (user_id, type, data) values ($1, 'security.token_created', '{"token_id": 1, "name": "late"}')
       returning id`,
      [user.id],
    );
    const later = 'select 1 from events where user_id = $1 and id > $2';
    const isOvertaken = async () => (await query(later, [user.id, written.rows[0]!.id])).length >= 3;
    await waitFor(isOvertaken, { what: 'later events' });
    await db.query('commit');
  });
};

/** As if those that are right again had been so for a minute. */
const letAlertsEnd = () =>
  query(
    `with ended as (update alert_subjects set ended_at = ended_at - interval '1 minute' where ended_at is not null)
     insert into alert_wakes (user_id) select id from users`,
  );

it('lose no event and none twice, for readers, for those who watch, and for endpoints, and no alert', async () => {
  const terminals = await Promise.all(users.map(createTerminal));
  const troubles = await startTroubles({ users, client, query, host, region: 0, each: FAULTS.length });
  onTestFinished(() => troubles.close());
  const urls = servers.map(({ url }) => url);
  const counting = await startCounting({ users, client, urls, webhooksEach: WEBHOOKS_EACH, patienceMs: 20_000 });
  onTestFinished(() => counting.close());
  const work = startWork();
  onTestFinished(() => work.stop());
  const loads = users.map(({ token }, number) =>
    startLoad(client, token, [terminals[number]!], { workers: 2, everyMs: 30 }),
  );
  const finish = async () => void (await Promise.all(loads.map((load) => load.finish())));
  onTestFinished(finish);
  const countAccepted = () => loads.reduce((sum, { accepted }) => sum + accepted.length, 0);
  const breakConnections = () =>
    query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name <> 'test' and backend_type = 'client backend'`,
    );
  for (const share of FAULTS) {
    await waitForAll(countAccepted, TASKS * share, { what: 'tasks before a break' });
    troubles.end();
    const answerAlerts = troubles.hold();
    await troubles.begin();
    await letAlertsEnd();
    await waitFor(() => troubles.listCallers().length > 0, { what: 'a message under way' });
    const release = counting.hold();
    await waitFor(() => counting.held.length > 0, { what: 'a call under way' });
    expect((await breakConnections()).length).toBeGreaterThan(4);
    // As if their server had stood still for so long.
    const [countAgain, countTold] = [counting.watchRepeats(), troubles.watchRepeats()];
    const isTakenOver = async () => {
      await query('update webhooks set leased_until = now() where lease is not null');
      await query('update alert_messages set leased_until = now() where lease is not null');
      return countAgain() > 0 && countTold() > 0;
    };
    await waitFor(isTakenOver, { what: 'calls by the other server' });
    release();
    answerAlerts();
    await happenLate(users[0]!);
  }
  await waitForAll(countAccepted, TASKS, { what: 'tasks' });
  await finish();
  expect(loads.flatMap(({ refusals }) => refusals)).toEqual([]);
  const ended = 'select count(*)::int as count from tasks where finished_at is not null and type = $1';
  const countEnds = async () => (await query(ended, [TaskType.MARKET_WATCH_SHOW_ALL]))[0]!.count as number;
  await waitForAll(countEnds, countAccepted(), { what: 'ends of tasks' });
  troubles.end();
  const hasEnded = async () => {
    await letAlertsEnd();
    return (await query('select 1 from alerts where resolved_at is null')).length === 0;
  };
  await waitFor(hasEnded, { what: 'the end of all alerts' });
  const told = await troubles.expectAllCounted();
  await work.stop();
  const counts = await expectAllCounted(counting, query);
  process.stdout.write(`${JSON.stringify({ ...counts, told })}\n`);
  expect(counts.tasks).toBeGreaterThanOrEqual(countAccepted());
  // What came of those that were under way was not noted.
  expect(counts.requests).toBeGreaterThan(counts.sent);
  expect(told.alerts).toBe(USERS * FAULTS.length);
  expect(told.requests).toBeGreaterThan(told.messages);
});
