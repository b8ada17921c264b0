/** The order of a list that is sorted by money, and what comes first in it. */
import type { AccountOverview, RiskState } from '@berth/client';
import { describe, expect, test } from 'vitest';
import { isUnwatched, sortByMoney } from '../src/pages/terminals/money-order.ts';

const toAccount = (equity: string, isUnwatched = false) => ({
  ...{ equity, result_today: '0', drawdown_today_percent: 0, profit: '0', positions: 0 },
  isUnwatched,
});
const items = ['low', 'none', 'high', 'unwatched', 'same'].map((id) => ({ id }));
const accounts = new Map([
  ['low', toAccount('9.50')],
  ['same', toAccount('9.5')],
  ['high', toAccount('10000000000000000.01')],
  ['unwatched', toAccount('100', true)],
]);
const sort = (direction: 'asc' | 'desc'): string[] =>
  sortByMoney(items, accounts, 'equity', direction).map(({ id }) => id);

test('a list sorted by money begins with what nobody watches and ends with what has no account', () => {
  expect(sort('desc')).toEqual(['unwatched', 'high', 'low', 'same', 'none']);
  expect(sort('asc')).toEqual(['unwatched', 'low', 'same', 'high', 'none']);
});

describe('money that nobody watches', () => {
  const rules = [{ rule_id: 'daily', is_watched: false }] as RiskState[];
  const account: Pick<AccountOverview, 'is_current' | 'positions' | 'rules'> = {
    ...{ is_current: true, positions: 2, rules: [] },
  };
  const none = new Set<string>();

  test('money is unwatched where old numbers have open positions', () => {
    expect(isUnwatched(account, none)).toBe(false);
    expect(isUnwatched({ ...account, is_current: false }, none)).toBe(true);
    expect(isUnwatched({ ...account, is_current: false, positions: 0 }, none)).toBe(false);
  });

  test('money is unwatched where a rule that is on cannot see it, and one that is off says nothing', () => {
    expect(isUnwatched({ ...account, rules }, new Set(['daily']))).toBe(true);
    expect(isUnwatched({ ...account, rules }, new Set(['another']))).toBe(false);
  });
});
