/** The real thing as processes: a server with its local hosts, terminals and trading server, on a database of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnProcess, waitFor, type SpawnedProcess } from './processes.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

const mainFile = fileURLToPath(new URL('../../../apps/server/dist/main.js', import.meta.url));

export interface TestStack extends TestClient {
  readonly url: string;
  readonly server: SpawnedProcess;
  dataDir: string;
  database: TestDatabase;
  /** Starts the server again on the same port and data, after it was killed or stopped. */
  restart(): Promise<void>;
  /** Stops everything politely and removes it. */
  close(): Promise<void>;
}

/** Terminals are 200 ms away from ACTIVE, but the machine of a test may be slow. */
const READY_TIMEOUT_MS = 60_000;

const start = async (environment: NodeJS.ProcessEnv): Promise<{ server: SpawnedProcess; url: string }> => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'));
  const env = { ...Object.fromEntries(inherited), ...environment };
  const server = spawnProcess(process.execPath, [mainFile], { env });
  const [, url = ''] = await server.waitForLine(/Berth is ready at (http\S+)/, { timeoutMs: READY_TIMEOUT_MS });
  return { server, url };
};

export interface TestStackOptions {
  environment?: NodeJS.ProcessEnv;
  /** True: the server starts its own PostgreSQL instead of using the test run's. */
  isEmbedded?: boolean;
}

/** Starts a server process with four local hosts; resolves once all four are online. */
export const startTestStack = async ({
  environment = {},
  isEmbedded = false,
}: TestStackOptions = {}): Promise<TestStack> => {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-stack-'));
  const settings: NodeJS.ProcessEnv = {
    BERTH_PORT: '0',
    BERTH_RATE_LIMIT: 'off',
    BERTH_LOCAL_AGENT: 'on',
    BERTH_DATA_DIR: dataDir,
    BERTH_LOG_LEVEL: 'warn',
    ...(isEmbedded ? {} : { BERTH_DATABASE_URL: database.url }),
    ...environment,
  };
  let { server, url } = await start(settings);
  const client = createTestClient(url);
  await waitForHosts(url);
  return {
    ...client,
    get url() {
      return url;
    },
    get server() {
      return server;
    },
    dataDir,
    database,
    restart: async () => {
      ({ server, url } = await start({ ...settings, BERTH_PORT: new URL(url).port }));
    },
    close: async () => {
      server.kill('SIGTERM');
      await server.ended;
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** The metrics say how many hosts are online, without an account. */
const waitForHosts = (url: string): Promise<unknown> =>
  waitFor(
    async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return /berth_hosts\{status="online"\} 4/.test(text);
    },
    { what: 'four local hosts online', timeoutMs: READY_TIMEOUT_MS },
  );
