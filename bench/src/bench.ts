/** What every goal is given: a PostgreSQL as the server starts it, databases, programs, and how long to measure. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@berth/kit';
import {
  endProcesses,
  migrate,
  removeData,
  spawnProcess,
  startEmbeddedPostgres,
  type SpawnedProcess,
} from '@berth/testing/bench';
import pg from 'pg';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const SERVER = join(root, 'apps/server/dist/main.js');
/** graphile-worker and pg-boss ask for Node.js 22; it comes as a package beside them. */
const PEER_NODE = join(root, 'bench/node_modules/node/bin/node');

export interface HttpLoad {
  url: string;
  connections: number;
  headers: Record<string, string>;
  requests: { method: 'GET' | 'POST'; path: string; body?: string }[];
}

export interface HttpRate {
  perSecond: number;
  p50: number;
  p99: number;
  refused: number;
}

export interface BenchOptions {
  /** How often each figure is taken, in turn with its peer's. */
  runs: number;
  /** How long a rate is measured. */
  seconds: number;
  /** Where each server leaves a CPU profile when it ends. */
  profileFolder: string | undefined;
}

export class Bench {
  readonly options: BenchOptions;
  readonly folder: string;
  readonly #postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  #databases = 0;

  private constructor(options: BenchOptions, folder: string, postgres: Bench['postgres']) {
    this.options = options;
    this.folder = folder;
    this.#postgres = postgres;
  }

  static async open(options: BenchOptions): Promise<Bench> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-bench-')));
    const log = createLogger({ name: 'bench', level: 'warn', destination: 2 });
    const start = () => startEmbeddedPostgres({ dataDir: folder, log });
    const bench = new Bench(options, folder, await start());
    if (options.profileFolder === undefined) return bench;
    await bench.query(bench.postgres.url, "alter system set shared_preload_libraries = 'pg_stat_statements'");
    await bench.postgres.stop();
    return new Bench(options, folder, await start());
  }

  get postgres() {
    return this.#postgres;
  }

  async close(): Promise<void> {
    await endProcesses();
    await this.#postgres.stop();
    this.#postgres.remove();
    for (const name of readdirSync(this.folder)) removeData(join(this.folder, name));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** An empty database; `isMigrated` with Berth's schema. @returns its connection string */
  async createDatabase(isMigrated = true): Promise<string> {
    this.#databases += 1;
    const name = `bench_${this.#databases}`;
    await this.query(this.#postgres.url, `create database ${name}`);
    const url = new URL(this.#postgres.url);
    url.pathname = `/${name}`;
    if (isMigrated) await migrate(url.href, join(root, 'apps/server/migrations'));
    if (this.options.profileFolder !== undefined) await this.query(url.href, 'create extension pg_stat_statements');
    return url.href;
  }

  /** The statements that cost PostgreSQL most since the last call: calls, total and mean milliseconds, rows. */
  async takeStatements(): Promise<Record<string, unknown>[]> {
    if (this.options.profileFolder === undefined) return [];
    const rows = await this.query(
      `${this.postgres.url.replace(/\/berth\?/, `/bench_${this.#databases}?`)}`,
      `select calls, round(total_exec_time) as total_ms, round(mean_exec_time::numeric, 3) as mean_ms,
         round(total_plan_time) as plan_ms, rows, wal_bytes / greatest(calls, 1) as wal_bytes_a_call,
         left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query
       from pg_stat_statements order by total_exec_time desc limit 16`,
    ).catch(() => []);
    return rows;
  }

  async query(url: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** A server process on this database, without local hosts and without rate limits. */
  async startServer(
    databaseUrl: string,
    others: Record<string, string> = {},
  ): Promise<{ url: string; process: SpawnedProcess }> {
    const settings = { BERTH_DATABASE_URL: databaseUrl, BERTH_PORT: '0', BERTH_LOCAL_AGENT: 'off' };
    const quiet = { BERTH_RATE_LIMIT: 'off', BERTH_LOG_LEVEL: 'warn', BERTH_DATA_DIR: join(this.folder, 'server') };
    const { profileFolder } = this.options;
    const nodeArgs = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const env = { ...process.env, NODE_ENV: 'production', ...settings, ...quiet, ...others };
    const started = spawnProcess(process.execPath, [...nodeArgs, SERVER], { env });
    const [, url = ''] = await started.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: 60_000 });
    return { url, process: started };
  }

  /** A peer that listens. */
  async startPeer(name: string, ...args: string[]): Promise<{ url: string; process: SpawnedProcess }> {
    const started = spawnProcess(process.execPath, [join(root, `bench/peers/${name}.mjs`), ...args]);
    const [, url = ''] = await started.waitForLine(/ready at (http\S+)/);
    return { url, process: started };
  }

  /** An engine among the peers, measured in a process of its own. */
  async runEngine(name: string, measure: object): Promise<Record<string, number>> {
    const peer = join(root, `bench/peers/${name}.mjs`);
    const started = spawnProcess(PEER_NODE, [peer, JSON.stringify(measure)]);
    const [line] = await started.waitForLine(/^\{.*\}$/, { timeoutMs: 300_000 });
    await started.ended;
    return JSON.parse(line) as Record<string, number>;
  }

  async load(load: HttpLoad): Promise<HttpRate> {
    const { seconds } = this.options;
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    const started = spawnProcess(process.execPath, [join(root, 'bench/peers/http-load.mjs')], { stdio });
    started.child.stdin?.end(JSON.stringify({ ...load, seconds }));
    const [line] = await started.waitForLine(/^\{.*\}$/, { timeoutMs: seconds * 1000 + 60_000 });
    await started.ended;
    const rate = JSON.parse(line) as HttpRate;
    if (rate.refused > 0) throw new Error(`${rate.refused} requests to ${load.url} were refused: ${line}`);
    return rate;
  }
}

export const stopProcess = async (started: SpawnedProcess): Promise<void> => {
  started.kill('SIGTERM');
  await started.ended;
};
