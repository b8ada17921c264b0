import type { OrderType, Side } from '../../wire/trade-messages.ts';
import type { Quote } from './account-prices.ts';
import { MAX_POSITIONS, type PendingOrder } from './ledger-data.ts';
import type { LedgerEntries } from './ledger-entries.ts';
import { fillOrder, hasMoneyFor, type Moment } from './positions.ts';
import { getTerms } from './trading-terms.ts';

export const toSide = (type: OrderType): Side => (type.startsWith('buy') ? 'buy' : 'sell');

/** What an order of this side is filled at. */
export const toFillPrice = (side: Side, { bid, ask }: Quote): bigint => (side === 'buy' ? ask : bid);

/** Limits wait for a better price than now, stops for a worse one. */
const waitsBelow = (type: OrderType): boolean => ['buy_limit', 'sell_stop', 'sell_stop_limit'].includes(type);

/** Whether the market is at or behind the order's price. */
export const isReached = ({ type, price }: Pick<PendingOrder, 'type' | 'price'>, quote: Quote): boolean => {
  const market = toFillPrice(toSide(type), quote);
  return waitsBelow(type) ? market <= price : market >= price;
};

/** Stops on the right side of a price; null stops are. */
export const areStopsValid = (
  side: Side,
  { stopLoss, takeProfit }: { stopLoss: bigint | null; takeProfit: bigint | null },
  price: bigint,
): boolean => {
  const sign = side === 'buy' ? 1n : -1n;
  return (
    (stopLoss === null || (price - stopLoss) * sign > 0n) && (takeProfit === null || (takeProfit - price) * sign > 0n)
  );
};

const trigger = (entries: LedgerEntries, order: PendingOrder, moment: Moment): void => {
  const { state, terms } = entries;
  const side = toSide(order.type);
  if (order.limitPrice !== null) {
    order.type = side === 'buy' ? 'buy_limit' : 'sell_limit';
    order.price = order.limitPrice;
    order.limitPrice = null;
    return;
  }
  state.orders.splice(state.orders.indexOf(order), 1);
  const price = toFillPrice(side, moment.prices.getQuote(getTerms(order.symbol).symbol));
  const fill = { ...order, order: order.ticket, side, price };
  const isFull = terms.marginMode === 'hedging' && state.positions.length >= MAX_POSITIONS;
  // An order that cannot be filled when its price comes is gone, as at a real server.
  if (!isFull && hasMoneyFor(entries, fill, moment.prices)) fillOrder(entries, fill, moment);
};

/** Triggers the pending orders whose prices are reached. @returns whether there were any */
export const triggerOrders = (entries: LedgerEntries, moment: Moment): boolean => {
  const isDue = (order: PendingOrder) => isReached(order, moment.prices.getQuote(getTerms(order.symbol).symbol));
  const reached = entries.state.orders.filter(isDue);
  for (const order of reached) {
    trigger(entries, order, moment);
    // A stop limit that became a limit may be filled at once.
    if (entries.state.orders.includes(order) && isDue(order)) trigger(entries, order, moment);
  }
  return reached.length > 0;
};
