/** A server in which every kind of object exists: owned by one user, and carried by one host. */
import { TaskType, TerminalStatus, type DeliveredTask } from '@berth/contract';
import {
  startTestServer,
  TestHost,
  waitFor,
  type TestServer,
  type TestServerOptions,
  type TestUser,
} from '@berth/testing';
import { randomUUID } from 'node:crypto';

export interface Account {
  token: string;
  user: TestUser;
}

export interface World {
  server: TestServer;
  owner: Account;
  operator: Account;
  host: TestHost;
  /** An ACTIVE terminal of the owner on the host. */
  terminalId: string;
  /** Waits for its time, a year from now. */
  taskId: string;
  /** Its attempt is under way on the host; it refers to the file. */
  runningTaskId: string;
  /** Its only task waits as long. */
  runId: string;
  fileId: string;
  notificationId: string;
  projectId: string;
  /** Of a browser of the owner. */
  sessionId: number;
  /** Number of a further token of the owner. */
  tokenId: number;
}

/** Runs a statement that only a test needs. */
export const runSql = <Row extends object>(server: TestServer, text: string, values: unknown[] = []): Promise<Row[]> =>
  server.services.db.slow.query<Row>({ name: '', text }, values);

export const toTokenId = (token: string): number => Number(token.split('|')[0]);

/** Sends a request that must succeed, and returns its body. */
export const call = async (server: TestServer, token: string, method: string, path: string, body?: unknown) => {
  const answer = await server.request(method, path, { token, body });
  if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${String(answer.bytes)}`);
  return answer.body;
};

/** A host with a session of its own in the region. */
export const enrolHost = async (server: TestServer, operator: Account, region: number): Promise<TestHost> => {
  const order = { region, name: `host-${randomUUID().slice(0, 8)}`, capacity: 1000 };
  const { data } = await call(server, operator.token, 'POST', '/v1/operator/join-tokens', order);
  const host = await TestHost.join(server, data.join_token);
  // It has no heart: its silence must not make it lost.
  await runSql(server, `update hosts set last_seen_at = now() + interval '1 day' where id = $1`, [host.id]);
  return host;
};

/** Claims the task and keeps it running, under a lease that need not be renewed. */
const claimTask = async (server: TestServer, host: TestHost, terminalId: string): Promise<DeliveredTask> => {
  const task = await waitFor(
    async () => (await host.claim(100, 0)).find(({ terminal }) => terminal.id === terminalId),
    { what: `a task of terminal ${terminalId}` },
  );
  const lasting = `update task_leases set expires_at = now() + interval '1 day', deadline_at = now() + interval '1 day'`;
  await runSql(server, `${lasting} where task_id = $1`, [task.id]);
  return task;
};

export const createTask = async (server: TestServer, token: string, terminalId: string, body: object) =>
  (await call(server, token, 'POST', `/v1/my/trading/terminals/${terminalId}/tasks`, body)).data.id as string;

/** A terminal that its host reported installed and logged in. */
export const createActiveTerminal = async (
  server: TestServer,
  token: string,
  host: TestHost,
  region: number,
): Promise<string> => {
  const input = { server_name: 'Harbour-Demo', login: '1001', password: 'pass-1001', region };
  const { data } = await call(server, token, 'POST', '/v1/my/trading/terminals', input);
  const install = await claimTask(server, host, data.id);
  const step = { step: 'install', ok: true, code: null, message: '', at: '', data: { path: '/srv/t', build: 1 } };
  await host.report(
    { kind: 'started', at: 1, task_id: install.id, fence: 1 },
    { kind: 'terminal', at: 2, terminal_id: data.id, status: TerminalStatus.INSTALLING },
    { kind: 'completed', at: 3, task_id: install.id, fence: 1, steps: [step] },
    { kind: 'terminal', at: 4, terminal_id: data.id, status: TerminalStatus.ACTIVE },
  );
  return data.id as string;
};

const upload = async (server: TestServer, token: string): Promise<string> => {
  const headers = { 'content-type': 'application/octet-stream' };
  const body = Buffer.from('an expert');
  return (await server.request('POST', '/v1/my/files?name=a.ex5', { token, body, headers })).body.data.id as string;
};

/** Builds it all through the API. */
export const createWorld = async (options: TestServerOptions = {}): Promise<World> => {
  const server = await startTestServer({
    ...options,
    config: { defaultPlatform: 'sandbox', ...options.config },
  });
  const owner = await server.register('Owner');
  const operator = await server.registerOperator();
  const host = await enrolHost(server, operator, 0);
  const terminalId = await createActiveTerminal(server, owner.token, host, 0);
  const fileId = await upload(server, owner.token);
  const expert = { name: 'Harbour', file_id: fileId, symbol: 'EURUSD', period: 'H1' };
  const runningTaskId = await createTask(server, owner.token, terminalId, {
    type: TaskType.EA_INSTALL,
    payload: expert,
  });
  await claimTask(server, host, terminalId);
  const plannedAt = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const later = { type: TaskType.SCREENSHOT, planned_at: plannedAt };
  const taskId = await createTask(server, owner.token, terminalId, later);
  const { data: run } = await call(server, owner.token, 'POST', '/v1/my/trading/bulk-runs', { ...later, all: true });
  const other = await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'other' });
  const { data: notifications } = await call(server, owner.token, 'GET', '/v1/my/account/notifications');
  const { email, password } = owner.user;
  await call(server, '', 'POST', '/v1/auth/login', { email, password, session: true });
  const { data: sessions } = await call(server, owner.token, 'GET', '/v1/my/account/sessions');
  const { data: projects } = await call(server, owner.token, 'GET', '/v1/my/projects');
  return {
    server,
    owner,
    operator,
    host,
    terminalId,
    taskId,
    runningTaskId,
    runId: run.id,
    fileId,
    notificationId: notifications[0].id,
    projectId: projects[0].id,
    sessionId: sessions[0].id,
    tokenId: toTokenId(other.data.token),
  };
};
