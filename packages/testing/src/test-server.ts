/** A whole server in the test's own process: real HTTP on a free port, a database of its own, nothing replaced. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, Lifecycle, type Logger } from '@berth/kit';
import { buildApp } from '../../../apps/server/src/app.ts';
import { readConfig, type ServerConfig } from '../../../apps/server/src/config.ts';
import { Scheduler } from '../../../apps/server/src/scheduler/scheduler.ts';
import { createServices, type Services } from '../../../apps/server/src/services.ts';
import { createTestDatabase } from './test-database.ts';

export interface TestAnswer {
  status: number;
  headers: Headers;
  /** The parsed JSON; undefined for any other content. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they assert
  body: any;
  /** The raw content. */
  bytes: Buffer;
}

export interface TestRequest {
  token?: string | undefined;
  /** Sent as JSON; a string or a buffer as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestUser {
  id: string;
  name: string;
  email: string;
  password: string;
}

export interface TestServer {
  url: string;
  services: Services;
  /** Folder of the server's data: mails, keys. */
  dataDir: string;
  /** Creates an account of its own for a test. The e-mail address is made from the name. */
  register(name: string): Promise<{ token: string; user: TestUser }>;
  request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  /** Stops everything, and fails when a connection to the database was left open. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** What differs from the defaults of a server without limits and with open registration. */
  config?: Partial<ServerConfig>;
  log?: Logger;
}

export const TEST_PASSWORD = 'correct horse battery';

/** Starts a server for a test file; close it in `afterAll`. */
export const startTestServer = async (options: TestServerOptions = {}): Promise<TestServer> => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-server-'));
  const lifecycle = new Lifecycle();
  lifecycle.onClose('data directory', () => rm(dataDir, { recursive: true, force: true }));
  lifecycle.onClose('database', () => database.close());
  try {
    const config = { ...readConfig({ BERTH_RATE_LIMIT: 'off', BERTH_PORT: '0' }, dataDir), ...options.config };
    const log = options.log ?? createLogger({ name: 'test server', level: 'error' });
    const stop = new AbortController();
    const services = await createServices(config, database.url, log, lifecycle, stop.signal);
    const app = await buildApp(services);
    lifecycle.onClose('HTTP', () => app.close());
    const scheduler = new Scheduler(services);
    lifecycle.onClose('scheduler', () => scheduler.stopped());
    lifecycle.onClose('work', () => stop.abort());
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    scheduler.start();
    return { url, services, dataDir, ...createClient(url), close: () => lifecycle.close() };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
};

const toBody = (body: unknown): { body?: RequestInit['body']; headers: Record<string, string> } => {
  if (body === undefined) return { headers: {} };
  const headers = { 'content-type': 'application/json' };
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return { body: isRaw ? (body as RequestInit['body']) : JSON.stringify(body), headers };
};

const createClient = (url: string): Pick<TestServer, 'request' | 'register'> => {
  let users = 0;
  const request: TestServer['request'] = async (method, path, { token, body, headers } = {}) => {
    const content = toBody(body);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { accept: 'application/json', ...content.headers, ...authorization, ...headers },
      ...(content.body === undefined ? {} : { body: content.body }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && bytes.length > 0;
    const parsed: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
    return { status: response.status, headers: response.headers, body: parsed, bytes };
  };
  const register: TestServer['register'] = async (name) => {
    users += 1;
    const email = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}.${users}@example.com`;
    const answer = await request('POST', '/v1/auth/register', { body: { name, email, password: TEST_PASSWORD } });
    if (answer.status !== 200) throw new Error(`registering ${email} failed: ${answer.bytes.toString()}`);
    const { token } = (answer.body as { data: { token: string } }).data;
    const profile = await request('GET', '/v1/my/account/profile', { token });
    const { id } = (profile.body as { data: { id: string } }).data;
    return { token, user: { id, name, email, password: TEST_PASSWORD } };
  };
  return { request, register };
};
