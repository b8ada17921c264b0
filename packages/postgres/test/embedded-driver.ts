/**
 * A stand-in for the server's main: starts the embedded PostgreSQL in the folder of its first argument, says so in one
 * line of JSON, and stops it on SIGTERM. A process of its own, so that tests can kill it.
 */
import { createLogger } from '@berth/kit';
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts';

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const abort = new AbortController();
process.once('SIGTERM', () => abort.abort());

const startedAt = performance.now();
try {
  const postgres = await startEmbeddedPostgres({
    dataDir: process.argv[2] ?? '',
    log: createLogger({ name: 'driver' }),
    signal: abort.signal,
  });
  say({ ready: true, pid: postgres.pid, url: postgres.url, startMs: Math.round(performance.now() - startedAt) });
  const keepAlive = setInterval(() => undefined, 1_000);
  const stop = async (): Promise<void> => {
    await postgres.stop();
    clearInterval(keepAlive);
    say({ stopped: true });
  };
  if (abort.signal.aborted) await stop();
  else abort.signal.addEventListener('abort', () => void stop());
} catch (error) {
  say({ ready: false, error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
