/** A host is a stranger's machine: what it says reaches a user, and possibly the next host. */
import { randomUUID } from 'node:crypto';
import { ResultStatus, TaskStatus, TaskType, TerminalStatus, type DeliveredTask } from '@berth/contract';
import { TestHost, toScreenshotFacts, toStep, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { storePassword } from '../src/terminals/secrets.ts';

const server = useTestServer();

const createScene = async (region = 0) => {
  const { token } = await server.register('Owner');
  const host = await TestHost.enrol(server, { region });
  const terminalId = await server.createTerminal(token, { region });
  await host.installAll();
  const path = `/v1/my/trading/terminals/${terminalId}`;
  const read = async (url: string) => (await server.request('GET', url, { token })).body.data;
  const create = (type: number, payload: object = {}) =>
    server.request('POST', `${path}/tasks`, { token, body: { type, payload } });
  /** Creates a task and takes it. */
  const take = async (type: number, payload: object = {}): Promise<DeliveredTask> => {
    await create(type, payload);
    const [task] = await host.claim();
    return task!;
  };
  return {
    token,
    host,
    terminalId,
    readTerminal: () => read(path),
    readDetails: () => read(`${path}?include=details`),
    readTask: async (id: string) => (await read(`${path}/tasks/${id}`)).task,
    listTasks: () => read(`${path}/tasks`),
    create,
    take,
    /** The same, after which nothing is tried again. */
    takeLastAttempt: async (type: number, payload: object = {}): Promise<DeliveredTask> => {
      const task = await take(type, payload);
      await server.query('update tasks set attempts = 3 where id = $1', [task.id]);
      await server.query('update task_leases set fence = 3 where task_id = $1', [task.id]);
      return { ...task, fence: 3 };
    },
  };
};

const lastData = (task: { result: { runner_result: { data: unknown }[] } }) => task.result.runner_result.at(-1)?.data;
const screenshot = Buffer.from('a screenshot');
const size = { width: 800, height: 600 };

it('the screenshot of a task has a link that the server makes, whatever the host says', async () => {
  const { host, take, readTask, listTasks, token } = await createScene();
  const task = await take(6);
  const { file } = await host.upload(task, screenshot);
  const lie = {
    ...toScreenshotFacts(file),
    url: 'https://evil.example/take',
    sha256: 'f'.repeat(64),
    bytes: 1,
    type: 'text/html',
  };
  await host.complete(task, { file: lie, url: 'https://evil.example/take' });
  const url = `${server.url}/v1/my/files/${file.id}/content`;
  const shown = lastData(await readTask(task.id));
  expect(shown).toEqual({ file: { ...toScreenshotFacts(file), url } });
  expect(lastData((await listTasks())[0])).toEqual(shown);
  expect((await server.request('GET', new URL(url).pathname, { token })).bytes.equals(screenshot)).toBe(true);
});

it('the screenshot of a task is left out when another task, another user or nobody uploaded it', async () => {
  const first = await createScene(1);
  const earlier = await first.take(6);
  const { file: ofEarlier } = await first.host.upload(earlier, screenshot);
  await first.host.complete(earlier, { file: toScreenshotFacts(ofEarlier) });
  const second = await createScene(2);
  const foreign = await second.take(6);
  const { file: ofOther } = await second.host.upload(foreign, screenshot);
  const upload = { token: first.token, body: screenshot, headers: { 'content-type': 'image/png' } };
  const { data: own } = (await server.request('POST', '/v1/my/files?name=a.png', upload)).body;
  for (const file of [ofEarlier, ofOther, own, { ...ofEarlier, id: randomUUID() }]) {
    const task = await first.takeLastAttempt(6);
    await first.host.reportDone(task, { file: { ...toScreenshotFacts(file), url: 'https://evil.example' } });
    const shown = await first.readTask(task.id);
    expect([shown.status, lastData(shown)]).toEqual([TaskStatus.FAILED, {}]);
  }
});

it('the screenshot of a task that was stored by an earlier version has its link made anew as well', async () => {
  const { host, take, readTask, listTasks } = await createScene(3);
  const task = await take(6);
  await host.complete(task);
  const id = randomUUID();
  const file = { id, sha256: 'a'.repeat(64), bytes: 9, ...size, type: 'image/png' };
  const data = { file: { ...file, url: 'https://evil.example/take' }, url: 'https://evil.example/take' };
  const result = { runner_result: [toStep({ data, message: 'see https://evil.example' })], status: ResultStatus.OK };
  await server.query('update tasks set result = $2 where id = $1', [task.id, JSON.stringify(result)]);
  for (const shown of [await readTask(task.id), (await listTasks())[0]]) {
    expect(lastData(shown)).toEqual({ file: { ...file, url: `${server.url}/v1/my/files/${id}/content` } });
    expect(JSON.stringify(shown)).not.toContain('://evil');
  }
});

it('other words of a host are one line each, and no path of another kind', async () => {
  const { host, terminalId, take, readTask, readTerminal } = await createScene();
  const reason = 'Look at <a href="https://evil.example">this</a>';
  await host.report({
    kind: 'terminal',
    terminal_id: terminalId,
    status: TerminalStatus.DISCONNECTED,
    reason,
    path: 'https://evil.example',
  });
  expect(await readTerminal()).toMatchObject({
    status_reason: 'Look at ‹a href="https: //evil.example"›this‹/a›',
    path: `/terminals/${terminalId}`,
  });
  const task = await take(14);
  const steps = [toStep({ step: '../x', message: 'a\nb', at: 'soon', data: { symbols: 3, more: 'x' } })];
  await host.report({ kind: 'failed', task_id: task.id, fence: task.fence, steps });
  const [step] = (await readTask(task.id)).result.runner_result;
  expect(step).toMatchObject({ step: 'unnamed', message: 'a b', data: { symbols: 3 } });
  expect(Date.parse(step.at)).toBeGreaterThan(0);
  expect(step.data).not.toHaveProperty('more');
});

it('other words of a host are refused as a whole when a password or a path has several lines, and nothing of them is stored', async () => {
  const { host, terminalId, take, readTask } = await createScene(1);
  const task = await take(11, { server_name: 'S', name: 'N', email: 'n@example.com' });
  for (const ending of ['\n[StartUp]', '\r', '\u2028', '\u0085']) {
    const end = { kind: 'completed', at: 1, task_id: task.id, fence: task.fence, steps: [toStep()] };
    const bad = [
      { ...end, secrets: { password: `p${ending}` } },
      { kind: 'terminal', at: 1, terminal_id: terminalId, status: TerminalStatus.ACTIVE, path: `/srv${ending}` },
    ];
    for (const event of bad) expect((await host.call('report', { events: [event] })).status).toBe(422);
  }
  expect((await readTask(task.id)).status).toBe(2);
});

it('other words of a host do not become the account of a login: that is the one that was asked for', async () => {
  const { host, take, takeLastAttempt, readTerminal } = await createScene(2);
  const login = await takeLastAttempt(9, { login: '9', password: 'other-password', server_name: 'Harbour-Demo' });
  await host.reportDone(login, { login: '666', server_name: 'evil.example:443', connected: true });
  expect(await readTerminal()).toMatchObject({ login: '1', server_name: 'Demo' });
  const demo = { server_name: 'Harbour-Demo', name: 'N', email: 'n@example.com' };
  await host.reportDone(await take(11, demo), { login: '77', server_name: 'evil.example:443' });
  expect(await readTerminal()).toMatchObject({ login: '1', server_name: 'Demo' });
  await host.reportDone(await take(11, demo), { login: '77', server_name: 'Harbour-Demo' });
  expect(await readTerminal()).toMatchObject({ login: '77', server_name: 'Harbour-Demo' });
  expect((await take(9)).secrets).toEqual({ password: 'secret-password' });
});

it('whether experts may trade is shown only with details', async () => {
  const { host, terminalId, readTerminal, token } = await createScene(1);
  const path = `/v1/my/trading/terminals/${terminalId}`;
  const ask = (include: string) => server.request('GET', `${path}?include=${include}`, { token });
  const before = Object.keys(await readTerminal());
  const unknown = { trading_allowed: null, trading_reason: null };
  expect((await ask('details')).body.data).toMatchObject(unknown);
  const trading = { trading_allowed: false, trading_reason: 'investor_password' } as const;
  await host.report({ kind: 'terminal', terminal_id: terminalId, status: TerminalStatus.ACTIVE, ...trading });
  expect((await ask('details')).body.data).toMatchObject(trading);
  expect(Object.keys(await readTerminal())).toEqual(before);
  expect(before.filter((key) => key.startsWith('trading'))).toEqual([]);
  // A report of an older agent says nothing of it, and changes nothing.
  await host.report({ kind: 'terminal', terminal_id: terminalId, status: TerminalStatus.ACTIVE });
  expect((await ask('details')).body.data).toMatchObject(trading);
  await host.report({ kind: 'terminal', terminal_id: terminalId, status: TerminalStatus.STOPPED, ...unknown });
  expect((await ask('details')).body.data).toMatchObject(unknown);
  expect((await ask('everything')).status).toBe(422);
  const foreign = await server.register('Other');
  expect((await server.request('GET', `${path}?include=everything`, { token: foreign.token })).status).toBe(404);
});

const off = { trading_allowed: false, trading_reason: 'terminal_switch' } as const;
const on = { trading_allowed: true, trading_reason: null } as const;
const toObservation = (id: string, trading: typeof off | typeof on) => ({
  kind: 'terminal' as const,
  terminal_id: id,
  status: TerminalStatus.ACTIVE,
  ...trading,
});

it.each([
  ['alone', [], [], off],
  ['after an older word about its terminal', [on], [], off],
  ['before a newer word about its terminal', [on], [on], on],
])('a switch of trading says at once, %s, whether experts may trade', async (_case, before, after, expected) => {
  const { host, take, terminalId, readDetails } = await createScene();
  await host.report(toObservation(terminalId, on));
  const { id, fence } = await take(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
  const steps = [toStep({ data: { enabled: false, verified: true, ...off } })];
  const verdicts = await host.report(
    { kind: 'started', task_id: id, fence },
    ...before.map((trading) => toObservation(terminalId, trading)),
    { kind: 'completed', task_id: id, fence, steps },
    ...after.map((trading) => toObservation(terminalId, trading)),
  );
  expect(new Set(verdicts)).toEqual(new Set(['accepted']));
  expect(await readDetails()).toMatchObject(expected);
});

it('a switch of trading that failed says what was seen', async () => {
  const { host, take, terminalId, readDetails, readTask } = await createScene();
  await host.report(toObservation(terminalId, off));
  const { id, fence } = await take(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 });
  const data = { enabled: true, verified: false, ...on };
  const steps = [toStep({ ok: false, code: 'E_UNSUPPORTED', data })];
  await host.report({ kind: 'started', task_id: id, fence }, { kind: 'failed', task_id: id, fence, steps });
  expect((await readTask(id)).status).toBe(TaskStatus.FAILED);
  expect(await readDetails()).toMatchObject(on);
});

const login = (password: string) => ({ login: '9', password, server_name: 'Demo' });
const refused = toStep({ ok: false, code: 'E_AUTH', message: 'Refused.' });

it.each([
  ['both work', 'completed', 'completed', 'second'],
  ['the second is refused', 'completed', 'failed', 'first'],
  ['the first is refused', 'failed', 'completed', 'second'],
  ['both are refused', 'failed', 'failed', 'secret-password'],
] as const)(
  'two logins that wait one behind the other leave the right password when %s',
  async (_, one, two, expected) => {
    const { host, create, take } = await createScene(0);
    await create(9, login('first'));
    await create(9, login('second'));
    for (const [kind, password] of [
      [one, 'first'],
      [two, 'second'],
    ] as const) {
      const [task] = await host.claim();
      expect(task?.secrets).toEqual({ password });
      const steps = [
        kind === 'failed' ? refused : toStep({ data: { login: '9', server_name: 'Demo', connected: true } }),
      ];
      const end = { kind, task_id: task!.id, fence: task!.fence, steps };
      expect(await host.report({ kind: 'started', task_id: task!.id, fence: task!.fence }, end)).toEqual([
        'accepted',
        'accepted',
      ]);
    }
    const next = await take(9);
    expect(next.secrets).toEqual({ password: expected });
    await host.complete(next);
  },
);

it('a stored password of several lines, from before they were refused, is not delivered to any host', async () => {
  const { host, terminalId, take } = await createScene(3);
  const { db, vault } = server.services;
  await storePassword(db, vault, terminalId, 'p\r\n[StartUp]\r\nScript=evil');
  const task = await take(9);
  expect(task).toMatchObject({ type: TaskType.ACCOUNT_LOGIN, secrets: {} });
  await host.complete(task);
});
