/**
 * Figures of accounts and deals come with their events: what is shown takes them from there, without a request. Only what
 * no event has, positions and their profits, is read again, and only where a number of them says that they changed.
 */
import type { AccountsPage, Deal, LiveEvent, TradingAccount, UserEvent } from '@berth/client';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { minus, sum } from '../decimal.ts';
import { keys } from '../keys.ts';

export type AccountEvent = Extract<LiveEvent, { event: 'account.updated' }>['data'];
type DealEvent = Extract<UserEvent, { type: 'account.deal' }>;

const isOlder = (at: string, than: string): boolean => Date.parse(at) < Date.parse(than);

const withFigures = (account: TradingAccount, { id: _, ...figures }: AccountEvent): TradingAccount =>
  isOlder(figures.seen_at, account.seen_at) ? account : { ...account, ...figures };

type Overview = AccountsPage['data']['accounts'][number];

/** The result of the day moves with the equity. Its highest value is not in the event: the drawdown is read again later. */
const withOverview = (shown: Overview, { id: _, ...figures }: AccountEvent): Overview => {
  if (isOlder(figures.seen_at, shown.seen_at)) return shown;
  const { seen_at, currency, currency_digits, balance, equity, profit, positions_total: positions } = figures;
  const isSameDay = seen_at.slice(0, 10) === shown.seen_at.slice(0, 10);
  const moved = isSameDay ? sum([shown.result_today, minus(equity, shown.equity)]) : undefined;
  const result = moved ?? shown.result_today;
  return { ...shown, seen_at, currency, currency_digits, balance, equity, profit, positions, result_today: result };
};

const hasAccounts = (data: unknown): data is AccountsPage =>
  typeof data === 'object' &&
  data !== null &&
  'data' in data &&
  typeof data.data === 'object' &&
  data.data !== null &&
  'accounts' in data.data;

/**
 * Shows the figures of these events, the last of each terminal.
 * @returns what has to be read again
 */
export const showFigures = (client: QueryClient, events: ReadonlyMap<string, AccountEvent>): QueryKey[] => {
  const stale: QueryKey[] = [];
  for (const [id, event] of events) {
    const queryKey = keys.accounts.one(id);
    const account = client.getQueryData<TradingAccount>(queryKey);
    if (account === undefined) {
      // "No account data yet" is over.
      if (client.getQueryState(queryKey)?.status === 'error') stale.push(queryKey);
      continue;
    }
    const isChanged = event.positions_total !== account.positions_total || event.orders_total !== account.orders_total;
    if (isChanged || !account.is_current) stale.push(queryKey);
    client.setQueryData<TradingAccount>(queryKey, withFigures(account, event));
  }
  client.setQueriesData({ queryKey: keys.accounts.overviews }, (shown: unknown) => {
    if (!hasAccounts(shown) || !shown.data.accounts.some((one) => events.has(one.terminal_id))) return shown;
    const accounts = shown.data.accounts.map((one) => {
      const event = events.get(one.terminal_id);
      return event ? withOverview(one, event) : one;
    });
    return { ...shown, data: { ...shown.data, accounts } };
  });
  return stale;
};

interface ShownDeals {
  deals: Deal[];
}

const hasDeals = (data: unknown): data is ShownDeals =>
  typeof data === 'object' && data !== null && 'deals' in data && Array.isArray(data.deals);

/**
 * Shows a deal in the lists that are shown.
 * @returns what has to be read again: all of it, where deals before this one were skipped
 */
export const showDeal = (client: QueryClient, { terminal_id: id, data }: DealEvent): QueryKey[] => {
  if (id === null) return [];
  const { name: _name, login: _login, currency: _currency, skipped = 0, ...deal } = data;
  const isFirst = client.getQueryState(keys.accounts.one(id))?.status === 'error';
  if (skipped > 0 || isFirst) return [keys.accounts.dealsOf(id), keys.accounts.one(id)];
  client.setQueriesData({ queryKey: keys.accounts.dealsOf(id) }, (shown: unknown) =>
    hasDeals(shown) && !shown.deals.some(({ ticket }) => ticket === deal.ticket)
      ? { ...shown, deals: [deal, ...shown.deals] }
      : shown,
  );
  return [keys.accounts.one(id)];
};
