/** The money of the terminals in the list. Live events carry the figures; the result of the day is read again. */
import type { AccountOverview, AccountsPage, AccountTotals, TerminalItem } from '@berth/client';
import { ACCOUNT_CURRENT_MS } from '@berth/contract/values';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { berth } from '../../data/berth.ts';
import { keepChoice } from '../../data/kept-choice.ts';
import { keys } from '../../data/keys.ts';
import { useNow } from '../../parts/clock.ts';
import { MAX_LISTED } from './list-query.ts';
import { isUnwatched, sortByMoney } from './money-order.ts';
import { rowsPerPage } from './rows.ts';
import { isFiltered, isMoneySort, toSort, toWholeFilter, type TerminalsSearch } from './search.ts';
import { inHundreds, type Known } from './terminals-data.ts';

const MONEY_EVERY_MS = 15_000;
/** Terminals that the page itself sorts: each hundred is two requests. */
export const MAX_SORTED = 1_000;

/** Whether the figures are current now: they were when they were read, and a page that hears nothing more says so, too. */
const isCurrent = (
  { is_current: was, seen_at: at }: Pick<AccountOverview, 'is_current' | 'seen_at'>,
  now: number,
): boolean => was && now - Date.parse(at) <= ACCOUNT_CURRENT_MS + MONEY_EVERY_MS;

const none: ReadonlyMap<string, never> = new Map<string, never>();

const useById = <One extends AccountOverview>(accounts: readonly One[] | undefined): ReadonlyMap<string, One> =>
  useMemo(() => (accounts ? new Map(accounts.map((one) => [one.terminal_id, one])) : none), [accounts]);

const readAccounts = async (ids: readonly string[], signal: AbortSignal): Promise<AccountsPage> => {
  const pages = await inHundreds(ids, (some) =>
    berth.trading.overview({ ids: some, per_page: MAX_LISTED }, { signal }),
  );
  const accounts = pages.flatMap(({ data }) => data.accounts);
  return { ...pages[0]!, data: { ...pages[0]!.data, accounts } };
};

interface Accounts {
  of: Known<AccountOverview>;
  /** Whether any terminal on the page has one; until they are loaded, whether there were any the last time. */
  hasAny: boolean;
}

/** Kept, so that the list has the same columns before its accounts are loaded and afterwards. */
const hadAccounts = keepChoice<boolean>('berth-has-accounts', {
  parse: (text) => text === 'true',
  format: String,
});

/** The accounts of the terminals on the page, with what has become old since it was read. */
export const useCurrentAccounts = (ids: readonly string[]): Accounts => {
  const sorted = useMemo(() => [...ids].sort(), [ids]);
  const { data, isPlaceholderData } = useQuery({
    queryKey: keys.accounts.overview({ ids: sorted }),
    queryFn: ({ signal }) => readAccounts(sorted, signal),
    enabled: sorted.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: MONEY_EVERY_MS,
  });
  const accounts = useById(data?.data.accounts);
  const hadAny = hadAccounts.use();
  const hasAny = data === undefined ? hadAny : accounts.size > 0;
  useEffect(() => {
    if (hasAny !== hadAccounts.get()) hadAccounts.set(hasAny);
  }, [hasAny]);
  const now = useNow(MONEY_EVERY_MS);
  return useMemo(() => {
    const aged = [...accounts.values()].filter((account) => account.is_current && !isCurrent(account, now));
    const byId = new Map([
      ...accounts,
      ...aged.map((one) => [one.terminal_id, { ...one, is_current: false }] as const),
    ]);
    const isLoaded = data !== undefined && !isPlaceholderData;
    return { of: (id) => byId.get(id) ?? (isLoaded ? null : undefined), hasAny };
  }, [accounts, data, isPlaceholderData, hasAny, now]);
};

/**
 * The totals of each currency of all that match. The API knows those of a project or of certain terminals; other
 * filters have totals where all that match are on the page.
 */
export const useTotals = (
  asked: TerminalsSearch,
  shown: readonly string[],
  isWhole: boolean,
): readonly AccountTotals[] => {
  const { project, ...others } = asked;
  const query = !isFiltered({ ...others })
    ? { ...(project === undefined ? {} : { project_id: project }), per_page: 1 }
    : { ids: [...shown].sort(), per_page: 1 };
  const { data } = useQuery({
    queryKey: keys.accounts.overview({ totals: query }),
    queryFn: ({ signal }) => berth.trading.overview(query, { signal }),
    enabled: !('ids' in query) || (isWhole && shown.length > 0),
    refetchInterval: MONEY_EVERY_MS,
  });
  return data?.data.totals ?? [];
};

const readOrder = async (signal: AbortSignal) => {
  const [accounts, rules] = await Promise.all([
    berth.trading.accounts({}, { signal }).toArray(MAX_SORTED * 10),
    berth.riskRules.list({ signal }).toArray(),
  ]);
  const enabled = new Set(rules.flatMap((rule) => (rule.enabled ? rule.id : [])));
  return accounts.map((account) => ({ ...account, isUnwatched: isUnwatched(account, enabled) }));
};

const readAll = async (asked: TerminalsSearch, signal: AbortSignal): Promise<TerminalItem[]> => {
  const found: TerminalItem[] = [];
  for await (const item of berth.terminals.list({ ...toWholeFilter(asked), include: 'details' }, { signal })) {
    if (found.push(item) > MAX_SORTED) break;
  }
  return found;
};

/**
 * The list sorted by money: all that match are read, and the page is cut out of them. Undefined where the list is not
 * sorted so. The order is of when it was read: rows do not jump with each tick.
 */
export const useMoneySorted = (asked: TerminalsSearch) => {
  const { sort, direction } = toSort(asked);
  const isWanted = isMoneySort(sort);
  const filter = { ...toWholeFilter(asked), sorted: true };
  const list = useQuery({
    queryKey: keys.terminals.list(filter),
    queryFn: async ({ signal }) => ({ data: await readAll(asked, signal) }),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: MONEY_EVERY_MS,
  });
  const money = useQuery({
    // Not among the overviews that live events change.
    queryKey: keys.accounts.order,
    queryFn: ({ signal }) => readOrder(signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: MONEY_EVERY_MS,
  });
  const accounts = useById(money.data);
  const all = list.data?.data;
  const page = asked.page ?? 1;
  const rows = rowsPerPage.use();
  return useMemo(() => {
    if (!isMoneySort(sort)) return undefined;
    if (all === undefined || accounts === none) return { isTooLong: false, terminals: undefined };
    const sorted = sortByMoney(all, accounts, sort, direction);
    return {
      isTooLong: all.length > MAX_SORTED,
      terminals: sorted.slice((page - 1) * rows, page * rows),
    };
  }, [all, accounts, sort, direction, page, rows]);
};
