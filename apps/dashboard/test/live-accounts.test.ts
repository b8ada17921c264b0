/** Figures and deals that come with events are shown without a request; what no event has is read again. */
import type { AccountsPage, LiveEvent } from '@berth/client';
import { waitFor } from '@berth/testing/wait-for';
import type { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keys } from '../src/data/keys.ts';
import { Staleness } from '../src/data/live/staleness.ts';
import { createQueryClient } from '../src/data/query-client.ts';

let client: QueryClient;
let staleness: Staleness;
beforeEach(() => {
  client = createQueryClient({ onSignedOut: () => undefined });
  staleness = new Staleness(client);
});
afterEach(() => [staleness.close(), client.clear()]);

const figures = {
  ...{ currency: 'USD', currency_digits: 2, balance: '100.00', credit: '0.00', equity: '100.00', profit: '0.00' },
  ...{ margin: '0.00', free_margin: '100.00', margin_level: null, positions_total: 1, orders_total: 0 },
};
const at = (second: number): string => `2026-03-02T10:00:${String(second).padStart(2, '0')}.000Z`;
const toUpdate = (id: string, second: number, changes: object = {}): LiveEvent => ({
  event: 'account.updated',
  data: { id, seen_at: at(second), ...figures, ...changes },
});
const toDeal = (ticket: string, changes: object = {}): LiveEvent =>
  ({
    event: 'happened',
    data: {
      ...{ id: 1, type: 'account.deal', occurred_at: at(1), terminal_id: 'a', project_id: null },
      data: { name: 'Gold', login: '1', currency: 'USD', ticket, profit: '1.00', at: at(1), ...changes },
    },
  }) as unknown as LiveEvent;

const show = (queryKey: readonly unknown[], data: unknown): void => void client.setQueryData(queryKey, data);
const isStale = (queryKey: readonly unknown[]): boolean => client.getQueryState(queryKey)?.isInvalidated ?? false;
const account = { ...figures, seen_at: at(0), is_current: true, positions: [], orders: [] };
const settle = (): Promise<unknown> => waitFor(() => staleness.size === 0);

test('figures are shown at once, the newest of a burst, and never older ones', async () => {
  show(keys.accounts.one('a'), account);
  for (let second = 1; second < 20; second += 1) staleness.take(toUpdate('a', second, { equity: `${second}.00` }));
  staleness.take(toUpdate('b', 1));
  await settle();
  expect(client.getQueryData(keys.accounts.one('a'))).toMatchObject({ equity: '19.00', seen_at: at(19) });
  staleness.take(toUpdate('a', 5, { equity: '5.00' }));
  await settle();
  expect(client.getQueryData(keys.accounts.one('a'))).toMatchObject({ equity: '19.00' });
  expect(isStale(keys.accounts.one('a'))).toBe(false);
});

test('positions are read again where their number changed, or the figures were old', async () => {
  show(keys.accounts.one('a'), account);
  show(keys.accounts.one('b'), { ...account, is_current: false });
  staleness.take(toUpdate('a', 1, { positions_total: 2 }));
  staleness.take(toUpdate('b', 1));
  await settle();
  expect([isStale(keys.accounts.one('a')), isStale(keys.accounts.one('b'))]).toEqual([true, true]);
});

test('the result of the day moves with the equity, to the cent; of a new day it is read again', async () => {
  const row = {
    ...{ terminal_id: 'a', seen_at: at(0), is_current: true, currency: 'USD', currency_digits: 2, positions: 1 },
    ...{ balance: '100.00', equity: '100.00', profit: '0.00', result_today: '-0.30', drawdown_today_percent: 1 },
  };
  const query = keys.accounts.overview({ ids: ['a'] });
  show(query, { data: { accounts: [row, { ...row, terminal_id: 'c' }], totals: [] } });
  staleness.take(toUpdate('a', 1, { equity: '100.10', positions_total: 3 }));
  await settle();
  const [a, c] = client.getQueryData<AccountsPage>(query)!.data.accounts;
  expect(a).toMatchObject({ equity: '100.10', result_today: '-0.20', positions: 3 });
  expect(c).toMatchObject({ equity: '100.00', result_today: '-0.30' });
});

test('a deal is shown once; all are read again where some before it were not told', async () => {
  const list = keys.accounts.deals('a', { period: 'week' });
  show(list, { deals: [{ ticket: '1' }], isCut: false, completeUntil: null });
  staleness.take(toDeal('2'));
  staleness.take(toDeal('2'));
  await settle();
  expect(client.getQueryData(list)).toMatchObject({ deals: [{ ticket: '2', profit: '1.00' }, { ticket: '1' }] });
  expect(isStale(list)).toBe(false);
  staleness.take(toDeal('9', { skipped: 4 }));
  await settle();
  expect(isStale(list)).toBe(true);
});
