/** What is used of a rule's limit, by the kind of the rule. Pure. */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { AccountUnits } from './account.ts';
import { formatDecimal, highest, lowest, takePercent, toUnits } from './decimal.ts';

const LOTS = 100_000_000n;

/** In units. */
export interface RiskReading {
  used: bigint;
  limit: bigint;
  isBreached: boolean;
  /** Whether it is so far from the limit that reaching it again is another breach. */
  hasRecovered: boolean;
  /** What a breach states: equity and the equity at which the rule acts; for counts, the counts. */
  value: bigint;
  level: bigint;
}

/** The limit as an amount; nothing, where it is a share of nothing or less. */
const toLimit = ({ amount, percent }: GuardRule, reference: bigint): bigint => {
  if (amount !== null) return toUnits(amount);
  return reference > 0n && percent !== null ? takePercent(reference, toUnits(percent)) : 0n;
};

/** Recovered: a tenth of the limit away from it, so that a value that moves around the limit is one breach. */
const toMoney = (used: bigint, limit: bigint, value: bigint, level: bigint): RiskReading => ({
  ...{ used: highest(0n, used), limit, value, level },
  isBreached: limit > 0n && used >= limit,
  hasRecovered: used * 10n <= limit * 9n,
});

const toCount = (used: bigint, limit: bigint): RiskReading => ({
  ...{ used, limit, value: used, level: limit },
  isBreached: used > limit,
  hasRecovered: used <= limit,
});

const readTrailing = (rule: GuardRule, marks: RiskMarks, equity: bigint): RiskReading => {
  const high = toUnits(marks.high_water);
  const limit = toLimit(rule, high);
  const level = rule.trail_stops_at === null ? high - limit : lowest(high - limit, toUnits(rule.trail_stops_at));
  return toMoney(level + limit - equity, limit, equity, level);
};

/** A floor is a loss since the start; below it from the start, it is reached at once. */
const readFloor = (rule: GuardRule, marks: RiskMarks, equity: bigint): RiskReading => {
  const [start, floor] = [toUnits(marks.start), toLimit(rule, 0n)];
  const limit = highest(0n, start - floor);
  const isBreached = equity <= floor;
  const hasRecovered = !isBreached && (start - equity) * 10n <= limit * 9n;
  return { used: highest(0n, start - equity), limit, isBreached, hasRecovered, value: equity, level: floor };
};

/** How the rule stands with these numbers. */
export const readRule = (
  rule: GuardRule,
  marks: RiskMarks,
  { equity, volume, positions }: AccountUnits,
): RiskReading => {
  const start = toUnits(marks.start);
  switch (rule.kind) {
    case 'daily_loss': {
      const dayStart = toUnits(marks.days.at(-1)?.value ?? marks.start);
      const limit = toLimit(rule, dayStart);
      return toMoney(dayStart - equity, limit, equity, dayStart - limit);
    }
    case 'max_drawdown': {
      const limit = toLimit(rule, start);
      return toMoney(start - equity, limit, equity, start - limit);
    }
    case 'trailing_drawdown':
      return readTrailing(rule, marks, equity);
    case 'equity_floor':
      return readFloor(rule, marks, equity);
    case 'profit_target': {
      const limit = toLimit(rule, start);
      return toMoney(equity - start, limit, equity, start + limit);
    }
    case 'max_volume':
      return toCount(volume, toLimit(rule, 0n));
    case 'max_positions':
      return toCount(BigInt(positions) * LOTS, toLimit(rule, 0n));
  }
};

/** At which the rule warns. */
export const toWarnAt = ({ warn_percent: percent }: GuardRule, limit: bigint): bigint =>
  (limit * BigInt(percent)) / 100n;

/** A number of a rule as text: counts of positions without decimals. */
export const toText = ({ kind }: Pick<GuardRule, 'kind'>, units: bigint): string =>
  formatDecimal(units, kind === 'max_positions' ? 0 : 2);
