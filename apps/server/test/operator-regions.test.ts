/** What an operator does with regions: add, rename, make the default, close to new terminals. */
import type { OperatorRegion } from '@berth/contract';
import { TestHost, useTestServer, waitFor, type TestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const server = useTestServer();
let operator: Awaited<ReturnType<TestServer['registerOperator']>>;
beforeAll(async () => {
  operator = await server.registerOperator();
});
beforeEach(async () => {
  await server.query('update regions set is_default = false, accepts_terminals = true');
});

const REGIONS = '/v1/operator/regions';
const send = (method: string, path: string, body?: unknown) =>
  server.request(method, path, { token: operator.token, ...(body === undefined ? {} : { body }) });
const list = async () => (await send('GET', REGIONS)).body.data as OperatorRegion[];
const patch = (id: number | string, body: unknown) => send('PATCH', `${REGIONS}/${id}`, body);
const listDefaults = async () => (await list()).filter((region) => region.is_default).map(({ id }) => id);
const createTerminal = (token: string, region?: number) => {
  const body = { server_name: 'Demo', login: '1', password: 'secret-password' };
  return server.request('POST', '/v1/my/trading/terminals', {
    token,
    body: region === undefined ? body : { ...body, region },
  });
};

it('an operator adds a region and renames it, and users see it at once', async () => {
  const made = await send('POST', REGIONS, { name: ' Tokyo ', flag: 'JP' });
  const { id } = made.body.data as OperatorRegion;
  expect(made.body.data).toEqual({ id, name: 'Tokyo', flag: 'jp', is_default: false, accepts_terminals: true });
  expect((await patch(id, { name: 'Osaka' })).body.data).toMatchObject({ id, name: 'Osaka', flag: 'jp' });
  const { token } = await server.register('Traveller');
  const seen = await server.request('GET', '/v1/my/trading/terminals/regions', { token });
  expect(seen.body.data.at(-1)).toEqual({ id, label: 'Osaka', icon: `${server.url}/flags/jp.svg` });
});

it('names of regions are unique without regard to case, also where two are added at once', async () => {
  const taken = await patch(0, { name: 'new york' });
  expect([taken.status, Object.keys(taken.body.errors)]).toEqual([422, ['name']]);
  expect((await patch(0, { name: 'LONDON' })).status).toBe(200);
  const both = await Promise.all(['Oslo', 'oslo'].map((name) => send('POST', REGIONS, { name, flag: 'no' })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
});

it.each([
  ['flag', { name: 'Nowhere', flag: 'zz' }],
  ['flag', { name: 'Nowhere', flag: '../' }],
  ['name', { name: 'x'.repeat(65), flag: 'gb' }],
  ['name', { name: 'two\nlines', flag: 'gb' }],
  ['id', { name: 'Nowhere', flag: 'gb', id: 7 }],
])('a region is refused for its %s, %j', async (field, body) => {
  const refused = await send('POST', REGIONS, body);
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, [field]]);
});

it('there are a hundred regions at most', async () => {
  await server.query(
    `insert into regions (id, label, country) select n, 'R' || n, 'gb' from generate_series(100, 199) n`,
  );
  try {
    const refused = await send('POST', REGIONS, { name: 'One more', flag: 'gb' });
    expect([refused.status, refused.body.errors.name]).toEqual([422, [expect.stringContaining('100')]]);
  } finally {
    await server.query('delete from regions where id >= 100');
  }
});

it.each(['99', '-1', 'abc', '1e3', '99999999999999'])('region %s is not found', async (id) => {
  expect((await patch(id, { name: 'Anything' })).status).toBe(404);
  expect((await patch(id, { name: 7 })).status).toBe(404);
});

it('regions that are made the default at the same time leave one default, and a new terminal goes there', async () => {
  const { token } = await server.register('Everywhere');
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all([0, 1, 2, 3].map((id) => patch(id, { is_default: true })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [only, ...others] = await listDefaults();
    expect(others).toEqual([]);
    expect((await createTerminal(token)).body.data.region).toBe(only);
  }
});

it('a default region is not closed, and a closed one does not become the default', async () => {
  await patch(2, { is_default: true });
  const closed = await patch(2, { accepts_terminals: false });
  expect([closed.status, Object.keys(closed.body.errors)]).toEqual([422, ['accepts_terminals']]);
  expect((await patch(3, { accepts_terminals: false })).status).toBe(200);
  const chosen = await patch(3, { is_default: true });
  expect([chosen.status, Object.keys(chosen.body.errors)]).toEqual([422, ['is_default']]);
  expect((await patch(2, { is_default: false, accepts_terminals: false })).status).toBe(200);
  expect(await listDefaults()).toEqual([]);
});

it('a closed region takes no new terminal, the refusal says which regions do, and none goes there by itself', async () => {
  const { token } = await server.register('Late');
  await patch(1, { accepts_terminals: false });
  const refused = await createTerminal(token, 1);
  expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['region']]);
  expect(refused.body.hint).toContain('Frankfurt (3)');
  expect(refused.body.hint).not.toContain('New York');
  await TestHost.enrol(server, { region: 1, capacity: 5 });
  const anywhere = await createTerminal(token);
  expect(anywhere.body.data.region).not.toBe(1);
  const capacity = await server.request('GET', '/v1/my/trading/terminals/regions?include=capacity', { token });
  expect(capacity.body.data[1]).toMatchObject({ accepts_terminals: false });
  for (const id of [0, 2, 3]) await patch(id, { accepts_terminals: false });
  await server.query('update regions set accepts_terminals = false');
  const nowhere = await createTerminal(token);
  expect([nowhere.status, Object.keys(nowhere.body.errors)]).toEqual([422, ['region']]);
});

it('what waited in a region when it was closed still gets a slot there', async () => {
  const { token } = await server.register('Early');
  const made = await createTerminal(token, 2);
  await patch(2, { accepts_terminals: false });
  await TestHost.enrol(server, { region: 2, capacity: 20 });
  const find = () => server.query('select host_id from terminals where id = $1', [made.body.data.id]);
  await waitFor(async () => (await find())[0]?.host_id !== null, { what: 'a slot in the closed region' });
});

it('the default of the configuration is shown until an operator chooses another one', async () => {
  const listed = async () => {
    const { listManagedRegions } = await import('../src/regions/managed-regions.ts');
    const regions = await listManagedRegions(server.services.db, 3);
    return regions.filter((region) => region.is_default).map(({ id }) => id);
  };
  expect(await listed()).toEqual([3]);
  await patch(1, { is_default: true });
  expect(await listed()).toEqual([1]);
});
