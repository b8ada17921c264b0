/** Tasks that are created before their terminal is installed: they wait behind the installation, whatever becomes of it. */
import { HostStatus, ResultStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { TestHost, toStep, patientTimes, waitFor, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { Tidying } from '../src/scheduler/tidying.ts';
import { failLongWaiting } from '../src/deployment/waiting.ts';

// The slow part of a tick comes with every thirtieth.
const server = useTestServer({ config: { times: { ...patientTimes, tickMs: 50 } } });
let operator: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
});

const query: TestServer['query'] = (text, values) => server.query(text, values);

interface Scene {
  token: string;
  terminalId: string;
  createTask: (type: TaskType) => Promise<string>;
  read: (taskId: string) => Promise<Record<string, any>>;
  readTerminal: () => Promise<Record<string, any>>;
}

/** A terminal that was created a moment ago. No host but those that a test enrols afterwards, or before, is there. */
const createScene = async (): Promise<Scene> => {
  const { token } = await server.register('Early Bird');
  const terminalId = await server.createTerminal(token);
  const path = `/v1/my/trading/terminals/${terminalId}`;
  return {
    token,
    terminalId,
    createTask: async (type) =>
      (await server.request('POST', `${path}/tasks`, { token, body: { type } })).body.data.id as string,
    read: async (taskId) => (await server.request('GET', `${path}/tasks/${taskId}`, { token })).body.data.task,
    readTerminal: async () => (await server.request('GET', path, { token })).body.data,
  };
};

const retireAll = () => query(`update hosts set status = ${HostStatus.RETIRED}`);
const enrol = async (name: string): Promise<TestHost> => {
  await retireAll();
  return TestHost.enrol(server, { name });
};

const fail = (host: TestHost, { id, fence }: { id: string; fence: number }, message: string) =>
  host.report(
    { kind: 'started', task_id: id, fence },
    { kind: 'failed', task_id: id, fence, steps: [toStep({ ok: false, code: 'E_DISK', message })] },
  );

const notInstalled = (reason: string) => ({
  status: TaskStatus.FAILED,
  result: {
    status: ResultStatus.FAILED,
    runner_result: [
      expect.objectContaining({ ok: false, code: 'E_NOT_RUNNING', message: expect.stringContaining(reason) }),
    ],
  },
});

it('a task for a terminal that is not installed yet waits behind the installation and is then carried out, created without a host or with one', async () => {
  await retireAll();
  const { terminalId, createTask, read, readTerminal } = await createScene();
  const early = await createTask(TaskType.SCREENSHOT);
  expect(await read(early)).toMatchObject({ status: TaskStatus.PENDING, host_id: null });

  const host = await TestHost.enrol(server, { name: 'late' });
  await waitFor(async () => (await readTerminal()).server_id === host.id, { what: 'the place' });
  expect((await read(early)).host_id).toBe(host.id);
  const [install, ...others] = await host.claim();
  expect([install?.type, others]).toEqual([TaskType.TERMINAL_INSTALL, []]);
  await host.report({ kind: 'terminal', terminal_id: terminalId, status: TerminalStatus.INSTALLING });
  const later = await createTask(TaskType.EA_LOGS);
  expect(await host.claim(100, 0)).toEqual([]);

  await host.complete(install!, { path: '/terminals/x', build: 1 });
  for (const id of [early, later]) {
    const [task] = await host.claim();
    expect(task!.id).toBe(id);
    await host.complete(task!);
    expect((await read(id)).status).toBe(TaskStatus.COMPLETED);
  }
});

it('a task for a terminal that is not installed yet fails with the reason when the installation does, and its host never sees it', async () => {
  const host = await enrol('full disk');
  const { createTask, read, readTerminal } = await createScene();
  const ids = [await createTask(TaskType.SCREENSHOT), await createTask(TaskType.EA_LOGS)];
  const [install] = await host.claim();
  await fail(host, install!, 'The disk is full.');
  for (const id of ids) expect(await read(id)).toMatchObject(notInstalled('The disk is full.'));
  expect((await readTerminal()).status).toBe(TerminalStatus.FAILED);
  expect(await host.claim(100, 0)).toEqual([]);
});

it('a task for a terminal that is not installed yet is carried out when only the login failed: the terminal is there', async () => {
  const host = await enrol('wrong password');
  const { terminalId, createTask } = await createScene();
  const id = await createTask(TaskType.ACCOUNT_LOGIN);
  const [install] = await host.claim();
  await host.report({
    kind: 'terminal',
    terminal_id: terminalId,
    status: TerminalStatus.LOGIN_FAILED,
    path: '/terminals/x',
  });
  await fail(host, install!, 'The broker refused the password.');
  expect((await host.claim()).map((task) => task.id)).toEqual([id]);
});

it('a task for a terminal that is not installed yet is canceled when the terminal is deleted, with a host and without one', async () => {
  await enrol('with a host');
  const placed = await createScene();
  await retireAll();
  const waiting = await createScene();
  for (const { token, terminalId, createTask, read } of [placed, waiting]) {
    const id = await createTask(TaskType.SCREENSHOT);
    await server.request('DELETE', `/v1/my/trading/terminals/${terminalId}`, { token });
    expect((await read(id)).status).toBe(TaskStatus.CANCELED);
  }
});

