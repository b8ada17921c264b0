/**
 * Reads what a terminal's link program says. The folder is a stranger's: any program in the terminal may write there. So
 * every field is held to its kind and bounds, and a file of another shape is rejected. Reasons are for a person.
 */
import {
  dealEntries,
  dealSides,
  dealTypes,
  exitCauses,
  marginModes,
  MAX_REPORTED_DEALS,
  MAX_REPORTED_POSITIONS,
  orderTypes,
  positionSides,
} from '@berth/contract/values';
import { isParsable, type JsonLimits } from '@berth/kit';
import type { AccountState, PendingOrder, Position, ReportedDeal } from '@berth/contract/agent';
import {
  findWrong,
  hasDoubles,
  isAbsentOr,
  isAmount,
  isBoolean,
  isInteger,
  isLine,
  isMagic,
  isNullOr,
  isOneOf,
  isTicket,
  isTime,
  isVersion,
  pick,
  readItems,
  type Fields,
} from './file-checks.ts';
import { readRiskFacts, type RiskFacts } from './risk-facts.ts';

export const MAX_ACCOUNT_BYTES = 256 * 1024;
export const MAX_DEALS_BYTES = 1024 * 1024;

/** The state of an account as the terminal wrote it. */
export type WrittenAccount = Omit<AccountState, 'age_ms' | 'connected' | 'tick_age_ms'> & {
  login: string;
  server: string;
  /** Absent: the program is of an earlier version. */
  risk?: RiskFacts | undefined;
};

export interface WrittenDeals {
  login: string;
  server: string;
  after: string | null;
  is_complete: boolean;
  complete_until: string;
  deals: ReportedDeal[];
}

/** What became of a command: a return code of MQL5, or 0 for a command that was refused. */
export interface Answer {
  retcode: number;
  message: string;
  order: string | null;
  deal: string | null;
}

const isLogin = isLine(1, 64);
const isServer = isLine(1, 128);
const isSymbol = isLine(0, 64);
const isComment = isLine(0, 64);

const positionChecks = {
  ticket: isTicket,
  symbol: isSymbol,
  side: isOneOf(positionSides),
  volume: isAmount,
  open_price: isAmount,
  price: isAmount,
  stop_loss: isNullOr(isAmount),
  take_profit: isNullOr(isAmount),
  swap: isAmount,
  profit: isAmount,
  magic: isMagic,
  comment: isComment,
  opened_at: isTime,
};

const orderChecks = {
  ticket: isTicket,
  symbol: isSymbol,
  type: isOneOf(orderTypes),
  volume: isAmount,
  price: isAmount,
  stop_loss: isNullOr(isAmount),
  take_profit: isNullOr(isAmount),
  magic: isMagic,
  comment: isComment,
  placed_at: isTime,
};

const dealChecks = {
  ticket: isTicket,
  order: isTicket,
  position_id: isTicket,
  symbol: isSymbol,
  side: isOneOf(dealSides),
  entry: isOneOf(dealEntries),
  volume: isAmount,
  price: isAmount,
  commission: isAmount,
  swap: isAmount,
  profit: isAmount,
  magic: isMagic,
  comment: isComment,
  at: isTime,
  type: isAbsentOr(isOneOf(dealTypes)),
  fee: isAbsentOr(isAmount),
  out_by: isAbsentOr(isNullOr(isOneOf(exitCauses))),
};

const MAX_TOTAL = 1_000_000;

const accountChecks = {
  sequence: isInteger(Number.MAX_SAFE_INTEGER),
  at: isTime,
  login: isLogin,
  server: isServer,
  is_synchronized: isBoolean,
  trading_allowed: isBoolean,
  currency: isLine(1, 16),
  currency_digits: isInteger(8),
  leverage: isInteger(MAX_TOTAL),
  margin_mode: isOneOf(marginModes),
  balance: isAmount,
  credit: isAmount,
  equity: isAmount,
  profit: isAmount,
  margin: isAmount,
  free_margin: isAmount,
  margin_level: isNullOr(isAmount),
  positions_total: isInteger(MAX_TOTAL),
  orders_total: isInteger(MAX_TOTAL),
  last_deal: isNullOr(isTicket),
};

const dealsChecks = {
  login: isLogin,
  server: isServer,
  after: isNullOr(isTicket),
  is_complete: isBoolean,
  complete_until: isTime,
};

const answerChecks = {
  retcode: isInteger(99_999),
  message: isLine(0, 256),
  order: isNullOr(isTicket),
  deal: isNullOr(isTicket),
};

/** As many values as a thousand positions and as many orders have. */
const JSON_LIMITS: JsonLimits = { maxDepth: 4, maxMembers: 1_024, maxValues: 30_000 };

const parse = (bytes: Buffer): unknown => {
  if (!isParsable(bytes, JSON_LIMITS)) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/** The state in account.json; a text says which field is wrong. Pure. */
export const readAccount = (bytes: Buffer): WrittenAccount | string => {
  const fields = parse(bytes);
  const wrong = findWrong(fields, { v: isVersion, ...accountChecks });
  if (wrong !== undefined) return wrong;
  const { positions: givenPositions, orders: givenOrders } = fields as Fields;
  const positions = readItems<Position>(givenPositions, 'positions', MAX_REPORTED_POSITIONS, positionChecks);
  const orders = readItems<PendingOrder>(givenOrders, 'orders', MAX_REPORTED_POSITIONS, orderChecks);
  if (typeof positions === 'string') return positions;
  if (typeof orders === 'string') return orders;
  const account = pick<WrittenAccount>(fields, accountChecks);
  // What is listed is all there is, unless it does not fit.
  const toListed = (total: number) => Math.min(total, MAX_REPORTED_POSITIONS);
  if (toListed(account.positions_total) !== positions.length || hasDoubles(positions)) return 'positions_total';
  if (toListed(account.orders_total) !== orders.length || hasDoubles(orders)) return 'orders_total';
  const risk = readRiskFacts(fields as Fields);
  if (typeof risk === 'string') return risk;
  return { ...account, positions, orders, ...(risk ? { risk } : {}) };
};

/** The deals in deals.json; a text says which field is wrong. Pure. */
export const readDeals = (bytes: Buffer): WrittenDeals | string => {
  const fields = parse(bytes);
  const wrong = findWrong(fields, { v: isVersion, ...dealsChecks });
  if (wrong !== undefined) return wrong;
  const deals = readItems<ReportedDeal>((fields as Fields).deals, 'deals', MAX_REPORTED_DEALS, dealChecks);
  if (typeof deals === 'string') return deals;
  const written = { ...pick<WrittenDeals>(fields, dealsChecks), deals };
  let before = BigInt(written.after ?? -1);
  for (const { ticket } of deals) {
    if (BigInt(ticket) <= before) return 'deals (their tickets do not rise)';
    before = BigInt(ticket);
  }
  return written;
};

/** The answer to a command; undefined where the file is none. Pure. */
export const readAnswer = (bytes: Buffer, id: string): Answer | undefined => {
  const fields = parse(bytes);
  const wrong = findWrong(fields, { v: isVersion, id: (value) => value === id, ...answerChecks });
  return wrong === undefined ? pick<Answer>(fields, answerChecks) : undefined;
};
