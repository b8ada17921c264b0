import { MAX_ATTEMPT_BYTES, MAX_FILES, TaskType, type DeliveredTask } from '@berth/contract';
import { farAhead, TestHost, toScreenshotFacts, useTestServer } from '@berth/testing';
import { beforeAll, expect, test } from 'vitest';

const MIB = 1024 * 1024;
const QUOTA_MIB = 1;

const server = useTestServer({ config: { storageLimits: new Map([[0, QUOTA_MIB]]) } });
let host: TestHost;
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 1000 });
});

const list = async (token: string, query = '') => (await server.request('GET', `/v1/my/files${query}`, { token })).body;
const remove = (token: string, id: string) => server.request('DELETE', `/v1/my/files/${id}`, { token });

/** A user with a terminal that takes tasks. */
const createOwner = async (name: string) => {
  const { token, user } = await server.register(name);
  const tasks = `/v1/my/trading/terminals/${await server.createTerminal(token)}/tasks`;
  await host.installAll();
  const install = (fileId: string, more: object = {}) => {
    const payload = { name: 'E', file_id: fileId, symbol: 'EURUSD', period: 'H1' };
    return server.request('POST', tasks, { token, body: { type: TaskType.EA_INSTALL, payload, ...more } });
  };
  return { token, userId: user.id, tasks, install };
};

test('the storage of a user is shown with the list of files, newest first and paginated', async () => {
  const { token } = await server.register('Lister');
  expect(await list(token)).toMatchObject({ ok: true, data: [], used_bytes: 0, quota_bytes: QUOTA_MIB * MIB });
  const files = [];
  for (const name of ['one', 'two', 'three'])
    files.push((await server.upload(token, Buffer.alloc(100), name)).body.data);
  const answer = await list(token, '?per_page=2');
  expect(answer.data).toEqual([files[2], files[1]]);
  expect(answer).toMatchObject({ used_bytes: 300, pagination: { total: 3, last_page: 2, from: 1, to: 2 } });
  expect((await list(token, '?per_page=2&page=2')).data).toEqual([files[0]]);
});

test('the storage of a user takes no more than its quota, however many uploads come at once', async () => {
  const { token } = await server.register('Hoarder');
  const content = Buffer.alloc(100 * 1024, 1);
  const answers = await Promise.all(Array.from({ length: 40 }, () => server.upload(token, content)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'storage_quota']);
  }
  const { used_bytes: usedBytes, pagination } = await list(token);
  expect([usedBytes, pagination.total]).toEqual([10 * content.length, 10]);
  // The last byte fits, and one more does not.
  const rest = QUOTA_MIB * MIB - usedBytes;
  expect((await server.upload(token, Buffer.alloc(rest + 1))).status).toBe(413);
  expect((await server.upload(token, Buffer.alloc(rest))).status).toBe(200);
  expect((await server.upload(token, Buffer.alloc(1))).status).toBe(413);
});

test('the storage of a user is bounded in the number of files, too', async () => {
  const { token, user } = await server.register('Splitter');
  await server.upload(token, Buffer.from('x'));
  await server.query('update user_storage set file_count = $2 where user_id = $1', [user.id, MAX_FILES - 1]);
  expect((await server.upload(token, Buffer.from('x'))).status).toBe(200);
  const answer = await server.upload(token, Buffer.from('x'));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'storage_quota']);
});

test('the storage of a user has room again when files are deleted, and when screenshots expire', async () => {
  const { token, user } = await server.register('Cleaner');
  const { id } = (await server.upload(token, Buffer.alloc(MIB))).body.data;
  expect((await server.upload(token, Buffer.alloc(1))).status).toBe(413);
  expect((await remove(token, id)).body).toEqual({ ok: true, msg: 'File deleted successfully.', data: null });
  expect((await remove(token, id)).status).toBe(404);
  expect(await list(token)).toMatchObject({ used_bytes: 0 });
  for (let number = 0; number < 4; number += 1) await server.upload(token, Buffer.alloc(MIB / 4));
  await server.query('update files set expires_at = now() where user_id = $1', [user.id]);
  await server.prune();
  expect(await list(token)).toMatchObject({ used_bytes: 0 });
  expect((await server.upload(token, Buffer.alloc(MIB))).status).toBe(200);
});

test('a file that a task needs stays until the task has ended', async () => {
  const { token, tasks, install } = await createOwner('Installer');
  const { id } = (await server.upload(token, Buffer.from('program'))).body.data;
  const later = { planned_at: farAhead };
  const waiting = (await install(id.toUpperCase(), later)).body.data;
  const refused = await remove(token, id);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'file_in_use']);
  await server.request('POST', `${tasks}/${waiting.id}/cancel`, { token });
  // One that runs needs it as well.
  await install(id);
  const [task] = await host.claim();
  expect((await remove(token, id)).status).toBe(409);
  await host.complete(task!);
  expect((await remove(token, id)).status).toBe(200);
  expect((await install(id)).status).toBe(422);
});

