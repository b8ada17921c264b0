import { toInteger, toText } from './fields.ts';

/**
 * The part of the wire protocol that is about money. A terminal sends these after its login; the trading server answers
 * each `trade` with one `traded` and each `deals` with one `deals` of the same id. After `follow_account` it sends
 * `account` at once, then after every trade (before the `traded` that tells its result), and each second in which
 * something is open.
 *
 * Amounts, prices and volumes are decimal strings with the digits of the currency, of the symbol, and two; tickets and
 * magic numbers are strings of digits; times are ISO 8601 in UTC. The fields are those of the link program's files.
 */

export type Side = 'buy' | 'sell';
export const ORDER_TYPES = [
  'buy_limit',
  'sell_limit',
  'buy_stop',
  'sell_stop',
  'buy_stop_limit',
  'sell_stop_limit',
] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** What an opening or a pending order carries besides its price. Null: none. */
export interface OrderTerms {
  symbol: string;
  volume: string;
  stop_loss: string | null;
  take_profit: string | null;
  magic: string;
  comment: string;
}

export type TradeRequest =
  /** At the market. In a netting account it adds to the symbol's position, reduces it or turns it round. */
  | ({ action: 'open'; side: Side } & OrderTerms)
  /** `limit_price` belongs to the two stop limit types, and to no others. */
  | ({ action: 'place'; order_type: OrderType; price: string; limit_price: string | null } & OrderTerms)
  /** Without a volume all of the position. */
  | { action: 'close'; ticket: string; volume: string | null }
  /** Of a position or a pending order. Stops that are null are removed; `price` is for pending orders. */
  | { action: 'modify'; ticket: string; stop_loss: string | null; take_profit: string | null; price: string | null }
  | { action: 'delete'; ticket: string }
  /** The sandbox's own: the bid of a symbol for this account, until the next one. */
  | { action: 'set_price'; symbol: string; price: string }
  /** So are these: money that comes or, with a minus, goes. Credit is the broker's. */
  | { action: 'move_money'; side: 'balance' | 'credit'; amount: string };

export type TradeMessage =
  | { type: 'follow_account' }
  | ({ type: 'trade'; id: number } & TradeRequest)
  /** The deals after a ticket, and not before a moment; oldest first, 500 at most. */
  | { type: 'deals'; id: number; after: string | null; from: string | null };

export interface AccountPosition {
  ticket: string;
  symbol: string;
  side: Side;
  volume: string;
  open_price: string;
  price: string;
  stop_loss: string | null;
  take_profit: string | null;
  swap: string;
  profit: string;
  magic: string;
  comment: string;
  opened_at: string;
}

export interface AccountOrder {
  ticket: string;
  symbol: string;
  type: OrderType;
  volume: string;
  price: string;
  stop_loss: string | null;
  take_profit: string | null;
  magic: string;
  comment: string;
  placed_at: string;
}

/** The state of an account, as the file account.json has it. */
export interface AccountState {
  login: string;
  server: string;
  /** Whether this login may trade, as far as the trading server says. */
  trading_allowed: boolean;
  currency: string;
  currency_digits: number;
  leverage: number;
  margin_mode: 'hedging' | 'netting';
  balance: string;
  credit: string;
  equity: string;
  profit: string;
  margin: string;
  free_margin: string;
  /** Percent; null without positions. */
  margin_level: string | null;
  positions_total: number;
  orders_total: number;
  positions: AccountPosition[];
  orders: AccountOrder[];
  deals_total: number;
  last_deal: string | null;
  /** The newest deposits and withdrawals, newest first, and the deal up to which they are known. */
  cash: { until: string | null; flows: CashFlow[] };
}

export interface CashFlow {
  ticket: string;
  amount: string;
}

/** A deal, as the file deals.json has it. */
export interface AccountDeal {
  ticket: string;
  order: string;
  position_id: string;
  symbol: string;
  side: Side | 'balance' | 'credit' | 'other';
  entry: 'in' | 'out' | 'inout';
  volume: string;
  price: string;
  commission: string;
  swap: string;
  profit: string;
  magic: string;
  comment: string;
  at: string;
  type: 'trade' | 'balance' | 'credit' | 'other';
  fee: string;
  out_by: 'expert' | 'stop_loss' | 'take_profit' | 'stop_out' | null;
}

/** The result of a trade: a return code of MQL5, and its meaning. */
export interface TradeResult {
  retcode: number;
  message: string;
  order: string | null;
  deal: string | null;
}

export type TradeAnswer =
  | ({ type: 'account' } & AccountState)
  | ({ type: 'traded'; id: number } & TradeResult)
  /** `is_complete`: nothing newer exists. Every deal before `complete_until` is known to whoever has these. */
  | { type: 'deals'; id: number; deals: AccountDeal[]; is_complete: boolean; complete_until: string };

export const MAX_DEALS_PER_ANSWER = 500;
export const MAX_COMMENT = 31;
const MAX_ID = Number.MAX_SAFE_INTEGER;
const MAX_NAME = 64;

