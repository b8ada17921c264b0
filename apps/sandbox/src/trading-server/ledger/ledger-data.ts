import type { AccountDeal, OrderType, Side } from '../../wire/trade-messages.ts';

/** Prices are points, volumes hundredths of a lot, money the currency's smallest unit, times Unix milliseconds. */
export interface Position {
  ticket: bigint;
  symbol: string;
  side: Side;
  volume: bigint;
  openPrice: bigint;
  stopLoss: bigint | null;
  takeProfit: bigint | null;
  swap: bigint;
  margin: bigint;
  /** The day since 1970 up to whose beginning the swap is charged. */
  swapDay: number;
  magic: string;
  comment: string;
  openedAt: number;
}

export interface PendingOrder {
  ticket: bigint;
  symbol: string;
  type: OrderType;
  volume: bigint;
  price: bigint;
  limitPrice: bigint | null;
  stopLoss: bigint | null;
  takeProfit: bigint | null;
  magic: string;
  comment: string;
  placedAt: number;
}

export interface Deal {
  ticket: bigint;
  order: bigint;
  positionId: bigint;
  /** Empty for a deposit. */
  symbol: string;
  side: AccountDeal['side'];
  entry: AccountDeal['entry'];
  volume: bigint;
  price: bigint;
  commission: bigint;
  fee: bigint;
  swap: bigint;
  profit: bigint;
  magic: string;
  comment: string;
  at: number;
  /** What closed a position; null: it closed none. */
  outBy: AccountDeal['out_by'];
}

/** The deals that are no longer kept: how many, and what they did to the balance. */
export interface CarriedDeals {
  count: number;
  amount: bigint;
}

/** What an account's file has, besides its deals. */
export interface LedgerState {
  balance: bigint;
  credit: bigint;
  /** Of the next order, position or deal: no two share one. */
  nextTicket: bigint;
  positions: Position[];
  orders: PendingOrder[];
  /** Bids that were set for this account. */
  setBids: Map<string, bigint>;
}

/** What never changes about an account. */
export interface LedgerTerms {
  server: string;
  login: string;
  currency: string;
  leverage: number;
  marginMode: 'hedging' | 'netting';
  /** The first deposit, and when it was made. */
  deposit: bigint;
  createdAt: number;
}

export const MAX_POSITIONS = 1_000;
export const MAX_ORDERS = 1_000;
/** Deals that are always kept; half as many again may be. */
export const MAX_DEALS = 5_000;

/** What a deal did to the balance. A credit is none of it. */
export const toDealAmount = ({ side, commission, fee, swap, profit }: Deal): bigint =>
  side === 'credit' ? 0n : commission + fee + swap + profit;