test('a file that a task needs of another user does not matter, though that one names it', async () => {
  const [one, two] = [await createOwner('Named'), await createOwner('Namer')];
  const { id } = (await server.upload(one.token, Buffer.from('program'))).body.data;
  expect((await two.install(id)).status).toBe(422);
  expect((await remove(one.token, id)).status).toBe(200);
});

test('a file that a task needs is never deleted at the moment in which the task is created: one of the two is refused', async () => {
  const { token, install } = await createOwner('Racer');
  const later = { planned_at: farAhead };
  for (let round = 0; round < 30; round += 1) {
    const { id } = (await server.upload(token, Buffer.from('program'))).body.data;
    const [created, removed] = await Promise.all([install(id, later), remove(token, id)]);
    expect([created.status, removed.status].join()).toMatch(/^(200,409|422,200)$/);
  }
});

const sendScreenshot = (task: DeliveredTask, content: Buffer, fence = task.fence) =>
  host.tryUpload({ id: task.id, fence }, content);
const takeScreenshot = async (owner: Awaited<ReturnType<typeof createOwner>>): Promise<DeliveredTask> => {
  await server.request('POST', owner.tasks, { token: owner.token, body: { type: TaskType.SCREENSHOT } });
  const [task] = await host.claim();
  return task!;
};
const used = (id: string) => server.query('select uploaded_bytes::int from task_leases where task_id = $1', [id]);

test('what a host uploads counts for its attempt, and ends at 64 MiB', async () => {
  const owner = await createOwner('Photographed');
  const task = await takeScreenshot(owner);
  expect((await sendScreenshot(task, Buffer.alloc(1000))).status).toBe(200);
  expect(await used(task.id)).toEqual([{ uploaded_bytes: 1000 }]);
  await server.query('update task_leases set uploaded_bytes = $2 where task_id = $1', [
    task.id,
    MAX_ATTEMPT_BYTES - 1000,
  ]);
  const last = await sendScreenshot(task, Buffer.alloc(1000));
  expect(last.status).toBe(200);
  const answer = await sendScreenshot(task, Buffer.alloc(1));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'attempt_quota']);
  expect((await list(owner.token)).used_bytes).toBe(2000);
  expect((await sendScreenshot(task, Buffer.alloc(1), task.fence + 1)).status).toBe(404);
  await host.complete(task, { file: toScreenshotFacts(last.body.file) });
  expect((await sendScreenshot(task, Buffer.alloc(1))).status).toBe(404);
});

test("what a host uploads counts for the owner's storage: a screenshot that does not fit is refused, and nothing of it is kept", async () => {
  const owner = await createOwner('Full');
  const most = MIB - 100_000;
  await server.upload(owner.token, Buffer.alloc(most));
  const task = await takeScreenshot(owner);
  const answer = await sendScreenshot(task, Buffer.alloc(100_001));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([413, 'storage_quota']);
  expect((await list(owner.token)).used_bytes).toBe(most);
  await host.report({ kind: 'failed', task_id: task.id, fence: task.fence, steps: [] });
});

/** PostgreSQL's own error, as it raises it when a table cannot grow. */
const fill = (table: string) =>
  server.query(`create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert or update on ${table} for each row execute function full_disk()`);
const makeRoom = () => server.query('drop function full_disk cascade');
const expectFull = ({ status, headers }: { status: number; headers: Headers }) =>
  expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([507, 'disk_full', '30']);

test('a full disk answers 507 to whatever would be stored, keeps nothing of it, and what is read is read', async () => {
  const owner = await createOwner('Stored');
  const body = { type: TaskType.MARKET_WATCH_SHOW_ALL };
  const headers = { 'idempotency-key': 'full' };
  const post = () => server.request('POST', owner.tasks, { token: owner.token, body, headers });
  await fill('files');
  expectFull(await server.upload(owner.token, Buffer.from('x')));
  expect(await list(owner.token)).toMatchObject({ data: [], used_bytes: 0 });
  await makeRoom();
  await fill('tasks');
  const atOnce = () => server.request('POST', owner.tasks, { token: owner.token, body });
  for (const answer of await Promise.all([post(), atOnce(), atOnce(), atOnce()])) expectFull(answer);
  await makeRoom();
  expect((await server.upload(owner.token, Buffer.from('x'))).status).toBe(200);
  expect((await post()).body.ok).toBe(true);
  const [task] = await host.claim();
  expect(await host.complete(task!)).toEqual(['accepted', 'accepted']);
});

test('a full disk takes no report for refused: the host says it again, and the task goes on', async () => {
  const owner = await createOwner('Reported');
  const body = { type: TaskType.MARKET_WATCH_SHOW_ALL };
  const { data } = (await server.request('POST', owner.tasks, { token: owner.token, body })).body;
  const [task] = await host.claim();
  const events = [{ kind: 'started', task_id: task!.id, fence: task!.fence, at: Date.now() }];
  await fill('tasks');
  expectFull(await host.call('report', { events }));
  await makeRoom();
  await host.complete(task!);
  const answer = await server.request('GET', `${owner.tasks}/${data.id}`, { token: owner.token });
  expect(answer.body.data.task.status).toBe(4);
});
