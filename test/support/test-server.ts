/** A whole server in the test's own process: real HTTP on a free port, a database of its own, nothing replaced. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, Lifecycle, type Logger } from '@berth/kit';
import type { FastifyInstance } from 'fastify';
import pg, { type QueryResultRow } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { buildApp } from '../../apps/server/src/api/app.ts';
import { readConfig, type ServerConfig } from '../../apps/server/src/config.ts';
import { PostgresAddress } from '../../apps/server/src/db/address.ts';
import { createLoops } from '../../apps/server/src/scheduler/loops.ts';
import { Pruning } from '../../apps/server/src/scheduler/pruning.ts';
import { createServices, type Services } from '../../apps/server/src/services.ts';
import { usualTimes, type Times } from '../../apps/server/src/times.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TestServer extends TestClient {
  url: string;
  services: Services;
  app: FastifyInstance;
  databaseUrl: string;
  /** Folder of the server's data: mails, keys. */
  dataDir: string;
  /** Runs a statement beside the server, on one of the test's own connections. @returns its rows */
  query(text: string, values?: unknown[]): Promise<QueryResultRow[]>;
  /** An account that is an operator. */
  registerOperator(): ReturnType<TestClient['register']>;
  /** Removes what is old, as a server does now and then. */
  prune(): Promise<void>;
  /** Stops everything, and fails when a connection to the database was left open. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** What differs from the defaults of a server without limits and with open registration. */
  config?: Partial<ServerConfig>;
  log?: Logger;
  /** For several servers on one database: its creator closes it, after the servers. */
  database?: TestDatabase;
  /** The folder of a built dashboard; the one that the build makes. */
  dashboardDir?: string;
  /** Names of loops that do not run, for tests in which only requests may change something. */
  without?: readonly string[];
}

/**
 * Nothing runs out by itself: a host of a test says nothing but what its test says, and on a slow machine that takes long.
 * Tests of what runs out say by when, or move the rows' times back.
 */
export const patientTimes: Times = {
  ...usualTimes,
  hostLostMs: 30 * 60_000,
  leaseMs: 30 * 60_000,
  deliveredDeadlineMs: 30 * 60_000,
  webhookLeaseMs: 60 * 60_000,
  // A database that was just created looks like one whose servers were down.
  alertGraceMs: 0,
  alertGroupMs: 100,
};

/** The setting `outbound` that lets a server call what a test started; usually it calls nothing on its own machine. */
export const LOOPBACK = { allow: ['127.0.0.1/32'], proxyUrl: undefined };

const checkoutDir = join(import.meta.dirname, '../..');
const builtDashboard = join(checkoutDir, 'apps/dashboard/dist');

/** Of two statements that waited for each other this one gave way. https://www.postgresql.org/docs/17/errcodes-appendix.html */
export const isDeadlock = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === '40P01';

/** A test polls what the server has stored: its statements share a few connections. */
const openPool = (connectionString: string, lifecycle: Lifecycle): pg.Pool => {
  const pool = new pg.Pool({ connectionString, max: 3, application_name: 'test' });
  // A test may end connections of the database; the pool opens another one.
  pool.on('error', () => undefined);
  lifecycle.onClose('connections of the test', () => pool.end());
  return pool;
};

/** Starts a server; who starts it closes it. */
export const startTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-server-'));
  const lifecycle = new Lifecycle();
  lifecycle.onClose('data directory', () => rm(dataDir, { recursive: true, force: true }));
  if (!options.database) lifecycle.onClose('database', () => database.close());
  try {
    const defaults = readConfig({ BERTH_RATE_LIMIT: 'off', BERTH_PORT: '0' }, dataDir);
    const config = { ...defaults, times: patientTimes, ...options.config };
    const log = options.log ?? createLogger({ name: 'test server', level: 'error' });
    const stop = new AbortController();
    const services = await createServices(config, new PostgresAddress(database.url, log), log, lifecycle, stop.signal);
    const app = await buildApp(services, {
      dashboardDir: options.dashboardDir ?? builtDashboard,
      checkoutDir,
    });
    lifecycle.onClose('HTTP', () => app.close());
    const without = ['automatic screenshots', 'checks of switches', 'pruning', ...(options.without ?? [])];
    const loops = createLoops(services, lifecycle, { without });
    lifecycle.onClose('work', () => stop.abort());
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    for (const loop of loops) loop.start();
    const client = createTestClient(url);
    const pool = openPool(database.url, lifecycle);
    const query: TestServer['query'] = (text, values = []) => {
      const run = async () => (await pool.query<QueryResultRow>(text, values)).rows;
      // A statement that takes many tables may meet those of the running server. Nothing of it was done then.
      return run().catch((error: unknown) => (isDeadlock(error) ? run() : Promise.reject(error as Error)));
    };
    return {
      url,
      services,
      app,
      databaseUrl: database.url,
      dataDir,
      ...client,
      query,
      registerOperator: async () => {
        const operator = await client.register('Operator');
        await query('update users set is_operator = true where id = $1', [operator.user.id]);
        return operator;
      },
      prune: () => new Pruning({ ...services, log: createLogger({ name: 'test', level: 'silent' }) }).pruneAll(),
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
};

/** A server for all tests of a file or of a `describe`; it is there from the first `beforeAll` on. */
export const useTestServer = (options?: TestServerOptions): TestServer => {
  const server = {} as TestServer;
  beforeAll(async () => {
    Object.assign(server, await startTestServer(options));
  });
  afterAll(() => server.close?.());
  return server;
};

/** Two servers that share a database and a key, as behind a balancer. */
export const useTwoServers = (config: Partial<ServerConfig> = {}): [TestServer, TestServer] => {
  const servers = [{}, {}] as [TestServer, TestServer];
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    const options = { database, config: { secretKey: randomBytes(32).toString('hex'), ...config } };
    for (const server of servers) Object.assign(server, await startTestServer(options));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close?.()));
    await database?.close();
  });
  return servers;
};