const toPattern = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;

/** The readers of the protocol's strings; each returns undefined for anything else. */
export const toTicket = (value: unknown): string | undefined => toPattern(value, /^\d{1,19}$/);
export const toPriceText = (value: unknown): string | undefined => toPattern(value, /^\d{1,9}(\.\d{1,8})?$/);
export const toVolumeText = (value: unknown): string | undefined => toPattern(value, /^\d{1,5}(\.\d{1,2})?$/);
/** Money with a sign. */
export const toMoneyText = (value: unknown): string | undefined => toPattern(value, /^-?\d{1,12}(\.\d{1,2})?$/);
export const toTimeText = (value: unknown): string | undefined =>
  toPattern(value, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/);

/** Null and a missing value are null; undefined is for what cannot be read. */
const orNull = <Value>(value: unknown, read: (value: unknown) => Value | undefined): Value | null | undefined =>
  value === undefined || value === null ? null : read(value);

const toOrderTerms = (fields: Record<string, unknown>): OrderTerms | undefined => {
  const symbol = toText(fields.symbol, MAX_NAME);
  const volume = toVolumeText(fields.volume);
  const stopLoss = orNull(fields.stop_loss, toPriceText);
  const takeProfit = orNull(fields.take_profit, toPriceText);
  const magic = toPattern(fields.magic ?? '0', /^\d{1,20}$/);
  const comment = fields.comment === undefined || fields.comment === '' ? '' : toText(fields.comment, MAX_COMMENT);
  if (!symbol || !volume || stopLoss === undefined || takeProfit === undefined || !magic || comment === undefined) {
    return undefined;
  }
  return { symbol, volume, stop_loss: stopLoss, take_profit: takeProfit, magic, comment };
};

const toPlacement = (fields: Record<string, unknown>): TradeRequest | undefined => {
  const terms = toOrderTerms(fields);
  const type = ORDER_TYPES.find((known) => known === fields.order_type);
  const price = toPriceText(fields.price);
  const limitPrice = orNull(fields.limit_price, toPriceText);
  if (!terms || !type || !price || limitPrice === undefined) return undefined;
  if (type.endsWith('stop_limit') !== (limitPrice !== null)) return undefined;
  return { action: 'place', order_type: type, price, limit_price: limitPrice, ...terms };
};

const toModification = (fields: Record<string, unknown>): TradeRequest | undefined => {
  const ticket = toTicket(fields.ticket);
  const stopLoss = orNull(fields.stop_loss, toPriceText);
  const takeProfit = orNull(fields.take_profit, toPriceText);
  const price = orNull(fields.price, toPriceText);
  if (!ticket || stopLoss === undefined || takeProfit === undefined || price === undefined) return undefined;
  return { action: 'modify', ticket, stop_loss: stopLoss, take_profit: takeProfit, price };
};

/** A request to trade, checked; undefined for anything else. Whether it can be carried out is for the ledger to say. */
export const toTradeRequest = (fields: Record<string, unknown>): TradeRequest | undefined => {
  switch (fields.action) {
    case 'open': {
      const terms = toOrderTerms(fields);
      const side = (['buy', 'sell'] as const).find((known) => known === fields.side);
      return terms && side && { action: 'open', side, ...terms };
    }
    case 'place':
      return toPlacement(fields);
    case 'close': {
      const ticket = toTicket(fields.ticket);
      const volume = orNull(fields.volume, toVolumeText);
      return ticket !== undefined && volume !== undefined ? { action: 'close', ticket, volume } : undefined;
    }
    case 'modify':
      return toModification(fields);
    case 'delete': {
      const ticket = toTicket(fields.ticket);
      return ticket === undefined ? undefined : { action: 'delete', ticket };
    }
    case 'set_price': {
      const symbol = toText(fields.symbol, MAX_NAME);
      const price = toPriceText(fields.price);
      return symbol && price ? { action: 'set_price', symbol, price } : undefined;
    }
    case 'move_money': {
      const side = (['balance', 'credit'] as const).find((known) => known === fields.side);
      const amount = toMoneyText(fields.amount);
      return side && amount ? { action: 'move_money', side, amount } : undefined;
    }
    default:
      return undefined;
  }
};

/** Whether it is a wish of who trades. What is the sandbox's own needs no permission. */
export const isTrade = ({ action }: TradeRequest): boolean => action !== 'set_price' && action !== 'move_money';

/** A message about money of a terminal, or undefined for anything else. */
export const toTradeMessage = (fields: Record<string, unknown>): TradeMessage | undefined => {
  if (fields.type === 'follow_account') return { type: 'follow_account' };
  const id = toInteger(fields.id, 0, MAX_ID);
  if (id === undefined) return undefined;
  if (fields.type === 'trade') {
    const request = toTradeRequest(fields);
    return request && { type: 'trade', id, ...request };
  }
  const after = orNull(fields.after, toTicket);
  const from = orNull(fields.from, toTimeText);
  return after === undefined || from === undefined ? undefined : { type: 'deals', id, after, from };
};
