/** What an account has: money, positions, pending orders, deals. Amounts, prices and volumes are decimal strings (`money.ts`). */
import { DECIMAL_PATTERN } from '../money.ts';
import { RiskState } from '../risk/state.ts';
import { Line, Nullable, NullableTimestamp, OneOf, Timestamp, Type, Uuid, type Static } from '../schema.ts';
import {
  dealEntries,
  dealSides,
  dealTypes,
  exitCauses,
  initialBalanceSources,
  marginModes,
  MAX_REPORTED_POSITIONS,
  MAX_TICK_AGE_MS,
  orderTypes,
  positionSides,
  type ExitCause,
  type InitialBalanceSource,
} from './limits.ts';

/** A decimal string. */
export const Amount = (description: string) =>
  Type.String({ pattern: DECIMAL_PATTERN, description, examples: ['10000.00'] });
export const NullableAmount = (description: string) =>
  Nullable('string', { pattern: DECIMAL_PATTERN, description, examples: ['10000.00', null] });

const TICKET_PATTERN = '^(0|[1-9]\\d{0,17})$';
/** A number of the broker, as a string: it may be larger than what a float holds exactly. */
export const Ticket = (description: string) =>
  Type.String({ pattern: TICKET_PATTERN, description, examples: ['481516'] });
export const NullableTicket = (description: string) =>
  Nullable('string', { pattern: TICKET_PATTERN, description, examples: ['481516', null] });
const Magic = Type.String({ pattern: '^-?\\d{1,20}$', description: 'Of the expert; 0: none', examples: ['0'] });
const SymbolName = Line({ maxLength: 64 });
const Comment = Line({ maxLength: 64 });
const BrokerTime = (description: string) => Type.String({ maxLength: 40, isoDateTime: true, description });

/** An open position. */
export const Position = Type.Object({
  ticket: Ticket('Of the position'),
  symbol: SymbolName,
  side: OneOf(positionSides),
  volume: Amount('In lots'),
  open_price: Amount('Price at which it was opened'),
  price: Amount('Price at which it could be closed'),
  stop_loss: NullableAmount('null: none'),
  take_profit: NullableAmount('null: none'),
  swap: Amount("In the account's currency"),
  profit: Amount("In the account's currency, without swap and commission"),
  magic: Magic,
  comment: Comment,
  opened_at: BrokerTime('When it was opened, UTC'),
});
/** An open position. */
export type Position = Static<typeof Position>;

/** A pending order. */
export const PendingOrder = Type.Object({
  ticket: Ticket('Of the order'),
  symbol: SymbolName,
  type: OneOf(orderTypes),
  volume: Amount('In lots'),
  price: Amount('Price at which it becomes a trade'),
  stop_loss: NullableAmount('null: none'),
  take_profit: NullableAmount('null: none'),
  magic: Magic,
  comment: Comment,
  placed_at: BrokerTime('When it was placed, UTC'),
});
/** A pending order. */
export type PendingOrder = Static<typeof PendingOrder>;

const deal = {
  ticket: Ticket('Of the deal; unique within the account'),
  order: Ticket('That it carried out; 0: none'),
  position_id: Ticket('That it opened, changed or closed; 0: none'),
  symbol: Line({ maxLength: 64, description: 'Empty: it is about no symbol' }),
  side: OneOf(dealSides, { description: '`balance` and `credit` move money without a trade' }),
  entry: OneOf(dealEntries, { description: 'Whether it opened, closed, or turned round' }),
  volume: Amount('In lots'),
  price: Amount('Price of the trade'),
  commission: Amount("In the account's currency. Link programs of before 1.2.0 add the fee to it"),
  swap: Amount("In the account's currency"),
  profit: Amount("In the account's currency, without commission, fee and swap"),
  magic: Magic,
  comment: Comment,
  at: BrokerTime('When it was made, UTC'),
};
const dealFacts = {
  type: OneOf(dealTypes, {
    description: 'What it is. Of link programs of before 1.2.0: `trade`, `balance`, `credit` or `other`, by `side`',
  }),
  fee: Amount("In the account's currency, beside the commission. 0 from link programs of before 1.2.0"),
  out_by: Nullable<ExitCause>('string', {
    enum: [...exitCauses, null],
    description: 'What closed the position; `expert`: a program, Berth among them. null: it closed none, or not known',
  }),
};

/** Something that moved money or volume. */
export const Deal = Type.Object({ ...deal, ...dealFacts });
/** Something that moved money or volume. */
export type Deal = Static<typeof Deal>;

/** A deal as hosts say it: those with an older link program know less. */
export const ReportedDeal = Type.Object({
  ...deal,
  type: Type.Optional(dealFacts.type),
  fee: Type.Optional(dealFacts.fee),
  out_by: Type.Optional(dealFacts.out_by),
});
export type ReportedDeal = Static<typeof ReportedDeal>;

const money = {
  currency: Line({ maxLength: 16, minLength: 1 }),
  currency_digits: Type.Integer({ minimum: 0, maximum: 8, description: 'Digits after the point of its amounts' }),
  leverage: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  margin_mode: OneOf(marginModes),
  balance: Amount('Without what is open'),
  credit: Amount('Lent by the broker'),
  equity: Amount('With what is open'),
  profit: Amount('Of what is open'),
  margin: Amount('Used'),
  free_margin: Amount('Not used'),
  margin_level: NullableAmount('Equity in percent of the used margin; null: none is used'),
  trading_allowed: Type.Boolean({ description: 'Whether experts can trade now' }),
  is_synchronized: Type.Boolean({ description: 'Whether the terminal has all of it from the trading server' }),
  positions_total: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Also those that are not listed' }),
  orders_total: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Also those that are not listed' }),
};

