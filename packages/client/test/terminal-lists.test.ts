/** What a list of terminals needs besides its rows, by the client, on a real server. */
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { Berth } from '../src/index.ts';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });
let berth: Berth;

beforeAll(async () => {
  const { token } = await server.register('Ada Lovelace');
  berth = new Berth({ baseUrl: server.url, token });
});

it('the last day of a terminal that nobody measured yet is unknown, not without a link', async () => {
  const { id } = await berth.terminals.create({ server_name: 'Harbour-Demo', login: '50018233', password: 'secret' });
  const [overview] = await berth.terminals.overview([id]);
  expect(overview).toMatchObject({ terminal_id: id, trading_allowed: null });
  expect(overview?.hours.map(({ link }) => link)).toEqual(Array(24).fill(null));
});

it('a region says what it takes at the moment, when it is asked for', async () => {
  await TestHost.enrol(server, { region: 1, capacity: 7 });
  const find = async (query: { include?: 'capacity' }) =>
    (await berth.regions.list(query).toArray()).find(({ id }) => id === 1);
  expect(await find({ include: 'capacity' })).toMatchObject({ free_places: 7, platforms: ['sandbox'] });
  expect(await find({})).not.toHaveProperty('free_places');
});
