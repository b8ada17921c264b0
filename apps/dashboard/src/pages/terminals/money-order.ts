/** The order of a list that is sorted by money: the page sorts it, because it changes each second. */
import type { AccountOverview } from '@berth/client';
import { compare } from '../../data/decimal.ts';
import type { MoneySort } from './search.ts';

type Sortable = Pick<AccountOverview, 'equity' | 'result_today' | 'drawdown_today_percent' | 'profit' | 'positions'> & {
  isUnwatched: boolean;
};

/** Whether money is at work that nobody watches: a rule that is on cannot see it, or old numbers have open positions. */
export const isUnwatched = (
  { is_current: isNow, positions, rules }: Pick<AccountOverview, 'is_current' | 'positions' | 'rules'>,
  enabled: ReadonlySet<string>,
): boolean => (!isNow && positions > 0) || rules.some((rule) => !rule.is_watched && enabled.has(rule.rule_id));

const comparisons: Record<MoneySort, (a: Sortable, b: Sortable) => number> = {
  equity: (a, b) => compare(a.equity, b.equity),
  today: (a, b) => compare(a.result_today, b.result_today),
  drawdown: (a, b) => a.drawdown_today_percent - b.drawdown_today_percent,
  profit: (a, b) => compare(a.profit, b.profit),
  positions: (a, b) => a.positions - b.positions,
};

/**
 * In both directions, those that nobody watches come first and those without an account last. Equal ones stay in their
 * order.
 */
export const sortByMoney = <Item extends { id: string }>(
  items: readonly Item[],
  accounts: ReadonlyMap<string, Sortable>,
  sort: MoneySort,
  direction: 'asc' | 'desc',
): Item[] =>
  items.toSorted((one, other) => {
    const [a, b] = [accounts.get(one.id), accounts.get(other.id)];
    if (!a || !b) return Number(a === undefined) - Number(b === undefined);
    if (a.isUnwatched !== b.isUnwatched) return a.isUnwatched ? -1 : 1;
    return comparisons[sort](a, b) * (direction === 'asc' ? 1 : -1);
  });
