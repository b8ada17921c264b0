/** A ledger as the wire protocol has it. Pure. */
import type { AccountDeal, AccountOrder, AccountPosition, AccountState, CashFlow } from '../../wire/trade-messages.ts';
import type { AccountPrices } from './account-prices.ts';
import { toCurrencyDigits, toDecimal, VOLUME_DIGITS } from './amounts.ts';
import type { Deal, LedgerTerms, PendingOrder, Position } from './ledger-data.ts';
import type { Ledger } from './ledger.ts';
import { findTerms, getTerms } from './trading-terms.ts';
import { toClosePrice, toProfit, toValuation } from './valuation.ts';

/** As in the link program. */
const MAX_CASH_FLOWS = 32;
const MAX_CASH_LOOKS = 1_000;

const toTime = (at: number): string => new Date(at).toISOString();

const toPriceOf = (symbol: string) => {
  const { digits } = getTerms(symbol).symbol;
  return { toText: (price: bigint) => toDecimal(price, digits) };
};

const orNull = <Value>(value: Value | null, toText: (value: Value) => string): string | null =>
  value === null ? null : toText(value);

const toPosition = (position: Position, terms: LedgerTerms, prices: AccountPrices): AccountPosition => {
  const { ticket, symbol, side, volume, openPrice, stopLoss, takeProfit, swap, magic, comment, openedAt } = position;
  const { toText } = toPriceOf(symbol);
  const price = toClosePrice(position, prices);
  const digits = toCurrencyDigits(terms.currency);
  return {
    ticket: ticket.toString(),
    symbol,
    side,
    volume: toDecimal(volume, VOLUME_DIGITS),
    open_price: toText(openPrice),
    price: toText(price),
    stop_loss: orNull(stopLoss, toText),
    take_profit: orNull(takeProfit, toText),
    swap: toDecimal(swap, digits),
    profit: toDecimal(toProfit(position, price, terms, prices), digits),
    magic,
    comment,
    opened_at: toTime(openedAt),
  };
};

const toOrder = (order: PendingOrder): AccountOrder => {
  const { ticket, symbol, type, volume, price, stopLoss, takeProfit, magic, comment, placedAt } = order;
  const { toText } = toPriceOf(symbol);
  return {
    ticket: ticket.toString(),
    symbol,
    type,
    volume: toDecimal(volume, VOLUME_DIGITS),
    price: toText(price),
    stop_loss: orNull(stopLoss, toText),
    take_profit: orNull(takeProfit, toText),
    magic,
    comment,
    placed_at: toTime(placedAt),
  };
};

/** The newest deposits and withdrawals, as many as the link program tells. */
const listCashFlows = (deals: readonly Deal[], toText: (amount: bigint) => string): CashFlow[] => {
  const flows: CashFlow[] = [];
  const last = Math.max(0, deals.length - MAX_CASH_LOOKS);
  for (let index = deals.length - 1; index >= last && flows.length < MAX_CASH_FLOWS; index -= 1) {
    const deal = deals[index];
    if (deal?.side === 'balance') flows.push({ ticket: deal.ticket.toString(), amount: toText(deal.profit) });
  }
  return flows;
};

/** The account's state at a time in Unix milliseconds. */
export const toAccountState = (ledger: Ledger, at: number, mayTrade: boolean): AccountState => {
  const { terms, state, deals, carried, lastDeal } = ledger.entries;
  const { server, login, currency, leverage, marginMode } = terms;
  const prices = ledger.getPrices(at);
  const { profit, equity, margin, freeMargin, marginLevel } = toValuation(state, terms, prices);
  const digits = toCurrencyDigits(currency);
  const toText = (amount: bigint): string => toDecimal(amount, digits);
  return {
    login,
    server,
    trading_allowed: mayTrade,
    currency,
    currency_digits: digits,
    leverage,
    margin_mode: marginMode,
    balance: toText(state.balance),
    credit: toText(state.credit),
    equity: toText(equity),
    profit: toText(profit),
    margin: toText(margin),
    free_margin: toText(freeMargin),
    margin_level: marginLevel === undefined ? null : toDecimal(marginLevel, 2),
    positions_total: state.positions.length,
    orders_total: state.orders.length,
    positions: state.positions.map((position) => toPosition(position, terms, prices)),
    orders: state.orders.map(toOrder),
    deals_total: carried.count + deals.length,
    last_deal: lastDeal?.ticket.toString() ?? null,
    cash: { until: lastDeal?.ticket.toString() ?? null, flows: listCashFlows(deals, toText) },
  };
};

export const toAccountDeal = (deal: Deal, currency: string): AccountDeal => {
  const { ticket, order, positionId, symbol, side, entry, volume, price, magic, comment, at } = deal;
  const digits = toCurrencyDigits(currency);
  return {
    ticket: ticket.toString(),
    order: order.toString(),
    position_id: positionId.toString(),
    symbol,
    side,
    entry,
    volume: toDecimal(volume, VOLUME_DIGITS),
    price: toDecimal(price, findTerms(symbol)?.symbol.digits ?? 2),
    commission: toDecimal(deal.commission, digits),
    swap: toDecimal(deal.swap, digits),
    profit: toDecimal(deal.profit, digits),
    magic,
    comment,
    at: toTime(at),
    type: side === 'buy' || side === 'sell' ? 'trade' : side,
    fee: toDecimal(deal.fee, digits),
    out_by: deal.outBy,
  };
};
