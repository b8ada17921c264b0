/**
 * What account.json says for risk rules besides the account. Programs of before 1.1.0 say nothing of it. The host decides
 * on it; owners see whether it is connected, and when its prices last came.
 */
import { tradeDenials, type TradeDenial } from '@berth/contract/values';
import {
  findWrong,
  hasDoubles,
  isAmount,
  isBoolean,
  isNullOr,
  isObject,
  isOneOf,
  isTicket,
  isTime,
  pick,
  readItems,
  type Check,
  type Fields,
} from './file-checks.ts';

export interface CashFlow {
  ticket: string;
  /** What came, or with a minus went. */
  amount: string;
}

export interface RiskFacts {
  connected: boolean;
  /** When a held symbol whose market is open last had a price; null: there is none. */
  last_tick_at: string | null;
  /** What stands against orders; empty: nothing. */
  trade_denied_by: TradeDenial[];
  /** Deposits and withdrawals up to a deal, newest first; null: the history is not there yet. */
  cash: { until: string | null; flows: CashFlow[] } | null;
}

const MAX_CASH_FLOWS = 64;

const isDenials: Check = (value) =>
  Array.isArray(value) && value.length <= tradeDenials.length && value.every(isOneOf(tradeDenials));

const factChecks = {
  connected: isBoolean,
  last_tick_at: isNullOr(isTime),
  trade_denied_by: isDenials,
  cash: isNullOr(isObject),
};
const NAMES = Object.keys(factChecks);

/** @returns undefined where there are none; a text says which field is wrong. Pure. */
export const readRiskFacts = (fields: Fields): RiskFacts | string | undefined => {
  // The expert of MetaTrader 4 says some of it only.
  const given = { last_tick_at: null, cash: null, ...fields };
  if (NAMES.every((name) => fields[name] === undefined)) return undefined;
  const wrong = findWrong(given, factChecks);
  if (wrong !== undefined) return wrong;
  const facts = pick<RiskFacts>(given, factChecks);
  if (facts.cash === null) return facts;
  const { until, flows: givenFlows } = facts.cash;
  if (!isNullOr(isTicket)(until)) return 'cash.until';
  const flows = readItems<CashFlow>(givenFlows, 'cash.flows', MAX_CASH_FLOWS, { ticket: isTicket, amount: isAmount });
  if (typeof flows === 'string') return flows;
  return hasDoubles(flows) ? 'cash.flows' : { ...facts, cash: { until, flows } };
};
