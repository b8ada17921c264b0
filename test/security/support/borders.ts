/** What two users and two hosts see of each other, and what is over: everything here is the same each time, until a border falls. */
import { randomUUID } from 'node:crypto';
import { HostStatus, TaskType, TerminalStatus } from '@berth/contract';
import { createSignInCode, farAhead, toChart, toSample, waitFor, type TestHost, type TestServer } from '@berth/testing';
import { CHANGED_PASSWORD, logInWhenFull, renewLasting, useSameAccount, type Lasting } from './crowds.ts';
import { useExpired, useOldCodes } from './expiries.ts';
import { runAlone } from './single-statements.ts';
import { call, createActiveTerminal, createTask, enrolHost, runSql, toTokenId, type Account } from './world.ts';

export interface Scene {
  server: TestServer;
  operator: Account;
  owner: Account;
  stranger: Account;
  host: TestHost;
  otherHost: TestHost;
  terminalId: string;
  strangersTerminalId: string;
  taskId: string;
  running: { id: string; fence: number };
  fileId: string;
  strangersFileId: string;
  /** No other user has this many files. */
  strangersBytes: number;
  expiredFileId: string;
  /** One of the owner's runs that are open, and one that is over. */
  runId: string;
  endedRunId: string;
  notificationId: string;
  projectId: string;
  strangersProjectId: string;
  tokenId: number;
  sessionId: number;
  expiredLink: string;
  expiredToken: string;
  expiredJoinToken: string;
  key: string;
}

const upload = async (server: TestServer, token: string, content: string): Promise<string> => {
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await server.request('POST', '/v1/my/files?name=a.ex5', {
    token,
    body: Buffer.from(content),
    headers,
  });
  return (answer.body as { data: { id: string } }).data.id;
};

const firstId = async (server: TestServer, token: string, path: string): Promise<string> =>
  ((await call(server, token, 'GET', path)).data as { id: string }[])[0]!.id;

/** A browser's session of the user, that is over after so long. */
const createSession = async (server: TestServer, { user }: Account, lifetime: string): Promise<number> => {
  const [row] = await runSql<{ id: number }>(
    server,
    `insert into tokens (user_id, name, abilities, secret_hash, is_login, is_session, device, expires_at)
     values ($1, 'Login', '{*}', sha256(gen_random_uuid()::text::bytea), true, true, 'A browser', now() + $2::interval)
     returning id`,
    [user.id, lifetime],
  );
  return row!.id;
};

/** Runs that are open, and one that is over. */
const createRuns = async (server: TestServer, token: string) => {
  const body = { type: TaskType.SCREENSHOT, planned_at: farAhead, all: true };
  const create = async () => (await call(server, token, 'POST', '/v1/my/trading/bulk-runs', body)).data.id as string;
  const endedRunId = await create();
  await call(server, token, 'POST', `/v1/my/trading/bulk-runs/${endedRunId}/cancel`);
  // Its task is canceled a moment later.
  const path = `/v1/my/trading/bulk-runs/${endedRunId}`;
  await waitFor(async () => (await call(server, token, 'GET', path)).data.finished_at !== null, { what: 'its end' });
  const [runId = ''] = await Promise.all(Array.from({ length: 5 }, create));
  return { runId, endedRunId };
};

/** A link that stands, and one that is over. @returns the code of the latter */
const createLinks = async (server: TestServer, { user }: Account): Promise<string> => {
  await createSignInCode(server.services.db, user.id);
  const code = await createSignInCode(server.services.db, user.id);
  await runSql(server, `update sign_in_links set expires_at = now() - interval '1 second' where id = $1`, [
    code.split('.')[0],
  ]);
  return code;
};

let strangersBytes = 1000;

