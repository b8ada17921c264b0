/**
 * What a rule remembers of an account: its start, the starts of days, the highest equity. Pure.
 *
 * A day begins when its first moment has passed since the last look. So it begins once, whatever is edited in between,
 * and also after months without a look. A clock that is set back by more than a minute takes back the days that have
 * not begun yet: they begin again, with the numbers of then.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { MAX_RISK_DAYS } from '@berth/contract/values';
import type { AccountUnits, GuardedAccount } from './account.ts';
import { findDay } from './day.ts';
import { formatDecimal, highest, toUnits } from './decimal.ts';

const CLOCK_STEP_MS = 60_000;

const toBasis = ({ basis }: GuardRule, { balance, equity }: AccountUnits): bigint =>
  basis === 'higher' ? highest(balance, equity) : { balance, equity }[basis];

const beginMarks = (
  rule: GuardRule,
  { login, server }: GuardedAccount,
  units: AccountUnits,
  nowMs: number,
): RiskMarks => {
  const value = formatDecimal(toBasis(rule, units));
  return {
    ...{ login, server },
    start: value,
    high_water: formatDecimal(rule.trail === 'equity' ? units.equity : units.balance),
    last_balance: formatDecimal(units.balance),
    seen_at: nowMs,
    days: [{ at: nowMs, value, breach_id: null }],
    ...{ breach_id: null, is_warned: false },
  };
};

const takeBack = (days: RiskMarks['days'], nowMs: number): RiskMarks['days'] => {
  const begun = days.filter(({ at }) => at <= nowMs + CLOCK_STEP_MS);
  return begun.length > 0 ? begun : days.slice(0, 1);
};

/** The marks after another look at the account; those of a first look where there are none. */
export const advanceMarks = (
  rule: GuardRule,
  account: GuardedAccount,
  { marks, units, nowMs }: { marks: RiskMarks | undefined; units: AccountUnits; nowMs: number },
): RiskMarks => {
  if (!marks) return beginMarks(rule, account, units, nowMs);
  const days = takeBack(marks.days, nowMs);
  const begunMs = Math.max(marks.seen_at, days.at(-1)?.at ?? 0);
  const isNewDay = findDay(rule, nowMs).fromMs > begunMs;
  const value = formatDecimal(toBasis(rule, units));
  const dayEnd = isNewDay ? toUnits(marks.last_balance) : 0n;
  const reached = rule.trail === 'equity' ? units.equity : dayEnd;
  return {
    ...marks,
    high_water: formatDecimal(highest(toUnits(marks.high_water), reached)),
    last_balance: formatDecimal(units.balance),
    seen_at: nowMs,
    days: isNewDay ? [...days, { at: nowMs, value, breach_id: null }].slice(-MAX_RISK_DAYS) : days,
    is_warned: marks.is_warned && !(isNewDay && rule.kind === 'daily_loss'),
  };
};