/** What a host says of an account: held to these limits and to `toBoundedPositions`. */
export const AccountState = Type.Object({
  sequence: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Rises from state to state of a terminal',
  }),
  age_ms: Type.Integer({ minimum: 0, maximum: 86_400_000, description: 'How long ago the host saw it' }),
  at: Line({
    maxLength: 40,
    description: "When the terminal wrote it, by the host's clock; the server looks at `age_ms`",
  }),
  ...money,
  positions: Type.Array(Position, { maxItems: MAX_REPORTED_POSITIONS }),
  orders: Type.Array(PendingOrder, { maxItems: MAX_REPORTED_POSITIONS }),
  last_deal: NullableTicket('Newest deal that the terminal knows; null: it knows none'),
  connected: Type.Optional(
    Type.Boolean({ description: 'Whether it is connected to its trading server. Absent: not known' }),
  ),
  tick_age_ms: Type.Optional(
    Nullable<number>('integer', {
      minimum: 0,
      maximum: MAX_TICK_AGE_MS,
      description: 'How old the newest price of a held symbol was at `at`; null or absent: not known',
    }),
  ),
});
export type AccountState = Static<typeof AccountState>;

/** What an account began with. */
export const InitialBalance = Type.Object({
  initial_balance: NullableAmount('What limits of risk rules count from; null: not known'),
  initial_balance_source: Nullable<InitialBalanceSource>('string', {
    enum: [...initialBalanceSources, null],
    description: '`owner`: it was set. `first_deposit`: the first deal of the account; null: not known',
  }),
});
/** What an account began with. */
export type InitialBalance = Static<typeof InitialBalance>;

/** The account of a terminal, as its host saw it last. */
export const TradingAccount = Type.Object({
  seen_at: Timestamp('When the host saw it'),
  is_current: Type.Boolean({
    description: 'false: older than 15 seconds, or the terminal is not active. Do not act on it',
  }),
  login: Type.String(),
  server: Type.String({ description: 'Trading server' }),
  ...money,
  connected: Nullable<boolean>('boolean', {
    description: 'Whether the terminal is connected to its trading server; null: not known',
  }),
  synchronized: Type.Boolean({ description: 'The same as `is_synchronized`' }),
  last_tick_at: NullableTimestamp('When a held symbol whose market is open last had a price; null: not known'),
  ...InitialBalance.properties,
  positions: Type.Array(Position, { description: 'As many as fit into 64 kB, together with the orders' }),
  orders: Type.Array(PendingOrder, { description: 'Pending ones' }),
});
/** The account of a terminal, as its host saw it last. */
export type TradingAccount = Static<typeof TradingAccount>;

/** A minute, a quarter of an hour, an hour or a day of an account. */
export const AccountPoint = Type.Object({
  at: Timestamp('When it began'),
  balance: Amount('At its end'),
  equity_min: Amount('Lowest equity in it'),
  equity_max: Amount('Highest equity in it'),
  equity: Amount('At its end'),
  profit: Amount('Of what was open at its end'),
});
/** A minute, a quarter of an hour, an hour or a day of an account. */
export type AccountPoint = Static<typeof AccountPoint>;

/** The numbers of an account that fit into a row. */
export const AccountFigures = Type.Object({
  seen_at: Timestamp('When the host saw it'),
  currency: money.currency,
  currency_digits: money.currency_digits,
  balance: money.balance,
  credit: money.credit,
  equity: money.equity,
  profit: money.profit,
  margin: money.margin,
  free_margin: money.free_margin,
  margin_level: money.margin_level,
  positions_total: money.positions_total,
  orders_total: money.orders_total,
});

/** An account among many. */
export const AccountOverview = Type.Object({
  terminal_id: Uuid('Terminal'),
  project_id: Uuid('That the terminal is in'),
  login: Type.String(),
  server: Type.String({ description: 'Trading server' }),
  seen_at: Timestamp('When the host saw it'),
  is_current: TradingAccount.properties.is_current,
  currency: money.currency,
  currency_digits: money.currency_digits,
  balance: money.balance,
  equity: money.equity,
  profit: money.profit,
  result_today: Amount('Change of the equity since midnight UTC, deposits and withdrawals among it'),
  drawdown_today_percent: Type.Number({ description: 'Below the highest equity since midnight UTC, in percent of it' }),
  positions: Type.Integer({ description: 'How many are open' }),
  rules: Type.Array(RiskState, { description: 'How the risk rules of the terminal fare' }),
});
/** An account among many. */
export type AccountOverview = Static<typeof AccountOverview>;

/** All accounts of one currency together. One that two terminals are logged in to counts once. */
export const AccountTotals = Type.Object({
  currency: money.currency,
  accounts: Type.Integer({ description: 'How many' }),
  not_current: Type.Integer({ description: 'How many of them have old numbers' }),
  balance: money.balance,
  equity: money.equity,
  profit: money.profit,
  result_today: AccountOverview.properties.result_today,
  positions: Type.Integer({ description: 'How many are open' }),
});
/** All accounts of one currency together. */
export type AccountTotals = Static<typeof AccountTotals>;

/** How far the deals go that the server has. */
export const DealCursor = Type.Object({
  terminal_id: Uuid('Terminal'),
  last_ticket: NullableTicket('Newest deal that the server has; null: none'),
  complete_until: NullableTimestamp('Until then it has all of them'),
});
export type DealCursor = Static<typeof DealCursor>;
