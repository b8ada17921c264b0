/** Hosts that are taken out of service: cordoned, limited, drained; and the tokens with which they join. */
import {
  TaskStatus,
  TaskType,
  TerminalStatus,
  type HostDetails,
  type JoinTokenRecord,
  type ObservableStatus,
} from '@berth/contract';
import { TestHost, waitFor, useTestServer, withClient } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { askToStop } from '../src/deployment/drain.ts';
import { reserveHost } from '../src/deployment/placement.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' }, without: ['drains of hosts'] });
let operator: string;
let owner: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
  owner = (await server.register('Owner')).token;
});
beforeEach(() => server.query('truncate terminals, hosts, tasks, task_leases cascade'));

const HOSTS = '/v1/operator/hosts';
const send = (method: string, path: string, body?: unknown) =>
  server.request(method, path, { token: operator, ...(body === undefined ? {} : { body }) });
const patch = (host: TestHost, body: unknown) => send('PATCH', `${HOSTS}/${host.id}`, body);
const drain = (host: TestHost, body: object = {}) =>
  send('POST', `${HOSTS}/${host.id}/drain`, { terminals: 'stop', ...body });
const endDrain = (host: TestHost, query = '') => send('DELETE', `${HOSTS}/${host.id}/drain${query}`);
const read = async (host: TestHost) => {
  const { body } = await send('GET', `${HOSTS}?include=details`);
  return (body.data as HostDetails[]).find(({ id }) => id === host.id)!;
};
const listLeft = async (host: TestHost) => (await read(host)).drain?.left;

const create = () => server.createTerminal(owner);
const findTerminal = async (id: string) =>
  (await server.request('GET', `/v1/my/trading/terminals/${id}`, { token: owner })).body.data;
const findHost = async (id: string) => (await findTerminal(id)).server_id as string | null;
const ask = (id: string, type: TaskType) =>
  server.request('POST', `/v1/my/trading/terminals/${id}/tasks`, { token: owner, body: { type } });
const listTasks = (id: string) =>
  server.query('select type, status, actor from tasks where terminal_id = $1 and finished_at is null', [id]);
const tell = (host: TestHost, id: string, status: ObservableStatus) =>
  host.report({ kind: 'terminal', terminal_id: id, status });

/** A host with terminals that trade. */
const createHost = async (terminals = 0) => {
  const host = await TestHost.enrol(server, { capacity: 10 });
  const ids: string[] = [];
  for (let number = 0; number < terminals; number += 1) ids.push(await create());
  if (terminals > 0) await host.installAll();
  return { host, ids };
};
const stopping = () => askToStop(server.services);

it('a host is renamed, and takes as many terminals as its operator says, or as its memory has room for', async () => {
  const { host } = await createHost();
  expect((await patch(host, { capacity: null })).body.errors).toHaveProperty('capacity');
  expect((await patch(host, { capacity: 0 })).status).toBe(422);
  expect((await patch(host, { capacity: 3, name: 'quay' })).body.data).toMatchObject({ name: 'quay', places: 3 });
  const facts = { memory_total_mb: 8_192, memory_available_mb: 4_096, memory_capacity: 2, offers: [] };
  await host.startSession(facts);
  expect(await read(host)).toMatchObject({ capacity: 3, places: 2 });
  expect((await patch(host, { capacity: null })).body.data).toMatchObject({
    capacity: null,
    places: 2,
    name: 'quay',
  });
  expect([await findHost(await create()), await findHost(await create())]).toEqual([host.id, host.id]);
  expect(await findHost(await create())).toBeNull();
  // Nobody says any more how many terminals it takes: it takes none.
  await host.startSession();
  expect(await read(host)).toMatchObject({ capacity: null, places: 0 });
});

