import { hasTrouble } from '../../wire/server-names.ts';
import type { AccountPrices } from './account-prices.ts';
import { divideRounded, LOT, toCurrencyDigits, toPower } from './amounts.ts';
import type { LedgerState, LedgerTerms, Position } from './ledger-data.ts';
import { getTerms } from './trading-terms.ts';

/** The account's money per lot and side. */
const COMMISSION_PER_LOT = 3n;
const FEE_PER_LOT = 1n;

type Sized = Pick<Position, 'symbol' | 'side' | 'volume' | 'openPrice'>;

/** Points of a symbol, times a volume, in the account's money. */
const toMoney = (
  symbol: string,
  points: bigint,
  volume: bigint,
  { currency }: LedgerTerms,
  prices: AccountPrices,
  divisor = 1n,
): bigint => {
  const { symbol: market, contractSize, profitCurrency } = getTerms(symbol);
  const { numerator, denominator } = prices.getRate(profitCurrency, currency);
  const dividend = points * volume * contractSize * toPower(toCurrencyDigits(currency)) * numerator;
  return divideRounded(dividend, toPower(market.digits) * LOT * denominator * divisor);
};

/** The price at which a position would be closed now. */
export const toClosePrice = ({ symbol, side }: Pick<Sized, 'symbol' | 'side'>, prices: AccountPrices): bigint => {
  const { bid, ask } = prices.getQuote(getTerms(symbol).symbol);
  return side === 'buy' ? bid : ask;
};

/** What closing at a price brings, without swap and commission. */
export const toProfit = (position: Sized, price: bigint, terms: LedgerTerms, prices: AccountPrices): bigint => {
  const { symbol, side, volume, openPrice } = position;
  return toMoney(symbol, side === 'buy' ? price - openPrice : openPrice - price, volume, terms, prices);
};

export const toMargin = (position: Sized, terms: LedgerTerms, prices: AccountPrices): bigint =>
  toMoney(position.symbol, position.openPrice, position.volume, terms, prices, BigInt(terms.leverage));

/** Negative: it costs. */
export const toCommission = (volume: bigint, { currency }: LedgerTerms): bigint =>
  -divideRounded(COMMISSION_PER_LOT * volume * toPower(toCurrencyDigits(currency)), LOT);

/** What a server whose name begins with Fees takes beside the commission. */
export const toFee = (volume: bigint, { server, currency }: LedgerTerms): bigint =>
  hasTrouble(server, 'Fees') ? -divideRounded(FEE_PER_LOT * volume * toPower(toCurrencyDigits(currency)), LOT) : 0n;

/** The swap of some nights. */
export const toSwap = (
  { symbol, side, volume }: Sized,
  nights: number,
  terms: LedgerTerms,
  prices: AccountPrices,
): bigint => toMoney(symbol, getTerms(symbol).swapPoints[side] * BigInt(nights), volume, terms, prices);

export interface Valuation {
  /** Of all positions, with their swap. */
  profit: bigint;
  equity: bigint;
  margin: bigint;
  freeMargin: bigint;
  /** In hundredths of a percent; undefined without positions. */
  marginLevel: bigint | undefined;
}

/** What an account is worth at these prices. */
export const toValuation = (
  { balance, credit, positions }: LedgerState,
  terms: LedgerTerms,
  prices: AccountPrices,
): Valuation => {
  let profit = 0n;
  let margin = 0n;
  for (const position of positions) {
    profit += toProfit(position, toClosePrice(position, prices), terms, prices) + position.swap;
    margin += position.margin;
  }
  const equity = balance + credit + profit;
  const marginLevel = margin > 0n ? divideRounded(equity * 10_000n, margin) : undefined;
  return { profit, equity, margin, freeMargin: equity - margin, marginLevel };
};
