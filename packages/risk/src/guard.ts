/**
 * The guard: what a rule decides on the numbers of an account. Pure, so that hosts, the trial on the past and the
 * simulation decide alike.
 *
 * A rule acts once for a breach. `daily_loss` can be breached again on the next day. Every other kind can be once the
 * account has recovered: a tenth of the limit away from it, or, for counts, back within the limit. A breach that a person
 * has ended does not keep the rule from acting on what is opened afterwards.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { BlindReason } from '@berth/contract/values';
import {
  findBlindReason,
  toAccountUnits,
  type AccountNumbers,
  type AccountUnits,
  type GuardedAccount,
} from './account.ts';
import { moveWithCash } from './cash.ts';
import { advanceMarks, beginMarks, resetMarks } from './marks.ts';
import { readRule, toText, toWarnAt, type RiskReading } from './reading.ts';
import { formatDecimal, highest, toUnits } from './decimal.ts';

interface BeyondLook {
  isBeyond: boolean;
  used: bigint;
  nowMs: number;
  /** Whether the wait so far was for the limit of another day. */
  isOtherDay: boolean;
}

/**
 * How long an account has to stay beyond the limit before a rule acts (`confirm_ms`). Pure.
 *
 * A look within the limit ends the wait. Nothing else does: it is in the marks, so it goes on over restarts and while
 * nothing is seen, and the first numbers that are still beyond the limit after the time act. Each day of a `daily_loss`
 * has a limit of its own, and a wait of its own. A clock that is set back lets the wait begin anew. `touched`: the
 * most that was used by an account that did not stay beyond the limit for long enough.
 */
const confirmBreach = (
  { confirm_ms: confirmMs = 0 }: GuardRule,
  { beyond_since: beganMs, beyond_used: reached, ...marks }: RiskMarks,
  { isBeyond, used, nowMs, isOtherDay }: BeyondLook,
): { marks: RiskMarks; isConfirmed: boolean; touched: bigint | undefined } => {
  const isWaiting = beganMs !== undefined && beganMs <= nowMs;
  const goesOn = isBeyond && isWaiting && !isOtherDay;
  const sinceMs = goesOn ? beganMs : nowMs;
  const before = reached === undefined ? used : toUnits(reached);
  const isConfirmed = isBeyond && nowMs - sinceMs >= confirmMs;
  const most = goesOn ? highest(before, used) : used;
  const wait = isBeyond && !isConfirmed ? { beyond_since: sinceMs, beyond_used: formatDecimal(most) } : {};
  const hasEnded = beganMs !== undefined && (!isBeyond || isOtherDay);
  return { marks: { ...marks, ...wait }, isConfirmed, touched: hasEnded ? before : undefined };
};

export interface GuardInput {
  rule: GuardRule;
  account: GuardedAccount;
  /** Undefined where there were none yet. */
  numbers: AccountNumbers | undefined;
  /** Of this account. */
  marks: RiskMarks | undefined;
  nowMs: number;
  /** The id of the breach, if there is one. */
  breachId: string;
  /** Breaches that a person has ended: the rule acts again once something is open. */
  released?: ReadonlySet<string> | undefined;
  /** The breach that a person has ended so that the marks begin anew, unless they have done so. */
  reset?: string | undefined;
  /** The rule as it was when a breach was decided that is not over; undefined: as it is now. */
  findRule?: ((breachId: string) => GuardRule | undefined) | undefined;
}

export type GuardVerdict =
  | {
      /** Nothing was decided, and the marks are as they were. */
      blind: BlindReason;
    }
  | {
      blind: undefined;
      marks: RiskMarks;
      used: string;
      limit: string;
      warnAt: string;
      /** The limit is reached, and nothing was done about it yet. */
      breach: { id: string; value: string; limit: string } | undefined;
      /** The breach that is not over; null: there is none. */
      standing: string | null;
      isNearLimit: boolean;
      /** What was used at most by an account that is within the limit again, before the rule was to act. */
      touched: string | undefined;
      /** Nothing is decided for now: deals are not known yet, or the limit has not been reached for long enough. */
      isWaiting: boolean;
    };

const findStandingBreach = ({ kind }: GuardRule, marks: RiskMarks): string | null =>
  kind === 'daily_loss' ? (marks.days.at(-1)?.breach_id ?? null) : marks.breach_id;

const noteBreach = ({ kind }: GuardRule, marks: RiskMarks, breachId: string | null): RiskMarks =>
  kind === 'daily_loss'
    ? {
        ...marks,
        days: marks.days.map((day, at) => (at === marks.days.length - 1 ? { ...day, breach_id: breachId } : day)),
      }
    : { ...marks, breach_id: breachId };