it('a task for a terminal that is not installed yet fails when the terminal is given up, because no host had a place for it', async () => {
  await retireAll();
  const { terminalId, createTask, read } = await createScene();
  const id = await createTask(TaskType.SCREENSHOT);
  await query(`update terminals set waiting_since = now() - interval '25 hours' where id = $1`, [terminalId]);
  const { db, ends } = server.services;
  await db.transaction((tx) => failLongWaiting({ tx, ends, now: new Date() }, 24, 500));
  expect(await read(id)).toMatchObject(notInstalled('No host had a place'));
});

it('a host that is gone for good hands the terminal on: it is installed elsewhere before what waited, in the order of creation', async () => {
  const host = await enrol('first');
  const { createTask, read } = await createScene();
  const ids = [await createTask(TaskType.SCREENSHOT), await createTask(TaskType.EA_LOGS)];
  const [install] = await host.claim();
  await host.complete(install!, { path: '/terminals/x', build: 1 });
  const next = await TestHost.enrol(server, { name: 'second' });
  await server.request('DELETE', `/v1/operator/hosts/${host.id}`, { token: operator });

  const [again, ...others] = await next.claim();
  expect([again?.type, others]).toEqual([TaskType.TERMINAL_INSTALL, []]);
  await next.complete(again!, { path: '/terminals/y', build: 1 });
  for (const id of ids) {
    const [task] = await next.claim();
    expect(task!.id).toBe(id);
    await next.complete(task!);
    expect((await read(id)).status).toBe(TaskStatus.COMPLETED);
  }
});

it('a host that is gone for an hour fails what waits, also where the terminal is UNREACHABLE', async () => {
  const host = await enrol('silent');
  const scenes = [await createScene(), await createScene()] as const;
  const ids = await Promise.all(scenes.map(({ createTask }) => createTask(TaskType.SCREENSHOT)));
  await host.report({ kind: 'terminal', terminal_id: scenes[1].terminalId, status: TerminalStatus.INSTALLING });
  await query(`update terminals set status = ${TerminalStatus.UNREACHABLE} where id = $1`, [scenes[1].terminalId]);
  await query(
    `update tasks set status = ${TaskStatus.QUEUED}, state_since = now() - interval '2 hours' where type = ${TaskType.TERMINAL_INSTALL} and host_id = $1`,
    [host.id],
  );
  const readAll = () => Promise.all(scenes.map(({ read }, index) => read(ids[index]!)));
  await waitFor(async () => (await readAll()).every(({ status }) => status === TaskStatus.FAILED), {
    what: 'the end of what waited',
  });
  for (const task of await readAll()) expect(task).toMatchObject(notInstalled('No host took the task'));
});

/** The server tidies up as well: while it does, a round of ours does nothing. */
const tidyUntil = async (isDone: () => Promise<boolean>, what: string): Promise<void> => {
  const tidying = new Tidying(server.services);
  await waitFor(() => tidying.tidy().then(isDone), { what });
};

it('a task that slipped in while its terminal got a host, or another one, follows it there', async () => {
  const host = await enrol('new place');
  const { createTask, read } = await createScene();
  const ids = [await createTask(TaskType.SCREENSHOT), await createTask(TaskType.EA_LOGS)];
  const [retired] = await query(`select id from hosts where status = ${HostStatus.RETIRED} limit 1`);
  await query('update tasks set host_id = null where id = $1', [ids[0]]);
  await query('update tasks set host_id = $2 where id = $1', [ids[1], retired!.id]);
  await tidyUntil(async () => {
    const tasks = await Promise.all(ids.map(read));
    return tasks.every((task) => task.host_id === host.id);
  }, 'tasks that follow their terminal');
});

it('a task that slipped in while its terminal was being destroyed is canceled, but not the destruction', async () => {
  await enrol('last place');
  const { terminalId, createTask, read } = await createScene();
  const slipped = await createTask(TaskType.SCREENSHOT);
  const destruction = await createTask(TaskType.EA_LOGS);
  await query(`update tasks set type = ${TaskType.TERMINAL_DESTROY} where id = $1`, [destruction]);
  await query(`update terminals set status = ${TerminalStatus.DESTROYING} where id = $1`, [terminalId]);
  await tidyUntil(async () => (await read(slipped)).finished_at !== null, 'the end of what slipped in');
  expect((await read(slipped)).status).toBe(TaskStatus.CANCELED);
  expect((await read(destruction)).finished_at).toBeNull();
});

it('a task that slipped in while the installation of its terminal failed ends as the others did', async () => {
  const host = await enrol('too late');
  const { terminalId, createTask, read } = await createScene();
  const id = await createTask(TaskType.SCREENSHOT);
  const [install] = await host.claim();
  await fail(host, install!, 'No space.');
  await query(`update terminals set status = ${TerminalStatus.INSTALLING} where id = $1`, [terminalId]);
  const slipped = await createTask(TaskType.SCREENSHOT);
  await query(`update terminals set status = ${TerminalStatus.FAILED} where id = $1`, [terminalId]);
  await tidyUntil(async () => (await read(slipped)).finished_at !== null, 'the end of what slipped in');
  for (const task of [id, slipped]) expect(await read(task)).toMatchObject(notInstalled('No space.'));
});
