import { toPrice } from '../market.ts';
import { findSymbol, type MarketSymbol } from '../symbols.ts';
import { toPower } from './amounts.ts';

export interface Quote {
  bid: bigint;
  ask: bigint;
}

/** A ratio of integers. */
export interface Rate {
  numerator: bigint;
  denominator: bigint;
}

/** The market's bid in points. */
const toPoints = (symbol: MarketSymbol, seconds: number): bigint =>
  BigInt(Math.round(toPrice(symbol, seconds) * 10 ** symbol.digits));

/** The bids of the second that was asked for last: many accounts ask for the same ones. */
let cached = { seconds: -1, bids: new Map<string, bigint>() };

const getMarketBid = (symbol: MarketSymbol, seconds: number): bigint => {
  if (cached.seconds !== seconds) cached = { seconds, bids: new Map() };
  const bid = cached.bids.get(symbol.name) ?? toPoints(symbol, seconds);
  cached.bids.set(symbol.name, bid);
  return bid;
};

/** The prices of one account at one second: the market's, except where a price was set for this account. */
export class AccountPrices {
  readonly #setBids: ReadonlyMap<string, bigint>;
  readonly #seconds: number;

  constructor(setBids: ReadonlyMap<string, bigint>, seconds: number) {
    this.#setBids = setBids;
    this.#seconds = seconds;
  }

  getQuote(symbol: MarketSymbol): Quote {
    const bid = this.#setBids.get(symbol.name) ?? getMarketBid(symbol, this.#seconds);
    return { bid, ask: bid + BigInt(symbol.spreadPoints) };
  }

  /** What one unit of a currency is worth in another: directly, the other way round, through the dollar, else 1. */
  getRate(from: string, to: string): Rate {
    if (from === to) return { numerator: 1n, denominator: 1n };
    const direct = this.#findRate(from, to);
    if (direct) return direct;
    const first = this.#findRate(from, 'USD');
    const second = this.#findRate('USD', to);
    return {
      numerator: (first?.numerator ?? 1n) * (second?.numerator ?? 1n),
      denominator: (first?.denominator ?? 1n) * (second?.denominator ?? 1n),
    };
  }

  #findRate(from: string, to: string): Rate | undefined {
    const straight = findSymbol(`${from}${to}`);
    if (straight) return { numerator: this.getQuote(straight).bid, denominator: toPower(straight.digits) };
    const inverse = findSymbol(`${to}${from}`);
    return inverse && { numerator: toPower(inverse.digits), denominator: this.getQuote(inverse).bid };
  }
}