/** Everybody is new, and the earlier ones are out of the way: what a mutant did to them is of no interest. */
export const createScene = async (server: TestServer, lasting: Lasting): Promise<Scene> => {
  await renewLasting(server, lasting);
  const { operator } = lasting;
  await runSql(server, `update hosts set status = ${HostStatus.RETIRED}`);
  await runSql(
    server,
    `update terminals set status = ${TerminalStatus.DESTROYED}, host_id = null, deleted_at = now() where deleted_at is null`,
  );
  const [owner, stranger] = await Promise.all([server.register('Owner'), server.register('Stranger')]);
  const [host, otherHost] = [await enrolHost(server, operator, 0), await enrolHost(server, operator, 1)];
  const terminalId = await createActiveTerminal(server, owner.token, host, 0);
  const strangersTerminalId = await createActiveTerminal(server, stranger.token, otherHost, 1);
  strangersBytes += 1;
  await createSession(server, stranger, '-1 second');
  const [fileId, strangersFileId, expiredFileId] = [
    await upload(server, owner.token, 'an expert'),
    await upload(server, stranger.token, 'x'.repeat(strangersBytes)),
    await upload(server, owner.token, 'an old one'),
  ];
  await runSql(server, `update files set expires_at = now() - interval '1 second' where id = $1`, [expiredFileId]);
  const expert = { name: 'Harbour', file_id: fileId, symbol: 'EURUSD', period: 'H1' };
  const install = { type: TaskType.EA_INSTALL, payload: expert };
  const runningId = await createTask(server, owner.token, terminalId, install);
  const running = await waitFor(async () => (await host.claim(100, 0)).find(({ id }) => id === runningId), {
    what: 'the running task',
  });
  await runSql(
    server,
    `update task_leases set expires_at = now() + interval '1 day', deadline_at = now() + interval '1 day' where task_id = $1`,
    [running.id],
  );
  const later = { type: TaskType.SCREENSHOT, planned_at: farAhead };
  const other = await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'other' });
  const old = await call(server, owner.token, 'POST', '/v1/my/account/tokens', { name: 'old' });
  const expiredToken = old.data.token as string;
  await runSql(server, `update tokens set expires_at = now() - interval '1 second' where id = $1`, [
    toTokenId(expiredToken),
  ]);
  const order = { region: 0, name: `late-${randomUUID().slice(0, 8)}`, capacity: 1 };
  const { data: late } = await call(server, operator.token, 'POST', '/v1/operator/join-tokens', order);
  await runSql(server, `update join_tokens set expires_at = now() - interval '1 second' where name = $1`, [order.name]);
  const key = randomUUID();
  const headers = { 'idempotency-key': key };
  await server.request('POST', '/v1/my/projects', { token: owner.token, body: { name: 'Owned' }, headers });
  return {
    server,
    operator,
    owner,
    stranger,
    host,
    otherHost,
    terminalId,
    strangersTerminalId,
    taskId: await createTask(server, owner.token, terminalId, later),
    running,
    ...(await createRuns(server, owner.token)),
    fileId,
    strangersFileId,
    strangersBytes,
    expiredFileId,
    notificationId: await firstId(server, owner.token, '/v1/my/account/notifications'),
    projectId: await firstId(server, owner.token, '/v1/my/projects'),
    strangersProjectId: await firstId(server, stranger.token, '/v1/my/projects'),
    tokenId: toTokenId(other.data.token as string),
    sessionId: await createSession(server, owner, '1 day'),
    expiredLink: await createLinks(server, owner),
    expiredToken,
    expiredJoinToken: late.join_token as string,
    key,
  };
};

const TERMINALS = '/v1/my/trading/terminals';
const SORTS = ['created_at', 'name', 'server_name', 'login', 'status', 'attention'];
const LISTS = [TERMINALS, '/v1/my/account/notifications', '/v1/my/account/tokens', '/v1/my/projects', '/v1/my/files'];

/** What was handed out and is not known: only to its own session, under its own fence, and while its lease stands. */
const crossLostDeliveries = async ({ server, host, otherHost, running: { id, fence } }: Scene) => {
  const ask = async (by: TestHost, ...known: { task_id: string; fence: number }[]) => {
    const body = { session_id: by.sessionId, slots: 100, wait_ms: 0, known };
    const { tasks } = await call(server, by.credential, 'POST', '/v1/agent/claim', body);
    return (tasks as { id: string }[]).some((task) => task.id === id);
  };
  const change = (assignment: string, ...values: string[]) =>
    runSql(server, `update task_leases set ${assignment} where task_id = $1`, [id, ...values]);
  const seen = [
    await ask(host),
    await ask(host, { task_id: id, fence }),
    await ask(host, { task_id: id, fence: fence + 1 }),
  ];
  await change(`expires_at = now() + interval '4 seconds'`);
  seen.push(await ask(host));
  await change(`expires_at = now() + interval '1 day', session_id = $2`, otherHost.sessionId);
  return [...seen, await ask(host), await ask(otherHost)];
};

