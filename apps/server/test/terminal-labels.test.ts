/** Tags, notes and external ids of terminals, and many terminals by one call. */
import { TaskType, type TerminalCreation, type TerminalDetails } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
beforeAll(async () => {
  await TestHost.enrol(server, { name: 'host', capacity: 10_000 });
});

const TERMINALS = '/v1/my/trading/terminals';
const account = { server_name: 'Demo', password: 'secret' };

const createOwner = async () => {
  const { token, user } = await server.register('Owner');
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path, { token, body, headers });
  const create = async (login: string, body: object = {}) =>
    (await send('POST', TERMINALS, { ...account, login, ...body })).body.data as { id: string };
  const read = async (id: string) =>
    (await send('GET', `${TERMINALS}/${id}?include=details`)).body.data as TerminalDetails;
  const list = async (query: string) =>
    ((await send('GET', `${TERMINALS}?sort_by=login&sort_direction=asc${query}`)).body.data as { login: string }[]).map(
      ({ login }) => login,
    );
  const createMany = async (items: object[], rest: object = {}, headers?: Record<string, string>) => {
    const { status, body } = await send('POST', `${TERMINALS}/bulk`, { items, ...rest }, headers);
    return { status, ok: body.ok, msg: body.msg as string, data: body.data as TerminalCreation[], errors: body.errors };
  };
  return { token, user, send, create, read, list, createMany };
};

it('labels are written at the creation and by a change, are shown with the details, and removed by null', async () => {
  const owner = await createOwner();
  const { id } = await owner.create('1', {
    tags: ['vip', 'gold', 'vip'],
    notes: 'Calls at nine.',
    external_id: 'crm-1',
  });
  expect(await owner.read(id)).toMatchObject({
    tags: ['gold', 'vip'],
    notes: 'Calls at nine.',
    external_id: 'crm-1',
  });
  await owner.send('PATCH', `${TERMINALS}/${id}`, { notes: 'Calls at ten.' });
  expect(await owner.read(id)).toMatchObject({ tags: ['gold', 'vip'], notes: 'Calls at ten.', external_id: 'crm-1' });
  await owner.send('PATCH', `${TERMINALS}/${id}`, { tags: [], notes: null, external_id: null });
  expect(await owner.read(id)).toMatchObject({ tags: [], notes: null, external_id: null });
  expect((await owner.send('GET', `${TERMINALS}/${id}`)).body.data).not.toHaveProperty('tags');
});

it('counts include the tags and servers of the own terminals that match, the most frequent ones, by name', async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  await other.create('1', { tags: ['others'], server_name: 'Others' });
  const tags = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const items = Array.from({ length: 12 }, (_, index) => ({
    ...{ ...account, login: `${index}`, server_name: index === 0 ? 'A' : 'Demo' },
    tags: tags.map((tag) => `${tag}-${index}`),
  }));
  await owner.createMany(items);
  await owner.create('20', { tags: ['zz'] });
  const { id } = await owner.create('21', { tags: ['zz', 'gone'] });
  const read = async (query: string) =>
    (await owner.send('GET', `${TERMINALS}/counts?include=choices${query}`)).body.data.choices;
  const { tags: found, server_names: servers } = await read('');
  expect(servers).toEqual(['A', 'Demo']);
  expect(found).toHaveLength(200);
  expect(found.at(-1)).toBe('zz');
  expect(found).toEqual(found.toSorted());
  await owner.send('DELETE', `${TERMINALS}/${id}`);
  await server.query('update terminals set deleted_at = now() where id = $1', [id]);
  expect(await read('&tag=zz')).toEqual({ tags: ['zz'], server_names: ['Demo'] });
});

it('labels filter lists, counts and tasks on many, where an empty one is never all', async () => {
  const owner = await createOwner();
  await owner.create('1', { tags: ['vip'], external_id: 'a' });
  await owner.create('2', { tags: ['vip', 'gold'] });
  await owner.create('3');
  expect(await owner.list('&tag=vip')).toEqual(['1', '2']);
  expect(await owner.list('&tag=gold&search=2')).toEqual(['2']);
  expect(await owner.list('&external_id=a')).toEqual(['1']);
  expect(await owner.list('&tag=other')).toEqual([]);
  expect((await owner.send('GET', `${TERMINALS}/counts?tag=vip`)).body.data).toMatchObject({ total: 2 });
  const off = { type: TaskType.OPTIONS_AUTO_TRADE, payload: { allow_algo_trading: 0 } };
  const bulk = (filter: object) => owner.send('POST', `${TERMINALS}/bulk/tasks`, { filter, ...off });
  expect((await bulk({ tag: 'gold' })).body.data).toHaveLength(1);
  for (const filter of [{ tag: '' }, { tag: null }, { external_id: ' ' }]) {
    const { status, body } = await bulk(filter);
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [`filter.${Object.keys(filter)[0]}`]]);
  }
});

it('labels name one terminal of the account by its external id, until that is deleted', async () => {
  const [owner, other] = await Promise.all([createOwner(), createOwner()]);
  const { id } = await owner.create('1', { external_id: 'a' });
  const again = await owner.send('POST', TERMINALS, { ...account, login: '2', external_id: 'a' });
  expect([again.status, again.body.errors]).toEqual([
    422,
    { external_id: ['The external id has already been taken.'] },
  ]);
  const second = await owner.create('2', { external_id: 'b' });
  const renamed = await owner.send('PATCH', `${TERMINALS}/${second.id}`, { external_id: 'a' });
  expect(renamed.status).toBe(422);
  expect((await other.create('1', { external_id: 'a' })).id).toBeTruthy();
  await server.query('update terminals set deleted_at = now(), status = 9 where id = $1', [id]);
  expect((await owner.send('PATCH', `${TERMINALS}/${second.id}`, { external_id: 'a' })).status).toBe(200);
});

