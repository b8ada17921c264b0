/** Automatic screenshots: when it is whose turn, what they never do, and what bounds them. */
import { HostStatus, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { EventReader, farAhead, TestHost, toScreenshotFacts, waitFor, useTestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';
import { AutomaticScreenshots, toKeptMinutes } from '../src/scheduler/automatic-screenshots.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox', storageLimits: new Map([[0, 1]]) } });
beforeEach(() =>
  server.query(
    `update hosts set status = ${HostStatus.RETIRED}; delete from screenshot_turns; delete from automatic_screenshots`,
  ),
);

const TERMINALS = '/v1/my/trading/terminals';
const MIB = 1024 * 1024;

const takeTurns = () => new AutomaticScreenshots(server.services).takeTurns();

/** As if the next turn of every terminal had come. */
const comeTurns = () => server.query(`update screenshot_turns set next_at = now() - interval '1 second'`);

/** A user with an ACTIVE terminal on a host of their own. */
const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const host = await TestHost.enrol(server, { name: `host-${user.id}` });
  const account = { server_name: 'Demo', login: '1', password: 'x', region: 0 };
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const { id } = (await send('POST', TERMINALS, account)).body.data as { id: string };
  await host.installAll();
  const path = `${TERMINALS}/${id}`;
  const setEvery = (minutes: unknown) => send('PATCH', path, { screenshot_every_minutes: minutes });
  const listScreenshots = async () =>
    (await send('GET', `${path}/tasks?type=${TaskType.SCREENSHOT}`)).body.data as { id: string; status: number }[];
  return { token, user, host, id, path, send, setEvery, listScreenshots };
};

it('the setting of automatic screenshots is none at first, stands in the details, and is taken back by 0 and by null', async () => {
  const { send, path, setEvery } = await createOwner();
  const read = async () => (await send('GET', `${path}?include=details`)).body.data.screenshot_every_minutes;
  const list = async () => (await send('GET', `${TERMINALS}?include=details`)).body.data[0].screenshot_every_minutes;
  expect([await read(), await list()]).toEqual([null, null]);
  const { status, body } = await setEvery(15);
  expect([status, body.data.screenshot_every_minutes, await read(), await list()]).toEqual([200, 15, 15, 15]);
  await send('PATCH', path, { name: 'Renamed' });
  expect(await read()).toBe(15);
  for (const off of [0, null]) {
    await setEvery(5);
    expect((await setEvery(off)).body.data.screenshot_every_minutes).toBe(null);
    expect(await read()).toBe(null);
  }
  expect((await send('GET', path)).body.data).not.toHaveProperty('screenshot_every_minutes');
});

it.each([-1, 1441, 1.5, '5', true])(
  'the setting of automatic screenshots is refused with %j, and nothing changes',
  async (minutes) => {
    const { send, path, setEvery } = await createOwner();
    await setEvery(7);
    const { status, body } = await setEvery(minutes);
    expect([status, Object.keys(body.errors)]).toEqual([422, ['screenshot_every_minutes']]);
    expect((await send('GET', `${path}?include=details`)).body.data.screenshot_every_minutes).toBe(7);
  },
);

it('the setting of automatic screenshots is announced to other readers of the account, as is the resulting screenshot', async () => {
  const { token, id, setEvery, host } = await createOwner();
  const reader = await EventReader.open(server.url, token);
  try {
    await waitFor(() => reader.events[0]?.event === 'ready', { what: 'ready' });
    const waitForEvents = (count: number) =>
      waitFor(() => reader.dataOf('terminal').length >= count, { what: `${count} events of the terminal` });
    await setEvery(15);
    await waitForEvents(1);
    await takeTurns();
    const task = (await host.claim())[0]!;
    const { file } = await host.upload(task, Buffer.from('screenshot'));
    await host.complete(task, { file: toScreenshotFacts(file) });
    await waitForEvents(2);
    expect(reader.dataOf('terminal').every((data) => data.id === id)).toBe(true);
  } finally {
    reader.close();
  }
});

it('an automatic screenshot is an ordinary task, at once and then at every turn', async () => {
  const { setEvery, listScreenshots, host } = await createOwner();
  await setEvery(30);
  await takeTurns();
  await takeTurns();
  expect(await listScreenshots()).toHaveLength(1);
  await host.complete((await host.claim())[0]!);
  await takeTurns();
  expect(await listScreenshots()).toHaveLength(1);
  await comeTurns();
  await takeTurns();
  expect(await listScreenshots()).toHaveLength(2);
  const [turn] = await server.query(
    `select extract(epoch from next_at - now()) / 60 between 29 and 30 as is_later from screenshot_turns`,
  );
  expect(turn!.is_later).toBe(true);
});

it('an automatic screenshot is not taken a second time when the setting comes and goes', async () => {
  const { setEvery, listScreenshots, host } = await createOwner();
  for (const minutes of [5, 0, 1, null, 60]) {
    await setEvery(minutes);
    await takeTurns();
    for (const task of await host.claim(100, 0)) await host.complete(task);
  }
  expect(await listScreenshots()).toHaveLength(1);
});