/** Hosts: another one's task, an attempt that is not the current one, a session that is over. */
const crossHosts = async ({ server, host, otherHost, running, terminalId, fileId, strangersFileId }: Scene) => {
  const seen: unknown[] = [];
  const put = async (by: TestHost, fence: number) => {
    const path = `/v1/agent/tasks/${running.id}/files?name=a.png&fence=${fence}`;
    const headers = { 'content-type': 'application/octet-stream' };
    const token = by.credential;
    seen.push((await server.request('POST', path, { token, body: Buffer.from('x'), headers })).status);
  };
  await put(otherHost, running.fence);
  await put(host, running.fence + 1);
  for (const [by, id] of [
    [otherHost, fileId],
    [host, strangersFileId],
    [host, fileId],
  ] as const) {
    const path = `/v1/agent/tasks/${running.id}/files/${id}`;
    seen.push((await server.request('GET', path, { token: by.credential })).status);
  }
  const claimed = { at: 1, task_id: running.id, kind: 'started' } as const;
  seen.push(await otherHost.report({ ...claimed, fence: running.fence }));
  seen.push(await host.report({ ...claimed, fence: running.fence + 1 }));
  const body = { session_id: randomUUID(), slots: 1, wait_ms: 0 };
  seen.push((await server.request('POST', '/v1/agent/claim', { token: host.credential, body })).status);
  const held = { session_id: otherHost.sessionId, tasks: [{ task_id: running.id, fence: running.fence }] };
  const renewed = await server.request('POST', '/v1/agent/heartbeat', { token: otherHost.credential, body: held });
  seen.push([renewed.status, JSON.stringify(renewed.body).includes(running.id)]);
  const older = { session_id: host.sessionId, tasks: [{ task_id: running.id, fence: running.fence + 1 }] };
  const refused = await server.request('POST', '/v1/agent/heartbeat', { token: host.credential, body: older });
  seen.push([refused.status, JSON.stringify(refused.body).includes(running.id)]);
  // No creation lets a task name another user's file; should one ever do, its host does not get it.
  const rename = `update tasks set payload = jsonb_set(payload, '{file_id}', to_jsonb($2::text)) where id = $1`;
  await runSql(server, rename, [running.id, strangersFileId]);
  const stolen = `/v1/agent/tasks/${running.id}/files/${strangersFileId}`;
  seen.push((await server.request('GET', stolen, { token: host.credential })).status);
  seen.push(await otherHost.sendSamples(toSample(terminalId)), await host.sendSamples(toSample(terminalId)));
  for (const by of [otherHost, host]) {
    await by.sendCharts(terminalId, toChart());
    seen.push((await runSql(server, `select from terminal_charts where terminal_id = $1`, [terminalId])).length);
  }
  const beat = { session_id: randomUUID(), tasks: [] };
  seen.push((await server.request('POST', '/v1/agent/heartbeat', { token: host.credential, body: beat })).status);
  return seen;
};

