import type { Candle, Tick } from '../wire/protocol.ts';
import type { MarketSymbol } from './symbols.ts';

/**
 * Prices are a seeded random walk that can be read at any moment without walking there: Lévy's construction of
 * Brownian motion. Fixed points lie TOP_SECONDS apart; each level below halves the interval and moves its middle by a
 * random amount. The same symbol and second give the same price in every process, today and next year.
 */
const TOP_SECONDS = 2 ** 24;
const LEVELS = 24;
const SECONDS_OF_YEAR = 365.25 * 86_400;
const SAMPLES_OF_CANDLE = 24;

/** A well-mixed 32-bit hash of three integers (the finaliser of MurmurHash3). */
const toHash = (seed: number, level: number, index: number): number => {
  let hash = Math.imul(seed ^ Math.imul(level + 1, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(index | 0, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** Nearly normal, mean 0 and deviation 1: the sum of the hash's four bytes. */
const toDraw = (seed: number, level: number, index: number): number => {
  const hash = toHash(seed, level, index);
  return ((hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - 510) / 147.8;
};

const toSeed = (name: string): number => [...name].reduce((seed, char) => toHash(seed, 0, char.charCodeAt(0)), 7);

const seeds = new Map<string, number>();
const getSeed = (name: string): number => {
  const seed = seeds.get(name) ?? toSeed(name);
  seeds.set(name, seed);
  return seed;
};

const toWalk = (seed: number, seconds: number): number => {
  const top = Math.floor(seconds / TOP_SECONDS);
  const part = seconds / TOP_SECONDS - top;
  let walk = (toDraw(seed, 0, top) * (1 - part) + toDraw(seed, 0, top + 1) * part) * Math.sqrt(TOP_SECONDS) * 0.5;
  for (let level = 1, span = TOP_SECONDS; level <= LEVELS; level += 1, span /= 2) {
    const index = Math.floor(seconds / span);
    const hat = 1 - Math.abs(2 * (seconds / span - index) - 1);
    walk += (hat * toDraw(seed, level, index) * Math.sqrt(span)) / 2;
  }
  return walk;
};

/** The bid of a symbol at a Unix time in seconds, rounded to its digits. */
export const toPrice = ({ name, base, volatility, digits }: MarketSymbol, seconds: number): number => {
  const deviation = volatility / Math.sqrt(SECONDS_OF_YEAR);
  return Number((base * Math.exp(deviation * toWalk(getSeed(name), seconds))).toFixed(digits));
};

export const toTick = (symbol: MarketSymbol, seconds: number): Tick => {
  const bid = toPrice(symbol, seconds);
  return [symbol.name, bid, Number((bid + symbol.spreadPoints / 10 ** symbol.digits).toFixed(symbol.digits))];
};

/** The candle that opens at a time; the current one ends now. */
const toCandle = (symbol: MarketSymbol, opening: number, closing: number): Candle => {
  const step = Math.max(1, (closing - opening) / SAMPLES_OF_CANDLE);
  const open = toPrice(symbol, opening);
  const close = toPrice(symbol, closing);
  let high = Math.max(open, close);
  let low = Math.min(open, close);
  for (let at = opening + step; at < closing; at += step) {
    const price = toPrice(symbol, Math.floor(at));
    if (price > high) high = price;
    if (price < low) low = price;
  }
  return [opening, open, high, low, close];
};

/** The last candles up to now, oldest first. */
export const toCandles = (symbol: MarketSymbol, minutes: number, count: number, nowSeconds: number): Candle[] => {
  const span = minutes * 60;
  const last = Math.floor(nowSeconds / span) * span;
  return Array.from({ length: count }, (_, index) => {
    const opening = last - (count - 1 - index) * span;
    return toCandle(symbol, opening, Math.min(opening + span, nowSeconds));
  });
};
