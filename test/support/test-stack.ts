/** The real thing as processes: a server with its local hosts, terminals and trading server, on a database of its own. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toUrl } from '@berth/postgres/parts';
import type { QueryResultRow } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { endProcesses, spawnProcess, type SpawnedProcess } from './processes.ts';
import { waitFor } from './wait-for.ts';
import { StackDatabase } from './stack-database.ts';
import { findPostmaster, listStackProcesses, type StackProcess, type StackRole } from './stack-processes.ts';
import { createTestClient, type TestClient } from './test-client.ts';
import { createTestDatabase } from './test-database.ts';
import { findFreePort } from './free-port.ts';
import { removeData } from './data-dir.ts';

const builtMainFile = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url));

export interface TestStack extends TestClient {
  readonly url: string;
  readonly server: SpawnedProcess;
  dataDir: string;
  /** A connection string for looking at what the stack stored; embedded, it may change with a restart. */
  readonly databaseUrl: string;
  /** Runs a statement on that database, on a connection that is kept. @returns its rows */
  query<Row extends QueryResultRow = QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The stack's living processes. */
  processes(...roles: StackRole[]): StackProcess[];
  /** The embedded PostgreSQL's parent process; undefined while it is down. */
  postmasterPid(): number | undefined;
  /** Ends the terminals of agents that are gone: also one that an agent began to start when it ended. */
  killTerminals(): Promise<unknown>;
  /** Resolves once as many hosts are online. */
  waitForHosts(count?: number): Promise<void>;
  /** Starts the server again on the same port and data, after it was killed or stopped. */
  restart(environment?: NodeJS.ProcessEnv): Promise<void>;
  /** Stops everything cleanly and removes it. Rejects when a process was left behind. */
  close(): Promise<void>;
}

/** Terminals are 200 ms away from ACTIVE, but the machine of a test may be slow. */
const READY_TIMEOUT_MS = 120_000;
/** One in each region. */
const LOCAL_HOSTS = 4;

const start = async (
  environment: NodeJS.ProcessEnv,
  mainFile: string,
): Promise<{ server: SpawnedProcess; url: string }> => {
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
  /** False: no local host; the test starts agents of its own. */
  hasLocalHosts?: boolean;
  /** Another build of the server than this checkout's. */
  mainFile?: string;
  /** An existing data directory, which the stack takes over and removes at its end; otherwise a new one. */
  dataDir?: string;
}

/** Starts a server process, usually with four local hosts; resolves once all four are online. */
export const startTestStack = async ({
  environment = {},
  isEmbedded = false,
  hasLocalHosts = true,
  mainFile = builtMainFile,
  dataDir: chosenDir = mkdtempSync(join(tmpdir(), 'berth-stack-')),
}: TestStackOptions = {}): Promise<TestStack> => {
  const database = isEmbedded ? undefined : await createTestDatabase();
  const dataDir = realpathSync(chosenDir);
  const settings: NodeJS.ProcessEnv = {
    BERTH_PORT: String(await findFreePort()),
    BERTH_RATE_LIMIT: 'off',
    BERTH_LOCAL_AGENT: hasLocalHosts ? 'on' : 'off',
    BERTH_DATA_DIR: dataDir,
    BERTH_LOG_LEVEL: 'warn',
    ...(database ? { BERTH_DATABASE_URL: database.url } : {}),
    ...environment,
  };
  let { server, url } = await start(settings, mainFile);
  if (hasLocalHosts) await waitForHosts(url, LOCAL_HOSTS);
  const toDatabase = (): string => database?.url ?? toUrl(findPostmaster(dataDir)?.socketDir ?? '');
  const stored = new StackDatabase(toDatabase);
  return {
    ...createTestClient(url),
    get url() {
      return url;
    },
    get server() {
      return server;
    },
    dataDir,
    get databaseUrl() {
      return toDatabase();
    },
    query: (text, values) => stored.query(text, values),
    processes: (...roles) => listStackProcesses(dataDir, ...roles),
    postmasterPid: () => findPostmaster(dataDir)?.pid,
    killTerminals: () =>
      waitFor(
        () => {
          const left = listStackProcesses(dataDir, 'terminal');
          for (const { pid } of left) killProcess(pid);
          return left.length === 0;
        },
        { what: 'an end of the terminals' },
      ),
    waitForHosts: (count = LOCAL_HOSTS) => waitForHosts(url, count),
    restart: async (changed = {}) => {
      ({ server, url } = await start({ ...settings, BERTH_PORT: new URL(url).port, ...changed }, mainFile));
    },
    close: async () => {
      await stored.close();
      server.kill('SIGTERM');
      await server.ended;
      const left = listStackProcesses(dataDir);
      for (const { pid } of left) killProcess(pid);
      await waitFor(() => listStackProcesses(dataDir).length === 0, { what: 'an end of what was left behind' });
      removeData(dataDir);
      await database?.close();
      if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}\n${server.output}`);
    },
  };
};

/** A stack for all tests of a file, which may start processes of its own beside it; it is there from the first `beforeAll` on. */
export const useTestStack = (options?: TestStackOptions): TestStack => {
  const stack = {} as TestStack;
  beforeAll(async () => {
    Object.defineProperties(stack, Object.getOwnPropertyDescriptors(await startTestStack(options)));
  });
  afterAll(async () => {
    await stack.close?.();
    await endProcesses();
  });
  return stack;
};

const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** The metrics say how many hosts are online, without an account. While the server is away there is no answer. */
const waitForHosts = async (url: string, count: number): Promise<void> => {
  const isOnline = async () => {
    const response = await fetch(`${url}/metrics`).catch(() => undefined);
    return new RegExp(`berth_hosts\\{status="online"\\} ${count}\\n`).test((await response?.text()) ?? '');
  };
  await waitFor(isOnline, { what: `${count} hosts online`, timeoutMs: READY_TIMEOUT_MS });
};
