/**
 * The process: it handles the environment, signals and the exit code. Logs go to stderr, output for a person to stdout.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, refuseArguments } from '@berth/command';
import { createLogger } from '@berth/kit';
import { readConfig, type ServerConfig } from './config.ts';
import { toBanner, toPasswordNotice } from './console/banner.ts';
import { usage } from './console/usage.ts';
import type { AnnouncePassword } from './lifecycle/operator.ts';
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
