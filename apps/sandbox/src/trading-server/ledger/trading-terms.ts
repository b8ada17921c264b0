import { findSymbol, type MarketSymbol } from '../symbols.ts';

/** What trading a symbol costs and moves. */
export interface TradingTerms {
  symbol: MarketSymbol;
  /** What one lot consists of: euros, ounces, barrels. */
  contractSize: bigint;
  /** The currency in which its price is quoted. */
  profitCurrency: string;
  /** Points that a position costs each night, or brings if positive. */
  swapPoints: { buy: bigint; sell: bigint };
}

const PAIR = /^([A-Z]{3})([A-Z]{3})$/;
const PAIR_SIZE = 100_000n;
/** Everything that is no pair of currencies; an index is one unit, in dollars. */
const SIZES: Partial<Record<string, bigint>> = {
  XAUUSD: 100n,
  XAGUSD: 5_000n,
  XPTUSD: 100n,
  BTCUSD: 1n,
  ETHUSD: 1n,
  LTCUSD: 1n,
  SOLUSD: 1n,
  XRPUSD: 1n,
  WTI: 1_000n,
  BRENT: 1_000n,
  NATGAS: 10_000n,
};

/** The terms of a symbol; undefined where the market does not have it. Pure. */
export const findTerms = (name: string): TradingTerms | undefined => {
  const symbol = findSymbol(name);
  if (!symbol) return undefined;
  const pair = PAIR.exec(name);
  const isPair = pair !== null && name !== 'NATGAS';
  return {
    symbol,
    contractSize: SIZES[name] ?? (isPair ? PAIR_SIZE : 1n),
    profitCurrency: isPair ? (pair[2] ?? 'USD') : 'USD',
    swapPoints: { buy: -BigInt(symbol.spreadPoints), sell: -BigInt(Math.ceil(symbol.spreadPoints / 2)) },
  };
};

/** The terms of a symbol that a position has. Throws where the market has lost it. */
export const getTerms = (name: string): TradingTerms => {
  const terms = findTerms(name);
  if (!terms) throw new Error(`the market has no ${JSON.stringify(name)}`);
  return terms;
};
