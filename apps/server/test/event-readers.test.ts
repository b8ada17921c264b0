/** The log of events holds what somebody may read, and nothing else. */
import { HostStatus, TerminalStatus } from '@berth/contract';
import { TestHost, toAccountState, toChart, toSample, waitFor, useTestServer, type TestServer } from '@berth/testing';
import { beforeEach, expect, it } from 'vitest';
import { createTerminals, report, request } from './support/alert-scene.ts';

const server = useTestServer();

beforeEach(() => server.query('truncate terminals, hosts, events cascade'));

const query: TestServer['query'] = (...call) => server.query(...call);

interface Entry {
  type: string;
  user_id: string;
  terminal_id: string | null;
}
const listEntries = async (): Promise<Entry[]> =>
  (await query('select type, user_id, terminal_id from events order by id')) as unknown as Entry[];

const loseHost = async ({ id }: TestHost): Promise<void> => {
  // Again where the server took a slow moment of its own for a downtime.
  const isLost = async (): Promise<boolean> => {
    await query(`update scheduler set downtime_ended_at = '1970-01-01'`);
    const silent = `update hosts set last_seen_at = now() - interval '1 hour' where id = $1 returning status`;
    return (await query(silent, [id]))[0]?.status === HostStatus.LOST;
  };
  await waitFor(isLost, { what: 'the loss of the host' });
};

const isBack = async ({ id }: TestHost): Promise<boolean> => {
  const rows = await query('select status from hosts where id = $1', [id]);
  return rows[0]?.status === HostStatus.ONLINE && (await query('select 1 from lost_hosts')).length === 0;
};

it('nothing is written of a host that nobody has a terminal on, where there is no operator', async () => {
  const host = await TestHost.enrol(server, { name: 'nobody’s' });
  await host.startSession();
  await loseHost(host);
  await host.heartbeat();
  await waitFor(() => isBack(host), { what: 'its return' });
  expect(await listEntries()).toEqual([]);
});

it('a lost host is written for those who have terminals on it, and for nobody else', async () => {
  const [one, two, stranger] = [
    await server.register('One'),
    await server.register('Two'),
    await server.register('Stranger'),
  ];
  const host = await TestHost.enrol(server, { name: 'shared' });
  const ids = [
    ...(await createTerminals(server, one.token, ['A', 'B'])),
    ...(await createTerminals(server, two.token, ['C'])),
  ];
  await host.installAll();
  await loseHost(host);
  await host.heartbeat();
  await report(host, ids, TerminalStatus.ACTIVE);
  await waitFor(() => isBack(host), { what: 'its return' });
  const entries = await listEntries();
  for (const type of ['host.lost', 'host.back']) {
    const readers = entries.filter((entry) => entry.type === type).map((entry) => entry.user_id);
    expect(readers.sort(), type).toEqual([one.user.id, two.user.id].sort());
  }
  expect(entries.filter(({ user_id: userId }) => userId === stranger.user.id)).toEqual([]);
  // Each entry about a terminal is for its owner.
  const owned = await query('select id, user_id from terminals');
  const owners = new Map(owned.map((row) => [row.id, row.user_id]));
  const about = entries.filter(({ terminal_id: id }) => id !== null);
  expect(new Set(about.map(({ terminal_id: id }) => id))).toEqual(new Set(ids));
  for (const { terminal_id: id, user_id: userId } of about) expect(userId).toBe(owners.get(id));
});

it('nothing is written of a deleted terminal, whatever its host still reports', async () => {
  const { token } = await server.register('Deletes');
  const host = await TestHost.enrol(server, { name: 'late' });
  const [id = ''] = await createTerminals(server, token, ['Gone']);
  await host.installAll();
  await request(server, token, 'DELETE', `trading/terminals/${id}`);
  for (const task of await host.claim()) await host.complete(task);
  await waitFor(
    async () => (await query('select 1 from terminals where id = $1 and deleted_at is not null', [id])).length === 1,
  );
  const before = await listEntries();
  expect(before.at(-1)).toMatchObject({ terminal_id: id });
  for (const status of [TerminalStatus.LOGIN_FAILED, TerminalStatus.DISCONNECTED, TerminalStatus.ACTIVE])
    await report(host, [id], status);
  await host.report({
    kind: 'terminal',
    terminal_id: id,
    trading_allowed: false,
    trading_reason: 'terminal_switch',
  } as never);
  await host.sendCharts(id, toChart({ expert: null }));
  await host.sendSamples(toSample(id));
  await host.sendAccounts({ terminal_id: id, state: toAccountState() }).catch(() => undefined);
  await loseHost(host);
  expect(await listEntries()).toEqual(before);
});