/** Users: each of the owner's objects, by its id. Reads first, since what succeeds by mistake changes the rest. */
const crossUsers = async (scene: Scene) => {
  const { server, owner, stranger, terminalId, taskId, fileId, notificationId, projectId, tokenId, key } = scene;
  const terminal = `${TERMINALS}/${terminalId}`;
  const own = `${TERMINALS}/${scene.strangersTerminalId}`;
  const expert = { name: 'Harbour', file_id: fileId, symbol: 'EURUSD', period: 'H1' };
  const second = { server_name: 'Quay-Demo', login: '8', password: 'x', region: 1 };
  const created = { server_name: 'Quay-Demo', login: '7', password: 'x', region: 1, project_id: projectId };
  const run = { type: TaskType.SCREENSHOT, planned_at: farAhead };
  const tries: [method: string, path: string, body?: unknown][] = [
    ['GET', terminal],
    ['GET', `${terminal}/charts`],
    ['GET', `${terminal}/samples`],
    ['GET', `${TERMINALS}/overview?ids=${terminalId}`],
    ['GET', `${terminal}/tasks`],
    ['GET', `${terminal}/tasks/${taskId}`],
    ['GET', `${own}/tasks/${taskId}`],
    ['GET', `${terminal}/tasks/${taskId}/history`],
    ...[
      '',
      '?status=0,1,2,3',
      '?status=5,6,7',
      `?terminal_id=${terminalId}`,
      `?project_id=${projectId}`,
      `?ids=${taskId}`,
    ].map((query): [string, string] => ['GET', `/v1/my/tasks${query}`]),
    ['GET', `${TERMINALS}?project_id=${projectId}`],
    ['GET', `/v1/my/files/${fileId}`],
    ['GET', `/v1/my/files/${fileId}/content`],
    ['POST', TERMINALS, created],
    ['POST', TERMINALS, second],
    ['PATCH', '/v1/my/account/profile', { name: 'Renamed' }],
    ['PATCH', '/v1/my/account/profile', { default_project_id: projectId }],
    ['POST', '/v1/my/account/tokens', { name: 'mine' }],
    ['GET', '/v1/my/account/notifications?unread=true'],
    ['POST', `${terminal}/tasks`, { type: TaskType.SCREENSHOT }],
    ['POST', `${TERMINALS}/bulk/tasks`, { terminal_ids: [terminalId], type: TaskType.SCREENSHOT }],
    ['POST', `${TERMINALS}/bulk/tasks`, { filter: { status: '3' }, type: TaskType.SCREENSHOT }],
    ['POST', '/v1/my/trading/bulk-runs', { terminal_ids: [terminalId], type: TaskType.SCREENSHOT }],
    ['POST', '/v1/my/trading/bulk-runs', { ...run, all: true }],
    ['GET', '/v1/my/trading/bulk-runs'],
    ...['', '/items'].map((part): [string, string] => ['GET', `/v1/my/trading/bulk-runs/${scene.runId}${part}`]),
    ['POST', `/v1/my/trading/bulk-runs/${scene.runId}/cancel`],
    ['DELETE', `/v1/my/trading/bulk-runs/${scene.endedRunId}`],
    ['PATCH', terminal, { name: 'Stolen' }],
    ['PATCH', own, { project_id: projectId }],
    ['PATCH', `/v1/my/projects/${projectId}`, { name: 'Stolen' }],
    ['DELETE', `/v1/my/projects/${projectId}`],
    ['POST', `${own}/tasks`, { type: TaskType.EA_INSTALL, payload: expert }],
    ['POST', `${terminal}/tasks/${taskId}/cancel`],
    ['POST', `/v1/my/account/notifications/${notificationId}/read`],
    ['PATCH', `/v1/my/account/notifications/${notificationId}/read`],
    ['DELETE', `/v1/my/files/${fileId}`],
    ['DELETE', `/v1/my/files/${scene.strangersFileId}`],
    ['DELETE', `/v1/my/account/tokens/${tokenId}`],
    ['GET', '/v1/my/account/sessions'],
    ['DELETE', `/v1/my/account/sessions/${scene.sessionId}`],
    ['DELETE', '/v1/my/account/sessions'],
    ['DELETE', terminal],
  ];
  const seen: unknown[] = [];
  const { token } = stranger;
  seen.push((await call(server, token, 'GET', '/v1/my/files')).used_bytes === scene.strangersBytes);
  seen.push((await call(server, token, 'GET', `${TERMINALS}/counts`)).data.total);
  for (const list of LISTS) {
    const { data, pagination } = await call(server, token, 'GET', `${list}?per_page=100`);
    seen.push([list, (data as unknown[] | { data: unknown[] }) && JSON.stringify(data).includes(owner.user.id)]);
    seen.push([Array.isArray(data) ? data.length : Object.keys(data as object), pagination?.total]);
  }
  for (const [method, path, body] of tries) {
    const answer = await server.request(method, path, { token, ...(body === undefined ? {} : { body }) });
    const { data, msg, pagination } = (answer.body ?? {}) as {
      data?: unknown;
      msg?: string;
      pagination?: { total: number };
    };
    seen.push([method, answer.status, msg, Array.isArray(data) ? data.length : undefined, pagination?.total]);
  }
  const both = { ...run, terminal_ids: [scene.strangersTerminalId, terminalId] };
  const begun = await server.request('POST', '/v1/my/trading/bulk-runs', { token, body: both });
  const items = await server.request('GET', `/v1/my/trading/bulk-runs/${begun.body?.data?.id}/items`, { token });
  for (const { state, terminal_name: name } of items.body?.data ?? []) seen.push([state, name]);
  for (const order of SORTS) {
    for (const direction of ['asc', 'desc']) {
      const path = `${TERMINALS}?sort_by=${order}&sort_direction=${direction}`;
      seen.push(((await call(server, token, 'GET', path)).data as unknown[]).length);
    }
  }
  const headers = { 'idempotency-key': key };
  const again = await server.request('POST', '/v1/my/projects', { token, body: { name: 'Mine' }, headers });
  seen.push([again.status, again.body?.data?.name]);
  for (const method of ['POST', 'PATCH']) {
    const all = await server.request(method, '/v1/my/account/notifications/read-all', { token });
    seen.push([all.status, Array.isArray(all.body?.data) ? all.body.data.length : undefined]);
  }
  const change = {
    current_password: stranger.user.password,
    new_password: CHANGED_PASSWORD,
    new_password_confirmation: CHANGED_PASSWORD,
  };
  seen.push((await server.request('POST', '/v1/my/account/security/change-password', { token, body: change })).status);
  return seen;
};

