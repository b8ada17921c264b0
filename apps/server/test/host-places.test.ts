/** How many terminals a host takes: what its operator says, and no more than its memory has room for, as it says itself. */
import type { HostFacts } from '@berth/contract';
import { TestHost, waitFor, useTestServer } from '@berth/testing';
import { beforeAll, beforeEach, expect, it } from 'vitest';

const server = useTestServer();
let operator: string;
let owner: string;
beforeAll(async () => {
  operator = (await server.registerOperator()).token;
  owner = (await server.register('Owner')).token;
});
beforeEach(() => server.query('truncate terminals, hosts cascade'));

const toFacts = (memory_capacity: number, changes: Partial<HostFacts> = {}): HostFacts => ({
  memory_total_mb: 8_192,
  memory_available_mb: 4_096,
  memory_capacity,
  offers: [
    {
      platform: 'sandbox',
      launcher: 'process',
      isolation: 'none',
      bases: [
        { name: 'winter', build: 4_755, current: true },
        { name: 'older', build: null, current: false },
      ],
    },
  ],
  ...changes,
});

const create = async (): Promise<string> => {
  return server.createTerminal(owner);
};

const findHost = async (id: string): Promise<string | null> =>
  (await server.request('GET', `/v1/my/trading/terminals/${id}`, { token: owner })).body.data.server_id as
    string | null;

const listHosts = async (search = '') =>
  (await server.request('GET', `/v1/operator/hosts${search}`, { token: operator })).body.data as Record<
    string,
    unknown
  >[];

it('a host that has memory for one terminal gets one, whatever its operator hoped; more once it says more', async () => {
  const host = await TestHost.enrol(server, { capacity: 3 });
  await host.startSession(toFacts(1));
  const [first, second, third, fourth] = [await create(), await create(), await create(), await create()];
  expect([await findHost(first), await findHost(second)]).toEqual([host.id, null]);
  await host.call('heartbeat', { tasks: [], facts: toFacts(50) });
  await waitFor(async () => (await findHost(third)) === host.id, { what: 'more places' });
  expect([await findHost(second), await findHost(fourth)]).toEqual([host.id, null]);
});

it('what a host has already stays where it has less room than before', async () => {
  const host = await TestHost.enrol(server, { capacity: 3 });
  const [first, second] = [await create(), await create()];
  const wanted = await host.startSession(toFacts(0));
  expect(wanted.map(({ id }) => id).sort()).toEqual([first, second].sort());
  const third = await create();
  expect(await findHost(third)).toBeNull();
  const regions = await server.request('GET', '/v1/my/trading/terminals/regions', { token: owner });
  expect(regions.status).toBe(200);
});

it('an operator sees what a host says of itself where it asks for details, and the documented fields alone otherwise', async () => {
  const host = await TestHost.enrol(server, { capacity: 30 });
  const [silent] = await listHosts('?include=details');
  expect(silent).toMatchObject({ places: 30, memory_capacity: null, memory_total_mb: null, offers: [] });
  const facts = toFacts(7);
  await host.startSession(facts);
  const [details] = await listHosts('?include=details');
  expect(details).toMatchObject({
    capacity: 30,
    places: 7,
    memory_capacity: 7,
    memory_total_mb: 8_192,
    offers: facts.offers,
  });
  expect(details).toMatchObject({ memory_available_mb: 4_096, reported_at: expect.stringMatching(/Z$/) as string });
  const [bare] = await listHosts();
  const memory = ['places', 'memory_capacity', 'memory_total_mb', 'memory_available_mb'];
  const added = [
    ...memory,
    'disk_total_mb',
    'disk_available_mb',
    'load_percent',
    'offers',
    'reported_at',
    'cordoned',
    'drain',
  ];
  expect(Object.keys(bare!).sort()).toEqual(
    Object.keys(details!)
      .filter((name) => !added.includes(name))
      .sort(),
  );
  await host.startSession();
  expect((await listHosts('?include=details'))[0]).toMatchObject({ places: 30, memory_capacity: null, offers: [] });
});

it('the server keeps nothing that the contract does not know, and nothing beyond its limits', async () => {
  const host = await TestHost.enrol(server);
  const more = {
    ...toFacts(7),
    essay: 'x'.repeat(20_000),
    offers: toFacts(7).offers.map((offer) => ({ ...offer, essay: 'x'.repeat(20_000) })),
  };
  await host.startSession(more);
  const [stored] = await server.query('select facts::text as text from host_facts');
  expect((stored!.text as string).length).toBeLessThan(1_000);
  const bad: object[] = [
    { ...toFacts(-1) },
    { ...toFacts(1e9) },
    toFacts(1, { memory_total_mb: 1e300 }),
    { ...toFacts(1), offers: Array.from({ length: 4 }, () => toFacts(1).offers[0]) },
    { ...toFacts(1), offers: [{ ...toFacts(1).offers[0], launcher: 'two\nlines' }] },
    {
      ...toFacts(1),
      offers: [
        { ...toFacts(1).offers[0], bases: Array.from({ length: 51 }, () => ({ name: 'x', build: 1, current: true })) },
      ],
    },
  ];
  for (const facts of bad) expect((await host.call('heartbeat', { tasks: [], facts })).status).toBe(422);
  expect((await listHosts('?include=details'))[0]).toMatchObject({ memory_capacity: 7 });
});
