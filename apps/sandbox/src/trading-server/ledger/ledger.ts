import type { OrderTerms, TradeRequest, TradeResult } from '../../wire/trade-messages.ts';
import { AccountPrices } from './account-prices.ts';
import { fitsDigits, LOT, toCurrencyDigits, toUnits, VOLUME_DIGITS } from './amounts.ts';
import { MAX_ORDERS, MAX_POSITIONS, type Deal, type LedgerTerms } from './ledger-data.ts';
import { LedgerEntries, type SavedLedger } from './ledger-entries.ts';
import { takeMarket } from './market-events.ts';
import { areStopsValid, isReached, toFillPrice, toSide } from './pending-orders.ts';
import { closePosition, fillOrder, hasMoneyFor, type Moment } from './positions.ts';
import { toResult, type Retcode } from './retcodes.ts';
import { findTerms, getTerms, type TradingTerms } from './trading-terms.ts';
import { toClosePrice, toValuation } from './valuation.ts';

const MAX_VOLUME = 100n * LOT;

type RequestOf<Action extends TradeRequest['action']> = Extract<TradeRequest, { action: Action }>;

interface ReadTerms {
  market: TradingTerms;
  volume: bigint;
  stopLoss: bigint | null;
  takeProfit: bigint | null;
}

const toPoints = (text: string | null, { symbol }: TradingTerms): bigint | null =>
  text === null ? null : toUnits(text, symbol.digits);

/** The terms of an order in units; a return code where there are no such terms. */
const readTerms = (terms: OrderTerms): ReadTerms | Retcode => {
  const market = findTerms(terms.symbol);
  if (!market) return 10013;
  const volume = toUnits(terms.volume, VOLUME_DIGITS);
  if (volume < 1n || volume > MAX_VOLUME) return 10014;
  const { digits } = market.symbol;
  const prices = [terms.stop_loss, terms.take_profit];
  if (prices.some((price) => price !== null && !fitsDigits(price, digits))) return 10016;
  return {
    market,
    volume,
    stopLoss: toPoints(prices[0] ?? null, market),
    takeProfit: toPoints(prices[1] ?? null, market),
  };
};

/**
 * The ledger of one account: what its owner asks for and what the market does, one after another. It keeps no clock:
 * each call says when it is.
 */
export class Ledger {
  readonly entries: LedgerEntries;

  constructor(terms: LedgerTerms, saved?: SavedLedger) {
    this.entries = new LedgerEntries(terms, saved);
  }

  /** The account's prices at a time in Unix milliseconds. */
  getPrices(at: number): AccountPrices {
    return new AccountPrices(this.entries.state.setBids, Math.floor(at / 1000));
  }

  /** Carries out a request, or says by its return code why not; then nothing has changed. */
  trade(request: TradeRequest, at: number): TradeResult {
    switch (request.action) {
      case 'open':
        return this.#open(request, this.#toMoment(at));
      case 'place':
        return this.#place(request, this.#toMoment(at));
      case 'close':
        return this.#close(request, this.#toMoment(at));
      case 'modify':
        return this.#modify(request, this.#toMoment(at));
      case 'delete':
        return this.#delete(request);
      case 'set_price':
        return this.#setPrice(request, at);
      case 'move_money':
        return this.#moveMoney(request, this.#toMoment(at));
    }
  }

  /** Lets the market act on what is open. @returns whether anything but prices changed */
  takeMarket(at: number): boolean {
    const { positions, orders } = this.entries.state;
    return positions.length + orders.length > 0 && takeMarket(this.entries, this.#toMoment(at));
  }

  /** The deals after a ticket that were not made before a moment, oldest first, and whether these are all. */
  listDeals(after: bigint | null, from: number | null, limit: number): { deals: Deal[]; isComplete: boolean } {
    const wanted = this.entries.deals.filter(
      ({ ticket, at }) => (after === null || ticket > after) && (from === null || at >= from),
    );
    return { deals: wanted.slice(0, limit), isComplete: wanted.length <= limit };
  }

  #toMoment(at: number): Moment {
    return { prices: this.getPrices(at), at };
  }

