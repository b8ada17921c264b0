/**
 * Moves what a rule remembers of an account with deposits and withdrawals: they are neither profit nor loss. Pure.
 *
 * A balance may be seen before the deals that changed it. The rule then decides nothing, but for two seconds at most: what
 * is not known by then counts as a result, because a loss must not wait for long.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { AccountNumbers } from './account.ts';
import { formatDecimal, toUnits } from './decimal.ts';

const MAX_WAIT_MS = 2_000;

/** Tickets rise from 1. */
const NO_DEAL = '0';
const newest = (a: string, b: string): string => (BigInt(a) > BigInt(b) ? a : b);

const moveBy = (marks: RiskMarks, amount: bigint): RiskMarks => {
  if (amount === 0n) return marks;
  const move = (value: string) => formatDecimal(toUnits(value) + amount);
  return {
    ...marks,
    ...{ start: move(marks.start), high_water: move(marks.high_water), last_balance: move(marks.last_balance) },
    days: marks.days.map((day) => ({
      ...{ ...day, value: move(day.value) },
      ...(day.high === undefined ? {} : { high: move(day.high) }),
    })),
    moved: move(marks.moved ?? '0'),
  };
};

/** Kinds whose limit does not depend on what the account has come to. */
const UNMOVED: readonly string[] = ['equity_floor', 'max_volume', 'max_positions'];

/** The marks with what is known; `isWaiting` where the balance contains deals that are not. */
export const moveWithCash = (
  rule: GuardRule,
  { waits_since: waitsSince, cash_until: cashUntil, ...marks }: RiskMarks,
  { balance, lastDeal, cash }: AccountNumbers,
  nowMs: number,
): { marks: RiskMarks; isWaiting: boolean } => {
  if (!cash || rule.cash_flows === 'ignore' || UNMOVED.includes(rule.kind)) return { marks, isWaiting: false };
  const last = lastDeal ?? NO_DEAL;
  // What the balance contained when it was looked at first is in the marks.
  if (cashUntil === undefined) return { marks: { ...marks, cash_until: last }, isWaiting: false };
  const isNew = ({ ticket }: { ticket: string }) =>
    BigInt(ticket) > BigInt(cashUntil) && BigInt(ticket) <= BigInt(last);
  const amount = cash.flows.filter(isNew).reduce((sum, flow) => sum + toUnits(flow.amount), 0n);
  const moved = moveBy(marks, amount);
  const until = cash.until ?? NO_DEAL;
  const isKnown = BigInt(until) >= BigInt(last) || toUnits(moved.last_balance) === toUnits(balance);
  const sinceMs = waitsSince ?? nowMs;
  if (isKnown || nowMs - sinceMs >= MAX_WAIT_MS || nowMs < sinceMs) {
    return { marks: { ...moved, cash_until: newest(cashUntil, last) }, isWaiting: false };
  }
  return { marks: { ...moved, cash_until: newest(cashUntil, until), waits_since: sinceMs }, isWaiting: true };
};
