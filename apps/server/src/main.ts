/**
 * The process: it handles the environment, signals and the exit code. Logs go to stderr, output for a person to stdout.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, refuseArguments } from '@berth/command';
import { createLogger } from '@berth/kit';
import { readConfig, type ServerConfig } from './config.ts';
import { toBanner, toPasswordNotice } from './console/banner.ts';
import type { AnnouncePassword } from './accounts/operator.ts';
import { startServer } from './server.ts';

/** Both src/ and dist/ are in the app's folder, so this is right for either. */
const appDir = fileURLToPath(new URL('..', import.meta.url));
const rootDir = resolve(appDir, '../..');

const paths = {
  migrations: resolve(appDir, 'migrations'),
  programs: {
    agent: resolve(rootDir, 'apps/agent/dist/main.js'),
    tradingServer: resolve(rootDir, 'apps/sandbox/dist/trading-server-main.js'),
    sandboxDist: resolve(rootDir, 'apps/sandbox/dist'),
  },
  dashboard: resolve(rootDir, 'apps/dashboard/dist'),
  checkout: rootDir,
};

/** A stop that hangs is cut off: better an exit code than a process that never ends. */
const STOP_DEADLINE_MS = 45_000;

/**
 * On a terminal, the output for a person stands alone: unless a level was configured, only warnings and errors are
 * logged beside it, for the local host's processes too. Where either output goes elsewhere, the log disturbs nobody.
 */
const isOnTerminal = process.stdout.isTTY && process.stderr.isTTY;
const environment = isOnTerminal
  ? { ...process.env, BERTH_LOG_LEVEL: process.env.BERTH_LOG_LEVEL || 'warn' }
  : process.env;

const readConfigOrFail = (): ServerConfig => {
  try {
    const config = readConfig(environment, resolve(rootDir, 'data'));
    return { ...config, dataDir: resolve(config.dataDir) };
  } catch (error) {
    return fail(error);
  }
};

/** On the terminal, or in the log file, before it becomes valid. */
const announcePassword: AnnouncePassword = (made) =>
  new Promise((resolve, reject) => {
    process.stdout.write(toPasswordNotice(made), (error) => (error ? reject(error) : resolve()));
  });

/**
 * The output of `script/server --help`: the most common settings. docs/configuration.md has all of them; a test
 * compares the names.
 */
const usage = `script/server: starts Berth: the server, with its own PostgreSQL and sandbox hosts unless told otherwise. Ctrl+C stops it all.

It takes no arguments. Settings come from the environment:

  BERTH_HOST, BERTH_PORT     where to listen (127.0.0.1, 4000)
  BERTH_PUBLIC_URL           how clients reach the server through a proxy
  BERTH_TRUSTED_PROXIES      proxies whose X-Forwarded headers are believed
  BERTH_DATA_DIR             database, keys, mails, local hosts (data in the checkout)
  BERTH_DATABASE_URL         a PostgreSQL of yours (unset: the embedded one)
  BERTH_SECRET_KEY           seals the trading passwords (unset: secret.key in the data directory)
  BERTH_LOST_KEYS            ids of keys that are lost for good
  BERTH_REGISTRATION         open or closed: may anybody create an account?
  BERTH_OPERATOR_EMAIL       of the operator that the first start creates (operator@berth.local)
  BERTH_LOCAL_AGENT          on or off: sandbox hosts that come with the server
  BERTH_SMTP_URL, BERTH_MAIL_FROM    where mails go out
  BERTH_LOG_LEVEL            fatal, error, warn, info, debug, trace or silent

All of them, with their defaults: docs/configuration.md. Running it for others: docs/operating.md.
Other commands: script/agent, script/backup, script/restore, script/operator, script/operator-password,
script/databases.
`;

refuseArguments(usage, process.argv.slice(2));
const config = readConfigOrFail();
const log = createLogger({ name: 'server', level: config.logLevel, destination: 2 });
const stopping = new AbortController();
const { signal } = stopping;
const starting = startServer({ config, paths, environment, log, signal, announcePassword });

const stop = async (signal: NodeJS.Signals): Promise<void> => {
  if (stopping.signal.aborted) return;
  log.info({ signal }, 'stopping');
  stopping.abort();
  setTimeout(() => fail(new Error('the stop took too long')), STOP_DEADLINE_MS).unref();
  try {
    // A start in progress ends at its next step and closes what it has opened.
    const running = await starting.catch(() => undefined);
    await running?.stop();
    log.info('stopped');
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'the stop was not clean');
    process.exit(1);
  }
};

process.on('SIGTERM', (signal) => void stop(signal));
process.on('SIGINT', (signal) => void stop(signal));

try {
  const running = await starting;
  if (!stopping.signal.aborted) process.stdout.write(toBanner(running, config));
} catch (error) {
  if (!stopping.signal.aborted) {
    log.error({ err: error }, 'the server could not start');
    fail(error);
  }
}
