/** A whole server from its configuration: everything is opened here in order, and closed in the reverse order. */
import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Lifecycle, type Environment, type Logger } from '@berth/kit';
import { ensureDataDir, startEmbeddedPostgres, type EmbeddedPostgres } from '@berth/postgres';
import type { FastifyInstance } from 'fastify';
import { ScheduledBackups } from './backup/scheduled.ts';
import { assertRestored } from './backup/unfinished.ts';
import type { ServerConfig } from './config.ts';
import { PostgresAddress } from './db/address.ts';
import { migrate } from './db/migrate.ts';
import { assertSupportedServer } from './db/check-server.ts';
import { issueJoinToken } from './hosts/join-tokens.ts';
import { buildApp } from './api/app.ts';
import { ensureOperator, type Operator, type AnnouncePassword } from './accounts/operator.ts';
import { startLocalHost, type LocalHostPrograms } from './local-host/local-host.ts';
import { createLoops } from './scheduler/loops.ts';
import { createServices, type Services } from './services.ts';

/** Terminals that each local sandbox host takes. */
const LOCAL_CAPACITY = 25;

const BACKUPS_EVERY_MS = 5_000;

export interface ServerPaths {
  migrations: string;
  programs: LocalHostPrograms;
  /** The folder of the built dashboard. */
  dashboard: string;
  /** The folder that has docs/. */
  checkout: string;
}

export interface StartOptions {
  config: ServerConfig;
  paths: ServerPaths;
  /** Inherited by the local host's processes, without Berth's own variables. */
  environment: Environment;
  log: Logger;
  /** Aborts a start that is under way. */
  signal?: AbortSignal;
  /** Is called at the first start, when everything but the commit of the operator's account is done. */
  announcePassword: AnnouncePassword;
}

export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:4000`. */
  url: string;
  operator: Operator;
  /** The embedded database; undefined where `BERTH_DATABASE_URL` names another one. */
  database: Pick<EmbeddedPostgres, 'home' | 'reason'> | undefined;
  /** Stops everything that was started, in the reverse order. */
  stop(): Promise<void>;
}

const openDataDir = async ({ dataDir, databaseUrl }: ServerConfig): Promise<void> => {
  try {
    await (databaseUrl === undefined ? ensureDataDir(dataDir) : mkdir(dataDir, { recursive: true, mode: 0o700 }));
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const text = `the data directory ${dataDir} cannot be used (${code}); set BERTH_DATA_DIR to a folder that you may write`;
    throw new Error(text, { cause: error });
  }
};

/** @returns nothing where the database is another server's */
const startDatabase = async (
  { config, log, signal }: StartOptions,
  lifecycle: Lifecycle,
): Promise<EmbeddedPostgres | undefined> => {
  if (config.databaseUrl !== undefined) return undefined;
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, ...(signal ? { signal } : {}) });
  lifecycle.onClose('PostgreSQL', () => postgres.stop());
  return postgres;
};

/** Connections that wait to be taken: after a restart, thousands of agents come at once. The system may allow fewer. */
const BACKLOG = 4_096;

const listen = async (app: FastifyInstance, { host, port }: ServerConfig): Promise<string> => {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`${host}:${port} is in use by another program; set BERTH_PORT to a free port`, { cause: error });
  }
  const address = app.server.address();
  // A Unix socket has no port; Berth listens on TCP only.
  if (address === null || typeof address === 'string') throw new Error('the server listens nowhere');
  const isEverywhere = address.address === '0.0.0.0' || address.address === '::';
  const name = isEverywhere ? '127.0.0.1' : address.address;
  return `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
};

const startLocalAgent = async (
  { config, paths, environment, log }: StartOptions,
  services: Services,
  serverUrl: string,
  lifecycle: Lifecycle,
): Promise<void> => {
  const regions = await services.regions.list();
  const hosts = regions.map(({ id }) => ({ region: id, name: `local-${id}` }));
  const tokens = hosts.map(async ({ region, name }) => {
    const { joinToken } = await issueJoinToken(services.db, { region, name, capacity: LOCAL_CAPACITY });
    return [name, joinToken] as const;
  });
  const joinTokens = Object.fromEntries(await Promise.all(tokens));
  const { dataDir } = config;
  const { programs } = paths;
  const local = startLocalHost({ dataDir, serverUrl, hosts, joinTokens, programs, environment, log });
  lifecycle.onClose('local host', () => local.stop());
};

const open = async (options: StartOptions, lifecycle: Lifecycle): Promise<Omit<RunningServer, 'stop'>> => {
  const { config, paths, log, signal } = options;
  await openDataDir(config);
  assertRestored(config.dataDir);
  const postgres = await startDatabase(options, lifecycle);
  const address = new PostgresAddress(config.databaseUrl ?? postgres?.url ?? '', log);
  // A restoration that began between the two has seen our database, or we see its mark.
  assertRestored(config.dataDir);
  await address.search();
  signal?.throwIfAborted();
  if (config.databaseUrl !== undefined) await assertSupportedServer(address.url);
  await migrate(address.url, paths.migrations);
  signal?.throwIfAborted();
  const stop = new AbortController();
  const services = await createServices(config, address, log, lifecycle, stop.signal);
  const app = await buildApp(services, { dashboardDir: paths.dashboard, checkoutDir: paths.checkout });
  lifecycle.onClose('HTTP', () => app.close());
  const backups = new ScheduledBackups({ ...services, toDatabaseUrl: () => address.url });
  const others = [{ name: 'backups', everyMs: BACKUPS_EVERY_MS, round: () => backups.takeTurn() }];
  const loops = createLoops(services, lifecycle, { others });
  // Long polls and loops end before the listener closes: it waits for every answer.
  lifecycle.onClose('work', () => stop.abort());
  let listening: Promise<string> | undefined;
  const ensureListening = (): Promise<string> => (listening ??= listen(app, config));
  // The password is made last: whatever else fails at a first start has failed by then.
  const operator = await ensureOperator(services.db, config.operatorEmail, async (made) => {
    await ensureListening();
    signal?.throwIfAborted();
    await options.announcePassword(made);
  });
  const url = await ensureListening();
  for (const loop of loops) loop.start();
  if (config.hasLocalAgent) await startLocalAgent(options, services, url, lifecycle);
  // The first step of a stop: nothing new is accepted while the local host finishes what it has in hand.
  lifecycle.onClose('new work', () => services.draining.abort());
  return { url, operator, database: postgres };
};

/** Starts a server. When a step fails, what was opened before it is closed again. */
export const startServer = async (options: StartOptions): Promise<RunningServer> => {
  const lifecycle = new Lifecycle();
  const config = { ...options.config, dataDir: join(options.config.dataDir) };
  try {
    const running = await open({ ...options, config }, lifecycle);
    return { ...running, stop: () => lifecycle.close() };
  } catch (error) {
    await lifecycle
      .close()
      .catch((cause: unknown) => options.log.error({ err: cause }, 'a failed start left something open'));
    throw error;
  }
};
