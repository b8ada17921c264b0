/** Deals as marks below the curve: what was opened, and what was closed with its result. Pure. */
import { sum, toSign, type Sign } from '../../../../data/decimal.ts';
import type { Span } from './curve.ts';

export interface MarkedDeal {
  at: string;
  symbol: string;
  side: string;
  entry: string;
  volume: string;
  profit: string;
}

export interface Mark {
  /** 0 to 1 of the width. */
  place: number;
  lane: 'opened' | 'closed';
  kind: 'buy' | 'sell' | 'gain' | 'loss';
  /** The deals that it stands for, the newest last. */
  deals: MarkedDeal[];
  profit: string | undefined;
}

/** Marks that would lie upon each other are one: a year of a scalper has more deals than a chart has pixels. */
const SLOTS = 110;

const toKind = (lane: Mark['lane'], last: MarkedDeal, sign: Sign | undefined): Mark['kind'] =>
  lane === 'opened' ? (last.side === 'sell' ? 'sell' : 'buy') : sign === '-' ? 'loss' : 'gain';

/** Deposits and the like are no trades, and have no mark. */
export const toMarks = (deals: readonly MarkedDeal[], { from, to }: Span): Mark[] => {
  const slots = new Map<string, MarkedDeal[]>();
  for (const deal of deals) {
    if (deal.side !== 'buy' && deal.side !== 'sell') continue;
    const place = (Date.parse(deal.at) - from) / (to - from || 1);
    if (!(place >= 0 && place <= 1)) continue;
    const lane = deal.entry === 'in' ? 'opened' : deal.entry === 'out' || deal.entry === 'inout' ? 'closed' : undefined;
    if (!lane) continue;
    const key = `${lane} ${Math.min(SLOTS - 1, Math.floor(place * SLOTS))}`;
    const slot = slots.get(key);
    if (slot) slot.push(deal);
    else slots.set(key, [deal]);
  }
  return [...slots].flatMap(([key, some]) => {
    const ordered = some.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
    const last = ordered.at(-1);
    if (!last) return [];
    const lane: Mark['lane'] = key.startsWith('opened') ? 'opened' : 'closed';
    const profit = sum(ordered.map((deal) => deal.profit));
    const place = (Date.parse(last.at) - from) / (to - from || 1);
    return [{ place, lane, kind: toKind(lane, last, toSign(profit)), deals: ordered, profit }];
  });
};
