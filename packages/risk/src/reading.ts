/** What is used of a rule's limit, by the kind of the rule: the definitions of docs/risk.md. Pure. */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { AccountUnits, GuardedAccount } from './account.ts';
import { formatDecimal, highest, lowest, takePercent, toUnits } from './decimal.ts';

const LOTS = 100_000_000n;

/** In units. */
export interface RiskReading {
  used: bigint;
  /** At which the rule acts. */
  limit: bigint;
  isBreached: boolean;
  /** Whether it is so far from the limit that reaching it again is another breach. */
  hasRecovered: boolean;
  /** What a breach states: what the rule measures, and at which of it the rule acts; for counts, the counts. */
  value: bigint;
  level: bigint;
}

/** The limit as an amount; nothing, where it is a share of nothing or less. */
const toLimit = ({ amount, percent }: GuardRule, reference: bigint): bigint => {
  if (amount !== null) return toUnits(amount);
  return reference > 0n && percent !== null ? takePercent(reference, toUnits(percent)) : 0n;
};

const toMeasure = ({ kind, measure }: GuardRule): NonNullable<GuardRule['measure']> =>
  measure ?? (kind === 'profit_target' ? 'balance' : 'equity');

/**
 * What the account began with, moved like the marks; where nobody knows, what it came to when the rule began. Of an account
 * that was empty then, what has moved is what it began with.
 */
export const toInitial = (
  { initial_balance: initial }: GuardedAccount,
  { start, moved = '0', source }: RiskMarks,
): bigint => {
  const cash = toUnits(moved);
  const wasEmpty = source !== 'reset' && cash !== 0n && toUnits(start) === cash;
  return typeof initial === 'string' && !wasEmpty ? toUnits(initial) + cash : toUnits(start);
};

/** A tenth of the limit away from it, so that a value that moves around the limit is one breach. */
const hasRecovered = (used: bigint, limit: bigint): boolean => used * 10n <= limit * 9n;

const toCount = (used: bigint, limit: bigint): RiskReading => ({
  ...{ used, limit, value: used, level: limit },
  isBreached: used > limit,
  hasRecovered: used <= limit,
});

/** What a loss is counted from. */
const toReference = ({ kind, day_trail: trail }: GuardRule, marks: RiskMarks, initial: bigint): bigint => {
  if (kind === 'max_drawdown') return initial;
  if (kind === 'trailing_drawdown') return toUnits(marks.high_water);
  const { value, high = value } = marks.days.at(-1) ?? { value: marks.start };
  return typeof trail === 'string' ? highest(toUnits(value), toUnits(high)) : toUnits(value);
};

/** A trailing limit rises no higher than where it stops. */
const toStopped = (level: bigint, rule: GuardRule, { moved = '0' }: RiskMarks, initial: bigint): bigint => {
  const { kind, trail_stops_at: amount, trail_stops_at_initial_plus: plus } = rule;
  if (kind !== 'trailing_drawdown') return level;
  if (amount !== null) return lowest(level, toUnits(amount) + toUnits(moved));
  return typeof plus === 'string' ? lowest(level, initial + toUnits(plus)) : level;
};

const readLoss = (rule: GuardRule, marks: RiskMarks, initial: bigint, value: bigint): RiskReading => {
  const reference = toReference(rule, marks, initial);
  const full = toLimit(rule, rule.percent_of === 'initial' ? initial : reference);
  const floor = toStopped(reference - full, rule, marks, initial);
  const buffer = toUnits(rule.buffer ?? '0');
  const [used, limit, level] = [floor + full - value, highest(0n, full - buffer), floor + buffer];
  return {
    ...{ used: highest(0n, used), limit, value, level },
    isBreached: full > 0n && value <= level,
    hasRecovered: hasRecovered(used, limit),
  };
};

/** A floor is a loss since the start; below it from the start, it is reached at once. */
const readFloor = (rule: GuardRule, marks: RiskMarks, value: bigint): RiskReading => {
  const level = toLimit(rule, 0n) + toUnits(rule.buffer ?? '0');
  const start = toUnits(marks.start);
  const [used, limit] = [start - value, highest(0n, start - level)];
  const isBreached = value <= level;
  return {
    ...{ used: highest(0n, used), limit, value, level, isBreached },
    hasRecovered: !isBreached && hasRecovered(used, limit),
  };
};

/** A balance counts once nothing is open: what is open can still take it away. */
const readTarget = (rule: GuardRule, initial: bigint, value: bigint, positions: number): RiskReading => {
  const limit = toLimit(rule, initial);
  const [used, level] = [value - initial, initial + limit];
  const isFinal = toMeasure(rule) === 'equity' || positions === 0;
  return {
    ...{ used: highest(0n, used), limit, value, level },
    isBreached: limit > 0n && value >= level && isFinal,
    hasRecovered: hasRecovered(used, limit),
  };
};

/** How the rule stands with these numbers. */
export const readRule = (
  rule: GuardRule,
  account: GuardedAccount,
  { marks, units }: { marks: RiskMarks; units: AccountUnits },
): RiskReading => {
  const initial = toInitial(account, marks);
  const value = units[toMeasure(rule)];
  switch (rule.kind) {
    case 'daily_loss':
    case 'max_drawdown':
    case 'trailing_drawdown':
      return readLoss(rule, marks, initial, value);
    case 'equity_floor':
      return readFloor(rule, marks, value);
    case 'profit_target':
      return readTarget(rule, initial, value, units.positions);
    case 'max_volume':
      return toCount(units.volume, toLimit(rule, 0n));
    case 'max_positions':
      return toCount(BigInt(units.positions) * LOTS, toLimit(rule, 0n));
  }
};

/** At which the rule warns. */
export const toWarnAt = ({ warn_percent: percent }: GuardRule, limit: bigint): bigint =>
  (limit * BigInt(percent)) / 100n;

/** A number of a rule as text: counts of positions without decimals. */
export const toText = ({ kind }: Pick<GuardRule, 'kind'>, units: bigint): string =>
  formatDecimal(units, kind === 'max_positions' ? 0 : 2);
