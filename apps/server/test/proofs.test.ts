/** What a host calls done is done only where it states what proves it. */
import { createHash, randomUUID } from 'node:crypto';
import { ResultStatus, TaskStatus, TaskType, taskTypes, TerminalStatus, type DeliveredTask } from '@berth/contract';
import { needsScreenshot, TestHost, toProof, toStep, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let token: string;
let path: string;
let terminalId: string;
let fileId: string;
const program = Buffer.from('a program');
const url = 'https://rates.example';

const readTerminal = async () => (await server.request('GET', path, { token })).body.data;
const readTask = async ({ id }: DeliveredTask) =>
  (await server.request('GET', `${path}/tasks/${id}`, { token })).body.data.task;

/** Creates a task and takes it. */
const take = async (type: number, payload: object = {}): Promise<DeliveredTask> => {
  const created = await server.request('POST', `${path}/tasks`, { token, body: { type, payload } });
  const [task] = await host.claim();
  expect(task?.id).toBe(created.body.data.id);
  return task!;
};

/** The same, after which nothing is tried again. */
const takeLastAttempt = async (type: number, payload: object): Promise<DeliveredTask> => {
  const task = await take(type, payload);
  await server.query('update tasks set attempts = 3 where id = $1', [task.id]);
  await server.query('update task_leases set fence = 3 where task_id = $1', [task.id]);
  return { ...task, fence: 3 };
};

const payloads = (): Record<number, object> => ({
  [TaskType.EA_INSTALL]: { name: 'Trend', file_id: fileId.toUpperCase(), symbol: 'EURUSD', period: 'H1' },
  [TaskType.EA_REMOVE]: { chart_id: '7' },
  [TaskType.EA_UPDATE]: { chart_id: '7', file_id: fileId },
  [TaskType.ACCOUNT_SERVER]: { servers: [{ name: 'Harbour-Demo', address: 'harbour.example:443' }] },
  [TaskType.ACCOUNT_LOGIN]: { login: '9', password: 'other-password', server_name: 'Harbour-Demo' },
  [TaskType.ACCOUNT_LOGOUT]: { forget_password: 1 },
  [TaskType.ACCOUNT_OPEN_DEMO]: { server_name: 'Harbour-Demo', name: 'N', email: 'n@example.com' },
  [TaskType.OPTIONS_AUTO_TRADE]: { allow_algo_trading: 0 },
  [TaskType.OPTIONS_WEB_REQUEST]: { url },
});

beforeAll(async () => {
  host = await TestHost.enrol(server);
  ({ token } = await server.register('Owner'));
  fileId = (await server.upload(token, program, 'Trend.ex5')).body.data.id;
  terminalId = await server.createTerminal(token);
  path = `/v1/my/trading/terminals/${terminalId}`;
  await host.installAll();
});

const types = taskTypes.filter((type) => type !== TaskType.TERMINAL_INSTALL && type !== TaskType.TERMINAL_DESTROY);
const wrongHash = { sha256: 'b'.repeat(64) };
const account = { login: '9', server_name: 'Harbour-Demo', connected: true };

it.each(types)('a task is not done where its host states nothing (type %i)', async (type) => {
  const task = await takeLastAttempt(type, payloads()[type] ?? {});
  expect(await host.reportDone(task, {})).toEqual(['accepted', 'accepted']);
  const { status, result } = await readTask(task);
  expect([status, result.status]).toEqual([TaskStatus.FAILED, ResultStatus.TIMED_OUT]);
  expect(result.runner_result).toMatchObject([{ step: 'do', ok: false, code: 'E_TIMEOUT', data: {} }]);
  expect(await readTerminal()).toMatchObject({ login: '1', server_name: 'Demo', status: TerminalStatus.ACTIVE });
});

it.each<[string, number, Record<string, unknown>, object?]>([
  ['a switch is not confirmed', TaskType.OPTIONS_AUTO_TRADE, { enabled: false, verified: false }],
  ['a switch went the other way', TaskType.OPTIONS_AUTO_TRADE, { enabled: true, verified: true }],
  ['another login is in', TaskType.ACCOUNT_LOGIN, { ...account, login: '1' }],
  ['the same login of another server is in', TaskType.ACCOUNT_LOGIN, { ...account, server_name: 'Other' }],
  ['the login is without a connection', TaskType.ACCOUNT_LOGIN, { ...account, connected: false }],
  ['the stored account is not the one that is in', TaskType.ACCOUNT_LOGIN, account, {}],
  ['a logout left it connected', TaskType.ACCOUNT_LOGOUT, { connected: true }],
  ['the demo is of another server', TaskType.ACCOUNT_OPEN_DEMO, { login: '77', server_name: 'Other' }],
  ['another program was installed', TaskType.EA_INSTALL, { chart_id: '7', ...wrongHash }],
  ['another program was updated', TaskType.EA_UPDATE, { charts: ['7'], ...wrongHash }],
  ['another chart was updated', TaskType.EA_UPDATE, { charts: ['8'] }, { chart_id: '7', inputs: { Lots: 1 } }],
  ['no chart was updated', TaskType.EA_UPDATE, { charts: [] }, { name: 'Trend', inputs: { Lots: 1 } }],
  ['the address is not on the list', TaskType.OPTIONS_WEB_REQUEST, { urls: ['https://other.example'] }],
  ['the address is still on the list', TaskType.OPTIONS_WEB_REQUEST, { urls: [url] }, { url, remove: 1 }],
  ['the server is not known', TaskType.ACCOUNT_SERVER, { known: ['Other'] }],
  ['the screenshot was never uploaded', TaskType.SCREENSHOT, { file: { id: randomUUID(), ...wrongHash } }],
])('a task is not done where %s', async (_, type, data, payload = payloads()[type]) => {
  const task = await takeLastAttempt(type, payload ?? {});
  await host.reportDone(task, data);
  const { status, result } = await readTask(task);
  expect(status).toBe(TaskStatus.FAILED);
  const seen = data.file === undefined ? data : {};
  expect(result.runner_result.at(-1)).toMatchObject({ ok: false, code: 'E_TIMEOUT', data: seen });
  expect(await readTerminal()).toMatchObject({ login: '1', server_name: 'Demo', status: TerminalStatus.ACTIVE });
});

it('a task is not done where its last step failed, whatever the host calls it', async () => {
  const task = await takeLastAttempt(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  const data = { enabled: true, verified: true };
  const steps = [toStep({ data }), toStep({ ok: false, code: 'E_AUTH', data })];
  await host.report({ kind: 'completed', task_id: task.id, fence: 3, steps });
  expect(await readTask(task)).toMatchObject({ status: TaskStatus.FAILED, result: { status: ResultStatus.FAILED } });
  const silent = await takeLastAttempt(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  await host.report({ kind: 'completed', task_id: silent.id, fence: 3, steps: [toStep({ ok: false, data })] });
  expect((await readTask(silent)).status).toBe(TaskStatus.FAILED);
});

it('a task that is not done says which account was seen, and which was asked for', async () => {
  const task = await takeLastAttempt(TaskType.ACCOUNT_LOGIN, payloads()[TaskType.ACCOUNT_LOGIN]!);
  await host.reportDone(task, { ...account, server_name: 'Other' });
  const [step] = (await readTask(task)).result.runner_result;
  expect(step.message).toContain('9 on Other, not to 9 on Harbour-Demo');
});

it('a task that was not confirmed is tried again, like any other time-out', async () => {
  const task = await take(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
  await host.reportDone(task, { enabled: true, verified: true });
  expect(await readTask(task)).toMatchObject({ status: TaskStatus.QUEUED, attempts: 1 });
  await server.query('update tasks set available_at = now() where id = $1', [task.id]);
  const [again] = await host.claim();
  expect(again).toMatchObject({ id: task.id, fence: 2 });
  await host.reportDone(again!, { enabled: false, verified: true });
  expect((await readTask(task)).status).toBe(TaskStatus.COMPLETED);
});

it.each(types)('a task is done where its host states what proves it (type %i)', async (type) => {
  const task = await take(type, payloads()[type]);
  const proof = needsScreenshot(type) ? await host.prove(task) : toProof(task);
  const sha256 = createHash('sha256').update(program).digest('hex');
  await host.reportDone(task, 'sha256' in proof ? { ...proof, sha256 } : proof);
  expect((await readTask(task)).result.runner_result).toMatchObject([{ ok: true }]);
  expect((await readTask(task)).status).toBe(TaskStatus.COMPLETED);
});

it('a task is done where the program was removed from no chart, because none had it', async () => {
  const task = await take(TaskType.EA_REMOVE, { name: 'Trend' });
  await host.reportDone(task, { removed: [] });
  expect((await readTask(task)).status).toBe(TaskStatus.COMPLETED);
});

it('an installation and a destruction are not done either where nothing is stated', async () => {
  const id = await server.createTerminal(token, { login: '2' });
  const statusOf = async () => (await server.query('select status from terminals where id = $1', [id]))[0]?.status;
  const [install] = await host.claim();
  await host.reportDone(install!, {});
  const [row] = await server.query('select status, attempts from tasks where id = $1', [install!.id]);
  expect(row).toEqual({ status: TaskStatus.QUEUED, attempts: 1 });
  await server.request('DELETE', `/v1/my/trading/terminals/${id}`, { token });
  const [destroy] = await host.claim();
  expect(destroy?.type).toBe(TaskType.TERMINAL_DESTROY);
  await host.reportDone(destroy!, {});
  expect(await statusOf()).toBe(TerminalStatus.DESTROYING);
});