/** The owner's view afterwards, even when the other host has started a new session and was retired. */
const lookAround = async ({ server, operator, owner, host, otherHost, terminalId, taskId, running }: Scene) => {
  const seen: unknown[] = [];
  const session = { session_id: otherHost.sessionId, agent_version: '1', platforms: ['sandbox'] };
  const anew = await server.request('POST', '/v1/agent/session', { token: otherHost.credential, body: session });
  seen.push(anew.status, JSON.stringify(anew.body).includes(terminalId));
  for (const id of [otherHost.id, host.id]) {
    const { body } = await server.request('GET', `/v1/operator/hosts/${id}/terminals`, { token: operator.token });
    seen.push(
      (body?.data as { name: string | null }[]).map(({ name }) => name),
      body?.pagination?.total,
    );
  }
  const retired = await server.request('DELETE', `/v1/operator/hosts/${otherHost.id}`, { token: operator.token });
  seen.push(retired.status, (await call(server, owner.token, 'GET', '/v1/my/account/profile')).data.name);
  for (const path of [`${TERMINALS}/${terminalId}`, `${TERMINALS}/${terminalId}/tasks/${taskId}`]) {
    const { status, body } = await server.request('GET', path, { token: owner.token });
    seen.push([status, body?.data?.status, body?.data?.task?.status]);
  }
  const counts = `
    select (select count(*) from tokens where user_id = $1) as tokens, (select count(*) from files where user_id = $1) as files,
      (select count(*) from notifications where user_id = $1 and read_at is null) as unread,
      (select count(*) from projects where user_id = $1) as projects,
      (select count(*) from sign_in_links where user_id = $1) as links,
      (select count(*) from task_leases where task_id = $2) as leases,
      (select count(host_id) from terminals where user_id = $1) as placed,
      (select host_id is not null from tasks where id = $3) as planned_has_host,
      (select status from tasks where id = $2) as running`;
  return [...seen, ...(await runSql(server, counts, [owner.user.id, running.id, taskId]))];
};

const looks: readonly ((scene: Scene) => Promise<unknown>)[] = [
  runAlone,
  useSameAccount,
  crossHosts,
  crossLostDeliveries,
  useExpired,
  useOldCodes,
  crossUsers,
  logInWhenFull,
  lookAround,
];

/**
 * What each look saw, as text; an answer that fails counts as seen too.
 * @param expected of another scene: after the first difference nothing more is tried
 */
export const observe = async (scene: Scene, expected?: readonly string[]): Promise<string[]> => {
  const seen: string[] = [];
  for (const look of looks) {
    const failure = (error: unknown) => (error instanceof Error ? error.message.slice(0, 60) : 'failed');
    const text = JSON.stringify(await look(scene).catch(failure));
    if (expected && text !== expected[seen.length]) return [...seen, text];
    seen.push(text);
  }
  return seen;
};