it('an automatic screenshot waits for nobody and holds up nobody: where something is to be done, the turn is passed over', async () => {
  const { setEvery, listScreenshots, send, path, host } = await createOwner();
  await send('POST', `${path}/tasks`, { type: TaskType.EA_LOGS });
  await setEvery(1);
  await takeTurns();
  expect(await listScreenshots()).toEqual([]);
  await host.complete((await host.claim())[0]!);
  // What is planned for later is not in the way.
  await send('POST', `${path}/tasks`, { type: TaskType.EA_LOGS, planned_at: farAhead });
  await comeTurns();
  for (let round = 0; round < 3; round += 1) {
    await takeTurns();
    await comeTurns();
  }
  expect(await listScreenshots()).toHaveLength(1);
});

it.each([
  ['a terminal that is stopped', `update terminals set status = ${TerminalStatus.STOPPED}`],
  ['a terminal whose host is away', `update hosts set status = ${HostStatus.LOST}`],
  ['a terminal without a host', `update terminals set host_id = null`],
  ['a terminal that is gone', `update terminals set deleted_at = now()`],
])('an automatic screenshot is not taken of %s', async (_, change) => {
  const { setEvery, listScreenshots } = await createOwner();
  await setEvery(1);
  await server.query(change);
  await takeTurns();
  expect(await listScreenshots()).toEqual([]);
  await server.query('update terminals set deleted_at = now() where deleted_at is null');
});

it('an automatic screenshot comes although a clock that was ahead left a turn that is days away', async () => {
  const { setEvery, listScreenshots } = await createOwner();
  await setEvery(1);
  await server.query(`update screenshot_turns set next_at = now() + interval '3 days'`);
  await takeTurns();
  expect(await listScreenshots()).toHaveLength(1);
});

it('an automatic screenshot that fails is nobody’s news', async () => {
  const { setEvery, host, send } = await createOwner();
  const readTypes = async () =>
    ((await send('GET', '/v1/my/account/notifications?per_page=100')).body.data as { type: string }[]).filter(
      ({ type }) => type.endsWith('TaskFailed'),
    );
  const fail = async () => {
    const task = (await host.claim())[0]!;
    await host.report({ kind: 'failed', task_id: task.id, fence: task.fence, steps: [] });
  };
  await setEvery(1);
  await takeTurns();
  await fail();
  expect(await readTypes()).toEqual([]);
  await send('POST', `${TERMINALS}/bulk/tasks`, { filter: {}, type: TaskType.SCREENSHOT });
  await fail();
  expect(await readTypes()).toHaveLength(1);
});

it('an automatic screenshot fills no more than half of the storage', async () => {
  const { setEvery, host, send } = await createOwner();
  await setEvery(1);
  await takeTurns();
  const automatic = (await host.claim())[0]!;
  expect((await host.tryUpload(automatic, Buffer.alloc(MIB / 2 + 1))).status).toBe(413);
  const { status, body } = await host.tryUpload(automatic, Buffer.alloc(MIB / 2));
  expect(status).toBe(200);
  await host.complete(automatic, { file: toScreenshotFacts(body.file) });
  await send('POST', `${TERMINALS}/bulk/tasks`, { filter: {}, type: TaskType.SCREENSHOT });
  const own = (await host.claim())[0]!;
  expect((await host.tryUpload(own, Buffer.alloc(MIB / 4))).status).toBe(200);
});

it('an automatic screenshot is kept as long as the next two dozen take, a day at the most, and goes with its task', async () => {
  expect([1, 15, 60, 300, 720, 1440].map(toKeptMinutes)).toEqual([24, 360, 1440, 1440, 1440, 2880]);
  const { setEvery, host, listScreenshots, send, path, id } = await createOwner();
  await setEvery(1);
  await takeTurns();
  const task = (await host.claim())[0]!;
  const { file } = await host.upload(task, Buffer.from('screenshot'));
  const [row] = await server.query(
    `select extract(epoch from expires_at - now()) / 60 between 22 and 24 as is_soon from files where id = $1`,
    [file.id],
  );
  expect(row!.is_soon).toBe(true);
  await host.complete(task);
  const own = (await send('POST', `${path}/tasks`, { type: TaskType.SCREENSHOT })).body.data as { id: string };
  await host.complete((await host.claim())[0]!);
  await comeTurns();
  await takeTurns();
  const waiting = (await listScreenshots())[0]!;
  // A tick of the scheduler may have queued it meanwhile.
  expect([TaskStatus.PENDING, TaskStatus.QUEUED]).toContain(waiting.status);
  expect(await listScreenshots()).toHaveLength(3);
  const over = `update automatic_screenshots set expires_at = now() - interval '1 second'`;
  await server.query(over);
  await server.prune();
  expect((await listScreenshots()).map((one) => one.id)).toEqual([waiting.id, own.id]);
  // What has not ended is looked at again later.
  expect(await server.query(`select task_id from automatic_screenshots where expires_at > now()`)).toEqual([
    { task_id: waiting.id },
  ]);
  await server.query(`delete from tasks where terminal_id = $1; ${over}`.replace('$1', `'${id}'`));
  await server.prune();
  expect(await server.query('select from automatic_screenshots')).toEqual([]);
});
