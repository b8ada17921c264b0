/** The cache and the live events: what is stale is read again, once for a burst, and nothing grows without bounds. */
import type { LiveEvent } from '@berth/client';
import { TerminalStatus } from '@berth/contract/values';
import { waitFor } from '@berth/testing/wait-for';
import { QueryObserver, type QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keys } from '../src/data/keys.ts';
import { MAX_WAITING, Staleness } from '../src/data/live/staleness.ts';
import { createQueryClient, MAX_QUERIES } from '../src/data/query-client.ts';

let client: QueryClient;
let staleness: Staleness;
let ends: (() => void)[];

beforeEach(() => {
  client = createQueryClient({ onSignedOut: () => undefined });
  staleness = new Staleness(client);
  ends = [() => staleness.close(), () => client.clear()];
});
afterEach(() => ends.forEach((end) => end()));

/** Something that is shown, with the number of its readings; a reading ends when it is let go. */
const show = (queryKey: readonly unknown[], { isHeld = false } = {}) => {
  const shown = { readings: 0, letGo: () => undefined as void };
  const read = (): Promise<number> => {
    shown.readings += 1;
    const reading = shown.readings;
    if (!isHeld) return Promise.resolve(reading);
    return new Promise((resolve) => {
      shown.letGo = () => resolve(reading);
    });
  };
  ends.push(new QueryObserver(client, { queryKey, queryFn: read }).subscribe(() => undefined));
  return shown;
};

const toTerminalEvent = (id: string, status: TerminalStatus = TerminalStatus.ACTIVE): LiveEvent => ({
  event: 'terminal',
  data: { id, status },
});

test('what an event names is read again, and nothing else', async () => {
  const list = show(keys.terminals.list({ page: 1 }));
  const one = show(keys.terminals.one('a'));
  const others = [show(keys.terminals.one('b')), show(keys.tasks.list({})), show(keys.account.profile)];
  await waitFor(() => list.readings === 1 && one.readings === 1);
  staleness.take(toTerminalEvent('a'));
  await waitFor(() => list.readings === 2 && one.readings === 2);
  expect(others.map(({ readings }) => readings)).toEqual([1, 1, 1]);
});

test('what an event names is what a webhook was sent and what is wrong, for an entry of the log', async () => {
  const deliveries = show(keys.webhooks.deliveriesOf('w', {}));
  const webhook = show(keys.webhooks.one('w'));
  const alerts = show(keys.alerts.list({ status: 'open' }));
  const readings = () => [deliveries, webhook, alerts].map((shown) => shown.readings);
  const toHappened = (type: string): LiveEvent =>
    ({ event: 'happened', data: { id: 1, type, data: {} } }) as unknown as LiveEvent;
  await waitFor(() => readings().every((count) => count === 1));
  staleness.take(toHappened('terminal.up'));
  await waitFor(() => deliveries.readings === 2);
  expect(readings()).toEqual([2, 1, 1]);
  staleness.take(toHappened('alert.opened'));
  staleness.take(toHappened('security.webhook_disabled'));
  await waitFor(() => readings().every((count, index) => count === [3, 2, 2][index]));
});

test('what an event names is shown at once, where the event itself says it', () => {
  const item = { id: 'a', status: TerminalStatus.CONNECTING, status_reason: 'waits', name: 'Gold' };
  const other = { ...item, id: 'b' };
  client.setQueryData(keys.terminals.list({}), { data: [item, other], pagination: {} });
  staleness.take(toTerminalEvent('a'));
  expect(client.getQueryData(keys.terminals.list({}))).toMatchObject({
    data: [{ id: 'a', status: TerminalStatus.ACTIVE, status_name: 'ACTIVE', status_reason: null, name: 'Gold' }, other],
  });
});

test.each(['ready', 'reset'] as const)('what an event names by %s is everything that is shown', async (event) => {
  const all = [show(keys.terminals.list({})), show(keys.tasks.list({})), show(keys.account.profile)];
  await waitFor(() => all.every(({ readings }) => readings === 1));
  staleness.take({ event, data: {} });
  await waitFor(() => all.every(({ readings }) => readings === 2));
});

test('a burst of events costs one reading', async () => {
  const list = show(keys.terminals.list({}));
  await waitFor(() => list.readings === 1);
  for (let event = 0; event < 300; event += 1) staleness.take(toTerminalEvent(`t${event}`));
  await waitFor(() => staleness.size === 0);
  await waitFor(() => client.isFetching() === 0);
  expect(list.readings).toBe(2);
});

test('a burst of events of more things than may wait becomes one: everything', () => {
  for (let event = 0; event < MAX_WAITING * 4; event += 1) {
    staleness.take(toTerminalEvent(`t${event}`));
    expect(staleness.size).toBeLessThanOrEqual(MAX_WAITING);
  }
});

test('a burst of events that comes while something is being read lets it end, and reads it once more', async () => {
  const list = show(keys.terminals.list({}), { isHeld: true });
  await waitFor(() => list.readings === 1);
  staleness.take(toTerminalEvent('a'));
  // The other thing of the event waits for nothing: when it is gone, the turn of the list was over too.
  await waitFor(() => staleness.size === 1);
  expect(list.readings).toBe(1);
  list.letGo();
  await waitFor(() => list.readings === 2);
  list.letGo();
  await waitFor(() => client.isFetching() === 0);
});

test('the cache lets the oldest go that nobody looks at, above its bound', async () => {
  const shown = show(keys.terminals.list({ search: 'shown' }));
  await waitFor(() => shown.readings === 1);
  for (let search = 0; search < MAX_QUERIES * 3; search += 1) {
    client.setQueryData(keys.terminals.list({ search }), { data: [] }, { updatedAt: search + 1 });
  }
  const { length } = client.getQueryCache().getAll();
  expect(length).toBeLessThanOrEqual(MAX_QUERIES + 1);
  expect(client.getQueryData(keys.terminals.list({ search: 0 }))).toBeUndefined();
  expect(client.getQueryData(keys.terminals.list({ search: MAX_QUERIES * 3 - 1 }))).toBeDefined();
  expect(client.getQueryData(keys.terminals.list({ search: 'shown' }))).toBe(1);
});