it('a cordoned host gets no new terminal, counts for no free slot, and its terminals go on', async () => {
  const { host, ids } = await createHost(1);
  expect((await patch(host, { cordoned: true })).body.data).toMatchObject({ cordoned: true, drain: null });
  const waiting = await create();
  expect(await findHost(waiting)).toBeNull();
  expect((await ask(ids[0]!, TaskType.TERMINAL_RESTART)).body.ok).toBe(true);
  const { body } = await send('GET', '/v1/operator/overview');
  expect(body.data.regions[0]).toMatchObject({ capacity: 10, held: 1, free: 0, waiting: 1 });
  await patch(host, { cordoned: false });
  await waitFor(async () => (await findHost(waiting)) === host.id, { what: 'the place' });
});

it('a placement that waited for a cordon finds the host closed', async () => {
  const { host } = await createHost();
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query('update hosts set cordoned_at = now() where id = $1', [host.id]);
    const placed = server.services.db.transaction((tx) => reserveHost(tx, 0, 'sandbox'));
    const isBlocked = async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%terminal_count + 1%'`;
      return (await server.query(text)).length > 0;
    };
    await waitFor(isBlocked, { what: 'the placement that waits' });
    await client.query('commit');
    expect(await placed).toBeUndefined();
  });
  expect(await read(host)).toMatchObject({ terminals: 0 });
});

it('a retired host is not changed, and an unknown one is not found', async () => {
  const { host } = await createHost();
  await send('DELETE', `${HOSTS}/${host.id}`);
  expect([(await patch(host, { name: 'gone' })).status, (await drain(host)).status]).toEqual([404, 404]);
  expect((await send('PATCH', `${HOSTS}/not-an-id`, {})).status).toBe(404);
});

it('a drain stops the terminals, says what is left and why, and keeps them down until it ends', async () => {
  const { host, ids } = await createHost(2);
  const [first, second] = ids as [string, string];
  const { body } = await drain(host, { deadline_minutes: 30 });
  expect(body.data).toMatchObject({
    cordoned: true,
    drain: { terminals: 'stop', left: [{ why: 'stopping', terminals: 2 }] },
  });
  const { started_at: start, deadline_at: end } = body.data.drain;
  expect(Date.parse(end as string) - Date.parse(start as string)).toBe(30 * 60_000);
  await stopping();
  const stops = await host.claim(10);
  expect(stops.map(({ type }) => type)).toEqual([TaskType.TERMINAL_STOP, TaskType.TERMINAL_STOP]);
  await host.complete(stops.find((task) => task.terminal.id === first)!);
  await tell(host, first, TerminalStatus.STOPPED);
  expect(await listLeft(host)).toEqual([{ why: 'stopping', terminals: 1 }]);
  for (const type of [TaskType.TERMINAL_START, TaskType.TERMINAL_RESTART, TaskType.ACCOUNT_LOGIN]) {
    const refused = await ask(first, type);
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'host_draining']);
  }
  expect((await patch(host, { cordoned: false })).headers.get('x-error-code')).toBe('host_draining');
  const listed = await send('GET', `${HOSTS}/${host.id}/terminals`);
  expect(listed.body.data).toMatchObject([
    { id: first, left_because: null },
    { id: second, left_because: 'stopping' },
  ]);
  await stopping();
  expect(await host.claim(10, 0)).toEqual([]);
  expect((await endDrain(host, '?uncordon=true')).body.data).toMatchObject({ cordoned: false, drain: null });
  expect((await findTerminal(first)).status).toBe(TerminalStatus.STOPPED);
  expect((await ask(first, TaskType.TERMINAL_START)).body.ok).toBe(true);
});