it.each([
  ['tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
  ['tags.0', { tags: ['two\nlines'] }],
  ['tags.0', { tags: ['x'.repeat(51)] }],
  ['tags', { tags: 'vip' }],
  ['notes', { notes: 'x'.repeat(2001) }],
  ['external_id', { external_id: 'x'.repeat(256) }],
  ['tag', { tag: ['vip'] }],
])('labels that are wrong name %s and change nothing', async (field, change) => {
  const owner = await createOwner();
  const { id } = await owner.create('1', { tags: ['vip'] });
  const { status, body } = await owner.send('PATCH', `${TERMINALS}/${id}`, change);
  expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
  expect(await owner.read(id)).toMatchObject({ tags: ['vip'], notes: null, external_id: null });
});

it('many terminals by one call are all created, wait for their hosts in turn, and get them', async () => {
  const owner = await createOwner();
  const items = ['1', '2', '3'].map((login) => ({ ...account, login, tags: ['import'] }));
  const { ok, msg, data } = await owner.createMany(items);
  expect([ok, msg]).toEqual([true, '3 terminals are being deployed.']);
  expect(data.map(({ index, ok: isOk, errors }) => [index, isOk, errors])).toEqual([0, 1, 2].map((n) => [n, true, {}]));
  expect(await owner.list('&tag=import')).toEqual(['1', '2', '3']);
  const tasks = await server.query('select type from tasks where user_id = $1', [owner.user.id]);
  expect(tasks).toEqual(Array(3).fill({ type: TaskType.TERMINAL_INSTALL }));
});

it('many terminals by one call are none when one has errors, which are said of each by field; a dry run creates none either', async () => {
  const owner = await createOwner();
  await owner.create('9', { external_id: 'taken' });
  const items = [
    { ...account, login: '1' },
    { ...account, login: '', region: 'far' },
    { ...account, login: '3', pasword: 'typo' },
    { ...account, login: '4', region: 77 },
    { ...account, login: '5', external_id: 'taken' },
    { ...account, login: '6', external_id: 'twice' },
    { ...account, login: '7', external_id: 'twice' },
  ];
  const wrong = await owner.createMany(items);
  expect([wrong.status, wrong.ok, wrong.msg]).toEqual([200, false, 'No terminal was created: 5 of 7 have errors.']);
  expect(wrong.data.map(({ ok, errors }) => [ok, Object.keys(errors).sort()])).toEqual([
    [true, []],
    [false, ['login', 'region']],
    [false, ['pasword']],
    [false, ['region']],
    [false, ['external_id']],
    [true, []],
    [false, ['external_id']],
  ]);
  expect(JSON.stringify(wrong)).not.toContain('secret');
  const right = { ...account, login: '1' };
  // Also with a key, whose answer is stored in a transaction that commits.
  for (const headers of [{}, { 'idempotency-key': 'dry' }]) {
    const dry = await owner.createMany([right, right], { dry_run: true }, headers);
    expect([dry.ok, dry.msg]).toEqual([true, '2 terminals can be created.']);
    expect(dry.data.map(({ terminal_id: id, warnings }) => [id, warnings.length])).toEqual([
      [null, 1],
      [null, 1],
    ]);
  }
  expect(await owner.list('')).toEqual(['9']);
});

it('many terminals by one call are bounded by the call', async () => {
  const owner = await createOwner();
  const item = (login: number) => ({ ...account, login: String(login) });
  const tooMany = await owner.createMany(Array.from({ length: 501 }, (_, index) => item(index)));
  expect([tooMany.status, Object.keys(tooMany.errors as object)]).toEqual([422, ['items']]);
  expect((await owner.createMany([])).status).toBe(422);
  expect((await owner.createMany([item(1)], { dryRun: true })).status).toBe(422);
  expect(await owner.list('')).toEqual([]);
});

it('many terminals by one call are created once by a key that is sent again', async () => {
  const owner = await createOwner();
  const headers = { 'idempotency-key': 'import-1' };
  const first = await owner.createMany([{ ...account, login: '1' }], {}, headers);
  const second = await owner.createMany([{ ...account, login: '1' }], {}, headers);
  expect(second.data).toEqual(first.data);
  expect(await owner.list('')).toEqual(['1']);
});

it('tags are added to many terminals and removed from them, but never to those of others, and never more than 20', async () => {
  const [owner, other] = [await createOwner(), await createOwner()];
  const { id: plain } = await owner.create('1', { tags: ['old'] });
  const { id: full } = await owner.create('2', { tags: Array.from({ length: 20 }, (_, index) => `t${index}`) });
  const { id: foreign } = await other.create('3', { tags: ['old'] });
  const tag = async (body: object) => {
    const ids = [plain, full, foreign, plain.toUpperCase(), 'no-id'];
    return (await owner.send('POST', `${TERMINALS}/bulk/tags`, { terminal_ids: ids, ...body })).body;
  };
  expect(await tag({ add: ['new', 'eu', 'new'], remove: ['old'] })).toMatchObject({
    ok: true,
    data: { terminals: 1, full: [full] },
  });
  expect((await owner.read(plain)).tags).toEqual(['eu', 'new']);
  expect((await owner.read(full)).tags).toHaveLength(20);
  expect(await tag({ remove: ['t0', 'old'] })).toMatchObject({ data: { terminals: 2, full: [] } });
  expect((await owner.read(full)).tags).not.toContain('t0');
  expect((await other.read(foreign)).tags).toEqual(['old']);
  expect(await tag({})).toMatchObject({ errors: { add: ['The add field is required when remove is not present.'] } });
  expect(await tag({ add: [] })).toHaveProperty('errors');
});