  #open(request: RequestOf<'open'>, moment: Moment): TradeResult {
    const terms = readTerms(request);
    if (typeof terms === 'number') return toResult(terms);
    const { volume, stopLoss, takeProfit } = terms;
    const { side, symbol, magic, comment } = request;
    const quote = moment.prices.getQuote(terms.market.symbol);
    // Stops are measured from the price at which the position would be closed.
    if (!areStopsValid(side, terms, toClosePrice(request, moment.prices))) return toResult(10016);
    const price = toFillPrice(side, quote);
    const isFull = this.entries.state.positions.length >= MAX_POSITIONS;
    if (isFull && this.entries.terms.marginMode === 'hedging') return toResult(10040);
    if (!hasMoneyFor(this.entries, { symbol, side, volume, price }, moment.prices)) return toResult(10019);
    const order = this.entries.takeTicket();
    const deal = fillOrder(
      this.entries,
      { order, symbol, side, volume, price, stopLoss, takeProfit, magic, comment },
      moment,
    );
    return toResult(10009, order, deal);
  }

  #place(request: RequestOf<'place'>, { prices, at }: Moment): TradeResult {
    const terms = readTerms(request);
    if (typeof terms === 'number') return toResult(terms);
    const { volume, stopLoss, takeProfit, market } = terms;
    const { symbol, order_type: type, magic, comment } = request;
    const price = toPoints(request.price, market) ?? 0n;
    const limitPrice = toPoints(request.limit_price, market);
    const asked = [request.price, request.limit_price ?? '0'];
    if (price <= 0n || !asked.every((text) => fitsDigits(text, market.symbol.digits))) return toResult(10015);
    if (isReached({ type, price }, prices.getQuote(market.symbol))) return toResult(10015);
    if (!areStopsValid(toSide(type), terms, limitPrice ?? price)) return toResult(10016);
    if (this.entries.state.orders.length >= MAX_ORDERS) return toResult(10033);
    const ticket = this.entries.takeTicket();
    const stops = { stopLoss, takeProfit };
    this.entries.state.orders.push({
      ticket,
      symbol,
      type,
      volume,
      price,
      limitPrice,
      ...stops,
      magic,
      comment,
      placedAt: at,
    });
    return toResult(10009, ticket);
  }

  #close({ ticket, volume: asked }: RequestOf<'close'>, moment: Moment): TradeResult {
    const position = this.entries.state.positions.find((each) => each.ticket === BigInt(ticket));
    if (!position) return toResult(10036);
    const volume = asked === null ? position.volume : toUnits(asked, VOLUME_DIGITS);
    if (volume < 1n) return toResult(10014);
    if (volume > position.volume) return toResult(10038);
    const price = toClosePrice(position, moment.prices);
    const closing = { volume, price, comment: '', outBy: 'expert' } as const;
    const { order, deal } = closePosition(this.entries, position, closing, moment);
    return toResult(10009, order, deal);
  }

  #modify(request: RequestOf<'modify'>, { prices }: Moment): TradeResult {
    const ticket = BigInt(request.ticket);
    const { positions, orders } = this.entries.state;
    const position = positions.find((each) => each.ticket === ticket);
    const order = orders.find((each) => each.ticket === ticket);
    const found = position ?? order;
    if (!found) return toResult(10013);
    const market = getTerms(found.symbol);
    const texts = [request.stop_loss, request.take_profit, request.price];
    if (texts.some((text) => text !== null && !fitsDigits(text, market.symbol.digits))) return toResult(10016);
    const stops = { stopLoss: toPoints(request.stop_loss, market), takeProfit: toPoints(request.take_profit, market) };
    if (order) {
      const price = toPoints(request.price, market) ?? order.price;
      if (price <= 0n || isReached({ ...order, price }, prices.getQuote(market.symbol))) return toResult(10015);
      if (!areStopsValid(toSide(order.type), stops, order.limitPrice ?? price)) return toResult(10016);
      order.price = price;
    } else if (position) {
      if (request.price !== null) return toResult(10013);
      if (!areStopsValid(position.side, stops, toClosePrice(position, prices))) return toResult(10016);
    }
    Object.assign(found, stops);
    return toResult(10009, order?.ticket);
  }

  #delete({ ticket }: RequestOf<'delete'>): TradeResult {
    const { orders } = this.entries.state;
    const index = orders.findIndex((each) => each.ticket === BigInt(ticket));
    if (index < 0) return toResult(10013);
    orders.splice(index, 1);
    return toResult(10009, BigInt(ticket));
  }

  #moveMoney({ side, amount: text }: RequestOf<'move_money'>, { prices, at }: Moment): TradeResult {
    const { state, terms } = this.entries;
    const digits = toCurrencyDigits(terms.currency);
    const isNegative = text.startsWith('-');
    const size = toUnits(isNegative ? text.slice(1) : text, digits);
    if (size === 0n || !fitsDigits(text, digits)) return toResult(10013);
    if (isNegative && side === 'credit' && size > state.credit) return toResult(10013);
    // What is withdrawn must be there, and not be margin; a broker may take its credit back at any time.
    const left = toValuation(state, terms, prices).freeMargin - state.credit;
    if (isNegative && side === 'balance' && size > left) return toResult(10019);
    return toResult(10009, undefined, this.entries.addMoney(side, isNegative ? -size : size, at));
  }

  #setPrice({ symbol, price }: RequestOf<'set_price'>, at: number): TradeResult {
    const market = findTerms(symbol);
    if (!market) return toResult(10013);
    const bid = toUnits(price, market.symbol.digits);
    if (bid <= 0n || !fitsDigits(price, market.symbol.digits)) return toResult(10015);
    this.entries.state.setBids.set(symbol, bid);
    this.takeMarket(at);
    return toResult(10009);
  }
}
