/**
 * Moves what a rule remembers of an account with deposits and withdrawals: they are neither profit nor loss. Pure.
 *
 * A balance may be seen before the deals that changed it. The rule then decides nothing, but for two seconds at most: what
 * is not known by then counts as a result, because a loss must not wait for long. Its deal, when it comes, is not counted
 * a second time. A deal may also be seen before the balance has it; it moves nothing until then.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { AccountNumbers, CashFlows } from './account.ts';
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

/** What the new flows move. What counted as a result before its deal came stays one. */
const sumNews = (flows: CashFlows['flows'], unexplained: string | undefined): bigint => {
  const counted = unexplained === undefined ? 0n : toUnits(unexplained);
  const amounts = flows.map(({ amount }) => toUnits(amount));
  const at = counted === 0n ? -1 : amounts.indexOf(counted);
  return amounts.filter((_, index) => index !== at).reduce((sum, amount) => sum + amount, 0n);
};

/** The marks with what is known; `isWaiting` where the balance contains deals that are not. */
export const moveWithCash = (
  rule: GuardRule,
  { waits_since: waitsSince, cash_until: cashUntil, unexplained, ...marks }: RiskMarks,
  { balance, lastDeal, cash }: AccountNumbers,
  nowMs: number,
): { marks: RiskMarks; isWaiting: boolean } => {
  if (rule.cash_flows === 'ignore' || UNMOVED.includes(rule.kind)) return { marks, isWaiting: false };
  if (!cash) {
    const known = cashUntil === undefined ? {} : { cash_until: cashUntil };
    return { marks: { ...marks, ...known }, isWaiting: false };
  }
  const last = lastDeal ?? NO_DEAL;
  // What the balance contained when it was looked at first is in the marks.
  if (cashUntil === undefined) return { marks: { ...marks, cash_until: last }, isWaiting: false };
  const isNew = ({ ticket }: { ticket: string }) =>
    BigInt(ticket) > BigInt(cashUntil) && BigInt(ticket) <= BigInt(last);
  const amount = sumNews(cash.flows.filter(isNew), unexplained);
  const sinceMs = waitsSince ?? nowMs;
  const mayWait = nowMs - sinceMs < MAX_WAIT_MS && nowMs >= sinceMs;
  const hasMoved = toUnits(marks.last_balance) !== toUnits(balance);
  const kept = unexplained === undefined ? {} : { unexplained };
  // A deposit that the balance does not contain yet: both are as they were, and are compared as they were.
  if (amount !== 0n && !hasMoved && mayWait) {
    return { marks: { ...marks, ...kept, cash_until: cashUntil, waits_since: sinceMs }, isWaiting: false };
  }
  const moved = moveBy(marks, amount);
  const until = cash.until ?? NO_DEAL;
  const hasDeal = BigInt(last) > BigInt(cashUntil);
  const isExplained = toUnits(moved.last_balance) === toUnits(balance);
  const isKnown = isExplained || (hasDeal && BigInt(until) >= BigInt(last));
  if (isKnown || !mayWait) {
    const left = toUnits(balance) - toUnits(moved.last_balance);
    const rest = hasDeal ? {} : isKnown ? kept : { unexplained: formatDecimal(left) };
    return { marks: { ...moved, ...rest, cash_until: newest(cashUntil, last) }, isWaiting: false };
  }
  return {
    marks: { ...moved, ...kept, cash_until: newest(cashUntil, until), waits_since: sinceMs },
    isWaiting: true,
  };
};