it('installations that nobody has begun go back to the queue of the region with their tasks; others end first', async () => {
  const { host } = await createHost();
  const [begun, waiting] = [await create(), await create()];
  await ask(waiting, TaskType.SCREENSHOT);
  const claimed = await host.claim(1);
  const [first] = claimed;
  const [here, away] = first!.terminal.id === begun ? [begun, waiting] : [waiting, begun];
  await drain(host);
  expect(await findTerminal(away)).toMatchObject({ server_id: null, status: TerminalStatus.PENDING });
  expect((await findTerminal(away)).status_reason).toContain('waits for another host');
  expect(await read(host)).toMatchObject({ terminals: 1, drain: { left: [{ why: 'installing', terminals: 1 }] } });
  // An agent that was started again reports a stopped terminal before the installation goes on.
  await tell(host, here, TerminalStatus.STOPPED);
  expect(await listLeft(host)).toEqual([{ why: 'installing', terminals: 1 }]);
  await stopping();
  expect(await listTasks(here)).toMatchObject([{ type: TaskType.TERMINAL_INSTALL }]);
  const other = await TestHost.enrol(server, { name: 'other' });
  await waitFor(async () => (await findHost(away)) === other.id, { what: 'the other host' });
  expect((await other.claim(10)).map(({ type }) => type)).toEqual([TaskType.TERMINAL_INSTALL]);
  // What was begun is finished, and then stopped.
  await host.complete(first!, { path: '/terminals/1', build: 1 });
  await tell(host, here, TerminalStatus.ACTIVE);
  await stopping();
  expect((await host.claim(10)).map(({ type }) => type)).toEqual([TaskType.TERMINAL_STOP]);
});

it('a stop that fails or that its user cancels is named, and asked for again later', async () => {
  const { host, ids } = await createHost(1);
  await drain(host, { deadline_minutes: 1 });
  await stopping();
  const [{ id: taskId } = { id: '' }] = await server.query('select id from tasks where type = $1', [
    TaskType.TERMINAL_STOP,
  ]);
  const path = `/v1/my/trading/terminals/${ids[0]!}/tasks/${taskId as string}/cancel`;
  expect((await server.request('POST', path, { token: owner })).body.ok).toBe(true);
  expect(await listLeft(host)).toEqual([{ why: 'not_stopped', terminals: 1 }]);
  await stopping();
  expect(await listTasks(ids[0]!)).toEqual([]);
  await server.query(`update tasks set finished_at = finished_at - interval '6 minutes'`);
  // Nothing is ended by force after the deadline: it goes on as before.
  await server.query(`update hosts set drain_deadline_at = now() - interval '1 minute'`);
  await stopping();
  expect(await listTasks(ids[0]!)).toMatchObject([{ type: TaskType.TERMINAL_STOP }]);
  expect(await listLeft(host)).toEqual([{ why: 'stopping', terminals: 1 }]);
});

it('a task that runs holds up the stop, and is named as what it waits for', async () => {
  const { host, ids } = await createHost(1);
  await server.request('POST', `/v1/my/trading/terminals/${ids[0]!}/tasks`, {
    token: owner,
    body: { type: TaskType.ACCOUNT_OPEN_DEMO, payload: { server_name: 'Demo', name: 'A', email: 'a@example.com' } },
  });
  const [running] = await host.claim(1);
  await host.report({ kind: 'started', task_id: running!.id, fence: running!.fence });
  await drain(host);
  await stopping();
  expect(await listLeft(host)).toEqual([{ why: 'task_running', terminals: 1 }]);
});

it('a host that is lost in the middle keeps what was not stopped, and goes on when it is back, with a new session too', async () => {
  const { host, ids } = await createHost(1);
  await drain(host);
  await server.query(`update hosts set status = 2`);
  await server.query(`update terminals set status = $1`, [TerminalStatus.UNREACHABLE]);
  await stopping();
  expect([await listTasks(ids[0]!), await listLeft(host)]).toEqual([[], [{ why: 'unreachable', terminals: 1 }]]);
  await host.startSession();
  await tell(host, ids[0]!, TerminalStatus.ACTIVE);
  await stopping();
  expect(await listTasks(ids[0]!)).toMatchObject([{ type: TaskType.TERMINAL_STOP, actor: 'service' }]);
});

it('two servers that ask at once, or one that is killed before it notes what it asked, ask each terminal once', async () => {
  const { host, ids } = await createHost(3);
  await drain(host);
  await Promise.all([stopping(), stopping(), stopping()]);
  await stopping();
  for (const id of ids) expect(await listTasks(id)).toHaveLength(1);
  // A transaction that is rolled back leaves neither tasks nor notes.
  await server.query('update terminals set drain_task_id = null');
  await server.query('delete from tasks');
  const died = server.services.db.transaction(async (tx) => {
    const db = { transaction: (run: (within: typeof tx) => Promise<unknown>) => run(tx) } as never;
    await askToStop({ ...server.services, db });
    throw new Error('killed');
  });
  await expect(died).rejects.toThrow('killed');
  expect(await listTasks(ids[0]!)).toEqual([]);
  await stopping();
  expect(await listTasks(ids[0]!)).toHaveLength(1);
});

