/** Deals by the reader's day, with their sums. Pure. */
import type { Deal } from '@berth/client';
import { sum } from '../../../data/decimal.ts';

export interface DealDay {
  /** The midnight that it begins with, Unix milliseconds. */
  day: number;
  /** Newest first. */
  deals: Deal[];
  /** Of trades: what was paid in or out, or lent, is no result. */
  volume: string | undefined;
  commission: string | undefined;
  fee: string | undefined;
  swap: string | undefined;
  profit: string | undefined;
  net: string | undefined;
}

export const isTrade = ({ side }: Pick<Deal, 'side'>): boolean => side === 'buy' || side === 'sell';

/** Charges and interest are no trades, but they are a result. */
const isResult = ({ side, type }: Deal): boolean => side !== 'balance' && side !== 'credit' && type !== 'bonus';

const toDay = (day: number, deals: Deal[]): DealDay => {
  const counted = deals.filter(isResult);
  const of = (name: 'commission' | 'fee' | 'swap' | 'profit'): string | undefined =>
    sum(counted.map((deal) => deal[name]));
  const [commission, fee, swap, profit] = [of('commission'), of('fee'), of('swap'), of('profit')];
  const volume = sum(deals.filter(isTrade).map((deal) => deal.volume));
  return { day, deals, volume, commission, fee, swap, profit, net: sum([commission, fee, swap, profit]) };
};

/** @param deals newest first */
export const toDealDays = (deals: readonly Deal[]): DealDay[] => {
  const days = new Map<number, Deal[]>();
  for (const deal of deals) {
    const day = new Date(deal.at).setHours(0, 0, 0, 0);
    const known = days.get(day);
    if (known) known.push(deal);
    else days.set(day, [deal]);
  }
  return [...days].map(([day, some]) => toDay(day, some));
};
