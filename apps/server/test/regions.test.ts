import { startTestServer, TestHost, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';
import { Regions } from '../src/regions/regions.ts';

const server = useTestServer();

const listRegions = (token: string, target = server, headers = {}) =>
  target.request('GET', '/v1/my/trading/terminals/regions', { token, headers });

test('the regions are those of the table, each with the URL of a flag that this server serves', async () => {
  const { token } = await server.register('Traveller');
  const { status, body } = await listRegions(token);
  expect(status).toBe(200);
  expect(body).toEqual({
    ok: true,
    msg: expect.any(String),
    data: [
      { id: 0, label: 'London', icon: `${server.url}/flags/gb.svg` },
      { id: 1, label: 'New York', icon: `${server.url}/flags/us.svg` },
      { id: 2, label: 'Singapore', icon: `${server.url}/flags/sg.svg` },
      { id: 3, label: 'Frankfurt', icon: `${server.url}/flags/de.svg` },
    ],
  });
  for (const { icon } of body.data) {
    const flag = await server.request('GET', new URL(icon as string).pathname);
    expect([flag.status, flag.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(flag.headers.get('cache-control')).toContain('immutable');
    expect(flag.bytes.toString()).toMatch(/^<svg /);
  }
});

test.each(['zz.svg', 'gb', 'gb.png', 'GB.svg', 'gb-eng.svg', '..%2f..%2fpackage.json', '%2e%2e', '', 'constructor'])(
  '/flags/%s is no file',
  async (name) => {
    const { status, body } = await server.request('GET', `/flags/${name}`);
    expect([status, body.msg]).toEqual([404, 'The requested route does not exist.']);
  },
);

test('a region that is added appears without a restart', async () => {
  let now = 0;
  const regions = new Regions(server.services.db, { now: () => now });
  const listIds = async () => (await regions.list()).map(({ id }) => id);
  expect(await listIds()).toEqual([0, 1, 2, 3]);
  await server.services.db.query(sql('add_region', `insert into regions values (77, 'Tokyo', 'jp')`));
  try {
    expect(await listIds()).toEqual([0, 1, 2, 3]);
    now += 10_000;
    expect(await listIds()).toEqual([0, 1, 2, 3, 77]);
  } finally {
    await server.services.db.query(sql('remove_region', `delete from regions where id = 77`));
  }
});

test('a region shows on request how many terminals it accepts at the moment, and which platforms', async () => {
  const { token } = await server.register('Planner');
  const readCapacity = async (id: number) => {
    const { body } = await server.request('GET', '/v1/my/trading/terminals/regions?include=capacity', { token });
    return body.data.find((region: { id: number }) => region.id === id);
  };
  expect(await readCapacity(2)).toMatchObject({ label: 'Singapore', free_places: 0, platforms: [] });
  await TestHost.enrol(server, { region: 2, capacity: 3 });
  expect(await readCapacity(2)).toMatchObject({ free_places: 3, platforms: ['sandbox'] });
  const other = await server.request('GET', '/v1/my/trading/terminals/regions?include=hosts', { token });
  expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['include']]);
});

test('links stand on the configured public URL', async () => {
  const proxied = await startTestServer({ config: { publicUrl: 'https://berth.example.com/api' } });
  try {
    const { token } = await proxied.register('Public');
    const { body } = await listRegions(token, proxied);
    expect(body.data[0].icon).toBe('https://berth.example.com/api/flags/gb.svg');
    const projects = await proxied.request('GET', '/v1/my/projects?search=a', { token });
    expect(projects.body.pagination.first_page_url).toBe(
      'https://berth.example.com/api/v1/my/projects?search=a&page=1',
    );
  } finally {
    await proxied.close();
  }
});