it('the end of a drain, or the retirement of the host, takes back what the host has not begun to stop', async () => {
  const { host, ids } = await createHost(1);
  await drain(host);
  await stopping();
  expect((await endDrain(host)).body.data).toMatchObject({ cordoned: true, drain: null });
  expect(await listTasks(ids[0]!)).toEqual([]);
  await drain(host);
  await stopping();
  const other = await TestHost.enrol(server, { name: 'other' });
  await send('DELETE', `${HOSTS}/${host.id}`);
  await waitFor(async () => (await findHost(ids[0]!)) === other.id, { what: 'the other host' });
  expect(await listTasks(ids[0]!)).toMatchObject([{ type: TaskType.TERMINAL_INSTALL }]);
  expect(await read(host)).toMatchObject({ drain: null });
});

it('a drain cancels what would start terminals again, and a run of starts fails by terminal with the reason', async () => {
  const { host, ids } = await createHost(2);
  await tell(host, ids[0]!, TerminalStatus.STOPPED);
  await tell(host, ids[1]!, TerminalStatus.STOPPED);
  const started = (await ask(ids[0]!, TaskType.TERMINAL_START)).body.data.id as string;
  await drain(host);
  const [task] = await server.query('select status, actor from tasks where id = $1', [started]);
  expect(task).toEqual({ status: TaskStatus.CANCELED, actor: 'operator' });
  const bulk = await server.request('POST', '/v1/my/trading/terminals/bulk/tasks', {
    token: owner,
    body: { terminal_ids: ids, type: TaskType.TERMINAL_START },
  });
  expect(bulk.body.data).toMatchObject(ids.map((id) => ({ terminal_id: id, ok: false, task_id: null })));
  expect(bulk.body.data[0].msg).toContain('being drained');
  expect(await listLeft(host)).toEqual([]);
});

it('terminals that are to stay go on and may be started, on a host that gets no others', async () => {
  const { host, ids } = await createHost(1);
  await drain(host);
  await stopping();
  await drain(host, { terminals: 'stay' });
  expect(await listTasks(ids[0]!)).toEqual([]);
  expect(await listLeft(host)).toEqual([{ why: 'staying', terminals: 1 }]);
  await stopping();
  expect(await listTasks(ids[0]!)).toEqual([]);
  expect((await ask(ids[0]!, TaskType.TERMINAL_RESTART)).body.ok).toBe(true);
  expect(await findHost(await create())).toBeNull();
});

const TOKENS = '/v1/operator/join-tokens';
const issue = async (name: string) => (await send('POST', TOKENS, { region: 0, name })).body.data.join_token as string;
const list = async () => (await send('GET', TOKENS)).body.data as JoinTokenRecord[];

it('a join token is listed without its secret, with the host that used it, and enrols one host', async () => {
  const token = await issue('attic');
  const host = await TestHost.join(server, token);
  const [used] = await list();
  expect(used).toMatchObject({ id: token.split('|')[0], name: 'attic', region: 0, capacity: 20, host_id: host.id });
  expect(JSON.stringify(used)).not.toContain(token.split('|')[1]);
  const again = { join_token: token, platforms: ['sandbox'] };
  expect((await server.request('POST', '/v1/agent/enrol', { body: again })).status).toBe(401);
  expect((await send('DELETE', `${TOKENS}/${used!.id}`)).status).toBe(404);
});

it('a join token that is revoked enrols nobody', async () => {
  const token = await issue('cellar');
  const { status } = await send('DELETE', `${TOKENS}/${token.split('|')[0]!}`);
  expect(status).toBe(200);
  const body = { join_token: token, platforms: ['sandbox'] };
  expect((await server.request('POST', '/v1/agent/enrol', { body })).status).toBe(401);
  expect((await list()).map(({ name }) => name)).not.toContain('cellar');
});
