/** What the tests of several servers share: a host that belongs to all of them, and users who repeat what got no answer. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TaskType, type UserEvent } from '@berth/contract';
import {
  createTestClient,
  endProcesses,
  logInOperator,
  startTestAgent,
  startTestStack,
  startTestTradingServer,
  type TestClient,
  type TestStack,
} from '@berth/testing';
import { afterAll, beforeAll } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { startBalancer, type Balancer } from './balancer.ts';

export const ACTIVE = 3;
const RETRY_MS = 50;
const PATIENCE_MS = 1_500;

/** A client that gives up on an answer, as users' do, and repeats it under the same key. */
export const toImpatient = (client: TestClient): TestClient => ({
  ...client,
  request: (...call) =>
    Promise.race([
      client.request(...call),
      delay(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
    ]),
});

/**
 * Starts a trading server and one agent, which talks to whatever serves the address. @param timePercent the servers'
 */
export const startHost = async (first: TestStack, url: string, timePercent = 100): Promise<void> => {
  const folder = join(first.dataDir, 'broker');
  const networkFile = join(folder, 'network');
  mkdirSync(folder);
  startTestTradingServer(folder, networkFile);
  const { berth } = await logInOperator(first, url);
  const { join_token: joinToken } = await berth.operator.joinTokens.create({ region: 0, name: 'anywhere' });
  const directory = join(first.dataDir, 'agents', 'any');
  const environment = { BERTH_TIME_PERCENT: String(timePercent) };
  startTestAgent({ serverUrl: url, directory, networkFile, joinToken, environment });
  await first.waitForHosts(1);
};

/** Several servers on one database, with a host, behind a plain proxy. */
export interface Cluster {
  servers: TestStack[];
  /** Where the proxy goes; it may change. */
  urls: string[];
  balancer: Balancer;
  /** Goes through the proxy. */
  client: TestClient;
  /** Starts one more server on the database of the first. */
  add(environment?: NodeJS.ProcessEnv, mainFile?: string): Promise<TestStack>;
  query: TestStack['query'];
}

/** A cluster for all tests of a file. @param environments a server for each, with what it alone has */
export const useCluster = (environments: readonly NodeJS.ProcessEnv[], timePercent = 100): Cluster => {
  const servers: TestStack[] = [];
  const urls: string[] = [];
  const shared = {
    BERTH_SECRET_KEY: randomBytes(32).toString('hex'),
    BERTH_DEFAULT_PLATFORM: 'sandbox',
    BERTH_TIME_PERCENT: String(timePercent),
  };
  const add: Cluster['add'] = async (environment, mainFile) => {
    const database = servers[0] ? { BERTH_DATABASE_URL: servers[0].databaseUrl } : {};
    const own = { ...shared, ...database, ...environment };
    const server = await startTestStack({
      hasLocalHosts: false,
      environment: own,
      ...(mainFile === undefined ? {} : { mainFile }),
    });
    servers.push(server);
    urls.push(server.url);
    return server;
  };
  const query: Cluster['query'] = (text, values) => servers[0]!.query(text, values);
  const cluster = { servers, urls, add, query } as Cluster;
  beforeAll(async () => {
    for (const environment of environments) await add(environment);
    cluster.balancer = await startBalancer(urls);
    cluster.client = createTestClient(cluster.balancer.url);
    await startHost(servers[0]!, cluster.balancer.url, timePercent);
  });
  afterAll(async () => {
    for (const { server } of servers) server.kill('SIGCONT');
    await cluster.balancer?.close();
    await endProcesses();
    // The first one's database is everybody's.
    for (const server of servers.reverse()) await server.close().catch(() => undefined);
  });
  return cluster;
};

/** @returns the id of a terminal that is active, as the server at the address says */
export const createTerminal = async (url: string, token: string, login: number): Promise<string> => {
  const user = new TerminalUser(url, token);
  const account = { server_name: 'Harbour-Demo', login: String(login), password: 'a-password', region: 0 };
  const { id } = await user.createTerminal(account);
  await user.waitForStatus(id, 'ACTIVE');
  return id;
};

export interface Load {
  /** Tasks that were answered with 200. */
  readonly accepted: readonly string[];
  /** Answers that were neither 200 nor "later". */
  readonly refusals: readonly string[];
  /** How often a request got no answer, or "later". */
  readonly repeats: number;
  /** No further task is begun; resolves when the last one was accepted. */
  finish(): Promise<void>;
}

interface LoadOptions {
  /** Clients at a time. */
  workers?: number;
  /** What each one waits between two tasks: a terminal carries out only a few in a second. */
  everyMs?: number;
}

/**
 * Posts tasks until `finish`, as good clients do: each under one idempotency key, again and again, until it is answered.
 */
export const startLoad = (
  client: TestClient,
  token: string,
  terminals: readonly string[],
  { workers = 6, everyMs = 200 }: LoadOptions = {},
): Load => {
  const accepted: string[] = [];
  const refusals: string[] = [];
  let repeats = 0;
  let isOver = false;
  const createTask = async (terminalId: string): Promise<string | undefined> => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { type: TaskType.MARKET_WATCH_SHOW_ALL, payload: {} };
    const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
    for (;;) {
      const answer = await client.request('POST', path, { token, body, headers }).catch(() => undefined);
      if (answer?.status === 200) return (answer.body as { data: { id: string } }).data.id;
      const isLater = answer === undefined || answer.status === 503 || answer.status === 409;
      if (!isLater) {
        refusals.push(`${answer.status} ${answer.bytes.toString()}`);
        return undefined;
      }
      repeats += 1;
      await delay(RETRY_MS);
    }
  };
  const work = async (worker: number): Promise<void> => {
    for (let number = worker; !isOver; number += workers) {
      const id = await createTask(terminals[number % terminals.length]!);
      if (id !== undefined) accepted.push(id);
      await delay(everyMs);
    }
  };
  const done = Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return {
    accepted,
    refusals,
    get repeats() {
      return repeats;
    },
    finish: async () => {
      isOver = true;
      await done;
    },
  };
};

/** What a reader of the log of events received, who asks for what follows the last one, again and again. */
export interface LogFollower {
  readonly events: readonly UserEvent[];
  /** Nothing more is asked for. */
  stop(): Promise<void>;
}

/** Follows the log as a program does that must not miss anything: it keeps the id of the last event, and repeats what got no answer. */
export const followLog = (client: TestClient, token: string): LogFollower => {
  const events: UserEvent[] = [];
  let isOver = false;
  const follow = async (): Promise<void> => {
    while (!isOver) {
      const path = `/v1/my/events/log?per_page=20&after=${events.at(-1)?.id ?? 'start'}`;
      const answer = await client.request('GET', path, { token }).catch(() => undefined);
      if (answer?.status === 200) events.push(...(answer.body as { data: UserEvent[] }).data);
      await delay(RETRY_MS);
    }
  };
  const done = follow();
  return {
    events,
    stop: () => {
      isOver = true;
      return done;
    },
  };
};
