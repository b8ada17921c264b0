/** What the market does to an account by itself: swap at night, pending orders, stops, the stop out. */
import { getTerms } from './trading-terms.ts';
import type { Quote } from './account-prices.ts';
import { toDecimal } from './amounts.ts';
import type { Deal, Position } from './ledger-data.ts';
import type { LedgerEntries } from './ledger-entries.ts';
import { triggerOrders } from './pending-orders.ts';
import { closePosition, toDay, type Moment } from './positions.ts';
import { toClosePrice, toCommission, toFee, toProfit, toSwap, toValuation } from './valuation.ts';

/** In hundredths of a percent: half of the margin. */
const STOP_OUT_LEVEL = 5_000n;
/** After a long downtime no more nights are charged. */
const MAX_NIGHTS = 30;

const chargeSwap = ({ state, terms }: LedgerEntries, { prices, at }: Moment): boolean => {
  const today = toDay(at);
  let isCharged = false;
  for (const position of state.positions) {
    // A clock that was set back charges no night twice.
    if (today <= position.swapDay) continue;
    position.swap += toSwap(position, Math.min(today - position.swapDay, MAX_NIGHTS), terms, prices);
    position.swapDay = today;
    isCharged = true;
  }
  return isCharged;
};

/** How a position is closed; the comment is as MetaTrader has it. */
type Closing = Pick<Deal, 'comment' | 'outBy'>;

/** Undefined while no stop is reached. */
const findStop = ({ side, symbol, stopLoss, takeProfit }: Position, { bid, ask }: Quote): Closing | undefined => {
  const { digits } = getTerms(symbol).symbol;
  const sign = side === 'buy' ? 1n : -1n;
  const price = side === 'buy' ? bid : ask;
  if (stopLoss !== null && (price - stopLoss) * sign <= 0n)
    return { comment: `[sl ${toDecimal(stopLoss, digits)}]`, outBy: 'stop_loss' };
  if (takeProfit !== null && (price - takeProfit) * sign >= 0n)
    return { comment: `[tp ${toDecimal(takeProfit, digits)}]`, outBy: 'take_profit' };
  return undefined;
};

const closeAtMarket = (entries: LedgerEntries, position: Position, closing: Closing, moment: Moment): void => {
  const price = toClosePrice(position, moment.prices);
  closePosition(entries, position, { volume: position.volume, price, ...closing }, moment);
};

const closeAtStops = (entries: LedgerEntries, moment: Moment): boolean => {
  const reached = entries.state.positions.flatMap((position) => {
    const closing = findStop(position, moment.prices.getQuote(getTerms(position.symbol).symbol));
    return closing === undefined ? [] : [{ position, closing }];
  });
  for (const { position, closing } of reached) closeAtMarket(entries, position, closing, moment);
  return reached.length > 0;
};

/** Below half of the margin the position that loses most is closed, one after another, until the rest has enough. */
const stopOut = (entries: LedgerEntries, moment: Moment): boolean => {
  const { state, terms } = entries;
  const { prices } = moment;
  let { equity, margin } = toValuation(state, terms, prices);
  const isTooLow = (): boolean => margin > 0n && equity * 10_000n < STOP_OUT_LEVEL * margin;
  if (!isTooLow()) return false;
  const toResult = (position: Position): bigint =>
    toProfit(position, toClosePrice(position, prices), terms, prices) + position.swap;
  const results = state.positions.map((position) => ({ position, result: toResult(position) }));
  results.sort((one, other) => (one.result < other.result ? -1 : one.result > other.result ? 1 : 0));
  for (const { position } of results) {
    if (!isTooLow()) break;
    const { margin: released, volume } = position;
    const comment = `[so ${toDecimal((equity * 10_000n) / margin, 2)}%]`;
    closeAtMarket(entries, position, { comment, outBy: 'stop_out' }, moment);
    // The result was part of the equity already.
    equity += toCommission(volume, terms) + toFee(volume, terms);
    margin -= released;
  }
  return true;
};

/** Lets the market act. @returns whether anything but prices changed */
export const takeMarket = (entries: LedgerEntries, moment: Moment): boolean =>
  [chargeSwap, triggerOrders, closeAtStops, stopOut].map((act) => act(entries, moment)).includes(true);