/** Warned again only after it was well below the warning. */
const noteWarning = (rule: GuardRule, marks: RiskMarks, { used, limit }: RiskReading): RiskMarks => {
  const warnAt = toWarnAt(rule, limit);
  if (limit > 0n && used >= warnAt) return { ...marks, is_warned: true };
  return { ...marks, is_warned: marks.is_warned && used * 10n > warnAt * 9n };
};

/** Whether anything is open or pending. */
export const hasExposure = ({ positions, orders = 0 }: Pick<AccountNumbers, 'positions' | 'orders'>): boolean =>
  positions > 0 || orders > 0;

/** What a person has ended does not keep the rule from acting on what is opened afterwards. */
const armAgain = (rule: GuardRule, marks: RiskMarks, numbers: AccountNumbers, released: GuardInput['released']) => {
  const standing = findStandingBreach(rule, marks);
  const isReleased = standing !== null && (released?.has(standing) === true || standing === marks.reset);
  return isReleased && hasExposure(numbers) ? noteBreach(rule, marks, null) : marks;
};

/** The marks with this look. A reset begins them anew, once. */
const lookAgain = (
  { rule, account, marks: before, nowMs, reset }: GuardInput,
  marks: RiskMarks,
  units: AccountUnits,
) => {
  if (reset === undefined) return advanceMarks(rule, marks, units, nowMs);
  // Nothing begins anew where nothing was measured before.
  const isKnown = !before || before.reset === reset;
  if (isKnown) return { ...advanceMarks(rule, marks, units, nowMs), reset };
  // A limit that is reached even so, such as an amount, must not act on an account with nothing open.
  return noteBreach(rule, { ...resetMarks(rule, account, marks, units, nowMs), reset }, reset);
};

/** A tenth of the limit away from it, also of the one that the rule had then: loosening it ends no breach. */
const isRecovered = (
  { rule, account, findRule }: GuardInput,
  {
    standing,
    marks,
    units,
    reading,
  }: { standing: string; marks: RiskMarks; units: AccountUnits; reading: RiskReading },
): boolean => {
  if (standing === marks.reset) return !reading.isBreached;
  const decidedBy = findRule?.(standing) ?? rule;
  const hasRecovered = decidedBy === rule || readRule(decidedBy, account, { marks, units }).hasRecovered;
  return rule.kind !== 'daily_loss' && reading.hasRecovered && hasRecovered;
};

/** What the rule decides now. */
export const evaluateRule = (input: GuardInput): GuardVerdict => {
  const { rule, account, numbers, marks: before, nowMs, breachId, released } = input;
  const blind = findBlindReason(rule, account, numbers);
  const units = numbers && toAccountUnits(numbers);
  if (blind !== undefined || !numbers || !units) return { blind: blind ?? 'no_numbers' };
  const moved = moveWithCash(rule, before ?? beginMarks(rule, account, units, nowMs), numbers, nowMs);
  const lacksDeals = moved.isWaiting;
  let marks = lacksDeals ? moved.marks : armAgain(rule, lookAgain(input, moved.marks, units), numbers, released);
  const reading = readRule(rule, account, { marks, units });
  // The listed positions can prove that there are too many lots, and never that there are not.
  if (rule.kind === 'max_volume' && !units.isComplete && !reading.isBreached) return { blind: 'unlisted_positions' };
  const standing = findStandingBreach(rule, marks);
  const isBeyond = reading.isBreached && standing === null;
  const isOtherDay = rule.kind === 'daily_loss' && before?.days.at(-1)?.at !== marks.days.at(-1)?.at;
  const look = { isBeyond, used: reading.used, nowMs, isOtherDay };
  const { isConfirmed, touched, ...confirmed } = lacksDeals
    ? { marks, isConfirmed: false, touched: undefined }
    : confirmBreach(rule, marks, look);
  marks = isConfirmed ? noteBreach(rule, confirmed.marks, breachId) : confirmed.marks;
  const isOver = standing !== null && !lacksDeals && isRecovered(input, { standing, marks, units, reading });
  if (isOver) marks = noteBreach(rule, marks, null);
  const wasWarned = marks.is_warned;
  if (!lacksDeals) marks = noteWarning(rule, marks, reading);
  return {
    blind: undefined,
    marks,
    used: toText(rule, reading.used),
    limit: toText(rule, reading.limit),
    warnAt: toText(rule, toWarnAt(rule, reading.limit)),
    breach: isConfirmed
      ? { id: breachId, value: toText(rule, reading.value), limit: toText(rule, reading.level) }
      : undefined,
    standing: findStandingBreach(rule, marks),
    isNearLimit: marks.is_warned && !wasWarned && !isConfirmed,
    touched: touched === undefined ? undefined : toText(rule, touched),
    isWaiting: lacksDeals || marks.beyond_since !== undefined,
  };
};
