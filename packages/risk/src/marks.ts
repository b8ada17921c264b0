/**
 * What a rule remembers of an account: its start, the starts of days, the highest equity or balance. Pure.
 *
 * A day begins when its first moment has passed since the last look. So it begins once, whatever is edited in between,
 * and also after months without a look. A clock that is set back by more than a minute takes back the days that have
 * not begun yet: they begin again, with the numbers of then.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { MAX_NUMBERS_AGE_MS, MAX_RISK_DAYS, type AccountName, type MarkSource } from '@berth/contract/values';
import type { AccountUnits, GuardedAccount } from './account.ts';
import { findDay } from './day.ts';
import { formatDecimal, highest, toUnits } from './decimal.ts';
import { toInitial } from './reading.ts';

const CLOCK_STEP_MS = 60_000;

const toBasis = ({ basis }: GuardRule, { balance, equity }: AccountUnits): bigint =>
  basis === 'higher' ? highest(balance, equity) : { balance, equity }[basis];

/** The start of a day; what a limit follows within the day is noted where the rule has such a limit. */
const toDay = (
  rule: GuardRule,
  { high, ...day }: RiskMarks['days'][number],
  units: AccountUnits,
): RiskMarks['days'][number] => {
  if (typeof rule.day_trail !== 'string') return day;
  const reached = highest(toUnits(high ?? day.value), units[rule.day_trail]);
  return { ...day, high: formatDecimal(reached) };
};

const beginDay = (rule: GuardRule, units: AccountUnits, nowMs: number, source: MarkSource): RiskMarks['days'][number] =>
  toDay(rule, { at: nowMs, value: formatDecimal(toBasis(rule, units)), breach_id: null, source }, units);

/** Numbers that are as near to the beginning of a day as numbers have to be to act on them are those of its start. */
const toDaySource = ({ ageMs }: AccountUnits, nowMs: number, fromMs: number): MarkSource =>
  Math.abs(nowMs - ageMs - fromMs) <= MAX_NUMBERS_AGE_MS ? 'day_start' : 'first_numbers';

/** The marks of a first look at the account. */
export const beginMarks = (
  rule: GuardRule,
  { login, server }: AccountName,
  units: AccountUnits,
  nowMs: number,
  source: MarkSource = 'rule_start',
): RiskMarks => ({
  ...{ login, server },
  start: formatDecimal(toBasis(rule, units)),
  high_water: formatDecimal(rule.trail === 'equity' ? units.equity : units.balance),
  last_balance: formatDecimal(units.balance),
  seen_at: nowMs,
  days: [beginDay(rule, units, nowMs, source)],
  ...{ breach_id: null, source, is_warned: false },
});

/** The marks of the same account after a person has let the rule count from now on. Its initial balance stays what it is. */
export const resetMarks = (
  rule: GuardRule,
  account: GuardedAccount,
  { beyond_since: _, beyond_used: __, ...marks }: RiskMarks,
  units: AccountUnits,
  nowMs: number,
): RiskMarks => {
  const { initial_balance: initial } = account;
  const isMoved = marks.moved !== undefined && typeof initial === 'string';
  const moved = isMoved ? { moved: formatDecimal(toInitial(account, marks) - toUnits(initial)) } : {};
  return { ...marks, ...moved, ...beginMarks(rule, marks, units, nowMs, 'reset') };
};

/** What a trailing limit follows at this look; undefined: nothing new. */
const findReached = (
  { trail }: GuardRule,
  units: AccountUnits,
  { last_balance: lastBalance }: RiskMarks,
  isNewDay: boolean,
): bigint | undefined => {
  if (trail !== 'day_end_balance') return units[trail];
  return isNewDay ? toUnits(lastBalance) : undefined;
};

const takeBack = (days: RiskMarks['days'], nowMs: number): RiskMarks['days'] => {
  const begun = days.filter(({ at }) => at <= nowMs + CLOCK_STEP_MS);
  return begun.length > 0 ? begun : days.slice(0, 1);
};

/** The marks after another look at the account. */
export const advanceMarks = (rule: GuardRule, marks: RiskMarks, units: AccountUnits, nowMs: number): RiskMarks => {
  const days = takeBack(marks.days, nowMs);
  const begunMs = Math.max(marks.seen_at, days.at(-1)?.at ?? 0);
  const { fromMs } = findDay(rule, nowMs);
  const isNewDay = fromMs > begunMs;
  const highWater = toUnits(marks.high_water);
  const lastDays = days.map((day, at) => (at === days.length - 1 ? toDay(rule, day, units) : day));
  return {
    ...marks,
    high_water: formatDecimal(highest(highWater, findReached(rule, units, marks, isNewDay) ?? highWater)),
    last_balance: formatDecimal(units.balance),
    seen_at: nowMs,
    days: isNewDay
      ? [...days, beginDay(rule, units, nowMs, toDaySource(units, nowMs, fromMs))].slice(-MAX_RISK_DAYS)
      : lastDays,
    is_warned: marks.is_warned && !(isNewDay && rule.kind === 'daily_loss'),
  };
};
