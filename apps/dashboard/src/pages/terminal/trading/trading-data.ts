/** What the tab Trading reads. Live events carry the figures of an account, and a deal; the rest is read again. */
import { NotFoundError, type TradingAccount } from '@berth/client';
import { ACCOUNT_CURRENT_MS } from '@berth/contract/values';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { berth } from '../../../data/berth.ts';
import { keys } from '../../../data/keys.ts';
import { serverNow } from '../../../data/server-clock.ts';
import type { ChartPeriod, DealPeriod } from '../search.ts';

/** Prices and profits of positions are in no event: as often as somebody can read them. */
const ACCOUNT_EVERY_MS = 5_000;
const OVERVIEW_EVERY_MS = 15_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const isWithoutData = (error: unknown): boolean =>
  error instanceof NotFoundError && error.code === 'no_account_data';

/**
 * Whether the figures are current now, and not only were when they were read: a page that hears nothing more says so, too.
 */
export const withAge = (account: TradingAccount, now: number): TradingAccount =>
  account.is_current && now - Date.parse(account.seen_at) > ACCOUNT_CURRENT_MS + ACCOUNT_EVERY_MS
    ? { ...account, is_current: false }
    : account;

export const useAccount = (id: string) =>
  useQuery({
    queryKey: keys.accounts.one(id),
    queryFn: ({ signal }) => berth.terminals.account(id, { signal }),
    refetchInterval: ACCOUNT_EVERY_MS,
  });

/** Its row among the accounts: the result of the day, and how its rules fare. */
export const useAccountOverview = (id: string) =>
  useQuery({
    queryKey: keys.accounts.overview({ ids: [id] }),
    queryFn: ({ signal }) => berth.trading.overview({ ids: [id] }, { signal }),
    refetchInterval: OVERVIEW_EVERY_MS,
  });

const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** How far back a period goes, and the seconds of one of its steps. */
export const toChartSpan = (period: ChartPeriod, now: number): { from: number; step: 60 | 900 | 86_400 } => {
  if (period === 'today') return { from: startOfDay(now), step: 60 };
  if (period === 'day') return { from: now - DAY_MS, step: 60 };
  if (period === 'week') return { from: now - 7 * DAY_MS, step: 900 };
  return period === 'month' ? { from: now - 30 * DAY_MS, step: 900 } : { from: now - 365 * DAY_MS, step: 86_400 };
};

export const useHistory = (id: string, period: ChartPeriod) =>
  useQuery({
    queryKey: keys.accounts.history(id, { period }),
    queryFn: ({ signal }) => {
      const { from, step } = toChartSpan(period, serverNow());
      return berth.terminals.accountHistory(id, { from: new Date(from).toISOString(), step }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: MINUTE_MS,
  });

export const toDealStart = (period: DealPeriod, now: number): number => {
  const days = { today: 0, week: 6, month: 29, year: 364 }[period];
  const day = new Date(startOfDay(now));
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
};

export const useDeals = (id: string, period: DealPeriod) =>
  useQuery({
    queryKey: keys.accounts.deals(id, { period }),
    queryFn: async ({ signal }) => {
      const { readNewestDeals } = await import('./newest-deals.ts');
      const read = (from: number, to: number | undefined, after: string | undefined) =>
        berth.terminals.pageOfDeals(
          id,
          {
            from: new Date(from).toISOString(),
            ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
            ...(after === undefined ? {} : { after }),
            per_page: 100,
          },
          { signal },
        );
      return readNewestDeals(read, toDealStart(period, serverNow()), serverNow());
    },
    placeholderData: keepPreviousData,
  });
