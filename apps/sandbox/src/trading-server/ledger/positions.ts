import type { Side } from '../../wire/trade-messages.ts';
import type { AccountPrices } from './account-prices.ts';
import { divideRounded } from './amounts.ts';
import type { Deal, Position } from './ledger-data.ts';
import type { LedgerEntries } from './ledger-entries.ts';
import { toCommission, toFee, toMargin, toProfit, toValuation } from './valuation.ts';

const DAY_MS = 86_400_000;

export const toDay = (atMs: number): number => Math.floor(atMs / DAY_MS);

/** An order that is being filled. */
export interface Fill {
  order: bigint;
  symbol: string;
  side: Side;
  volume: bigint;
  price: bigint;
  stopLoss: bigint | null;
  takeProfit: bigint | null;
  magic: string;
  comment: string;
}

/** When, and at which prices. */
export interface Moment {
  prices: AccountPrices;
  at: number;
}

/**
 * Closes a position, or a part of it. Its swap and margin are divided like its volume; what rounding leaves stays with
 * the rest. @returns the deal's ticket
 */
const settle = (
  entries: LedgerEntries,
  position: Position,
  closing: { order: bigint; volume: bigint; dealVolume?: bigint; price: bigint; entry: 'out' | 'inout' } & Pick<
    Fill,
    'magic' | 'comment'
  > &
    Pick<Deal, 'outBy'>,
  { prices, at }: Moment,
): bigint => {
  const { terms, state } = entries;
  const { order, volume, dealVolume = volume, price, entry, magic, comment, outBy } = closing;
  const isWhole = volume === position.volume;
  const swap = isWhole ? position.swap : divideRounded(position.swap * volume, position.volume);
  const margin = isWhole ? position.margin : divideRounded(position.margin * volume, position.volume);
  const profit = toProfit({ ...position, volume }, price, terms, prices);
  position.volume -= volume;
  position.swap -= swap;
  position.margin -= margin;
  if (isWhole) state.positions.splice(state.positions.indexOf(position), 1);
  const side: Side = position.side === 'buy' ? 'sell' : 'buy';
  const money = { commission: toCommission(dealVolume, terms), fee: toFee(dealVolume, terms), swap, profit };
  const { symbol, ticket: positionId } = position;
  return entries.addDeal({
    order,
    positionId,
    symbol,
    side,
    entry,
    volume: dealVolume,
    price,
    ...money,
    magic,
    comment,
    at,
    outBy,
  });
};

/** Closes a position, or a part of it, by an order of its own. @returns the tickets of the order and its deal */
export const closePosition = (
  entries: LedgerEntries,
  position: Position,
  closing: { volume: bigint; price: bigint } & Pick<Deal, 'comment' | 'outBy'>,
  moment: Moment,
): { order: bigint; deal: bigint } => {
  const order = entries.takeTicket();
  const terms = { ...closing, order, entry: 'out', magic: position.magic } as const;
  return { order, deal: settle(entries, position, terms, moment) };
};

const addPosition = (entries: LedgerEntries, fill: Fill, { prices, at }: Moment): Position => {
  const { order, symbol, side, volume, price, stopLoss, takeProfit, magic, comment } = fill;
  const opened = { symbol, side, volume, openPrice: price };
  const terms = { stopLoss, takeProfit, magic, comment, openedAt: at, swapDay: toDay(at), swap: 0n };
  const position = { ticket: order, ...opened, ...terms, margin: toMargin(opened, entries.terms, prices) };
  entries.state.positions.push(position);
  return position;
};

const addEntryDeal = (entries: LedgerEntries, fill: Fill, positionId: bigint, at: number): bigint => {
  const { order, symbol, side, volume, price, magic, comment } = fill;
  const costs = { commission: toCommission(volume, entries.terms), fee: toFee(volume, entries.terms) };
  const money = { ...costs, swap: 0n, profit: 0n, outBy: null };
  return entries.addDeal({
    order,
    positionId,
    symbol,
    side,
    entry: 'in',
    volume,
    price,
    ...money,
    magic,
    comment,
    at,
  });
};

/** Makes a netting position larger: its price becomes the average, weighted by volume. */
const enlarge = (entries: LedgerEntries, position: Position, fill: Fill, { prices, at }: Moment): bigint => {
  const volume = position.volume + fill.volume;
  position.openPrice = divideRounded(position.openPrice * position.volume + fill.price * fill.volume, volume);
  position.volume = volume;
  position.margin = toMargin(position, entries.terms, prices);
  position.stopLoss = fill.stopLoss ?? position.stopLoss;
  position.takeProfit = fill.takeProfit ?? position.takeProfit;
  return addEntryDeal(entries, fill, position.ticket, at);
};

/** The opposite deal of a netting account: it reduces the position, closes it, or turns it round. */
const oppose = (entries: LedgerEntries, position: Position, fill: Fill, moment: Moment): bigint => {
  const { order, price, magic, comment } = fill;
  const closing = { order, price, magic, comment, outBy: 'expert' } as const;
  const rest = fill.volume - position.volume;
  if (rest <= 0n) {
    return settle(entries, position, { ...closing, volume: fill.volume, entry: 'out' }, moment);
  }
  const dealVolume = fill.volume;
  const turn = { ...closing, volume: position.volume, dealVolume, entry: 'inout' } as const;
  const deal = settle(entries, position, turn, moment);
  // The position goes on under its ticket.
  addPosition(entries, { ...fill, volume: rest, order: position.ticket }, moment);
  return deal;
};

/** Fills an order at a price. @returns the ticket of the deal */
export const fillOrder = (entries: LedgerEntries, fill: Fill, moment: Moment): bigint => {
  const { terms, state } = entries;
  const isNetting = terms.marginMode === 'netting';
  const position = isNetting ? state.positions.find(({ symbol }) => symbol === fill.symbol) : undefined;
  if (!position) return addEntryDeal(entries, fill, addPosition(entries, fill, moment).ticket, moment.at);
  if (position.side === fill.side) return enlarge(entries, position, fill, moment);
  return oppose(entries, position, fill, moment);
};

/** Whether the account has the money that a fill needs. What reduces a position needs none. */
export const hasMoneyFor = (
  { terms, state }: LedgerEntries,
  { symbol, side, volume, price }: Pick<Fill, 'symbol' | 'side' | 'volume' | 'price'>,
  prices: AccountPrices,
): boolean => {
  const position = terms.marginMode === 'netting' ? state.positions.find((each) => each.symbol === symbol) : undefined;
  const opposed = position && position.side !== side ? position.volume : 0n;
  const added = volume > opposed ? volume - opposed : 0n;
  const released = position && opposed > 0n && volume >= opposed ? position.margin : 0n;
  if (added === 0n) return true;
  const margin = toMargin({ symbol, side, volume: added, openPrice: price }, terms, prices) - released;
  return toValuation(state, terms, prices).freeMargin + toCommission(volume, terms) + toFee(volume, terms) >= margin;
};
