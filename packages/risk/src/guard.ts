/**
 * The guard: what a rule decides on the numbers of an account. Pure, so that hosts, the trial on the past and the
 * simulation decide alike.
 *
 * A rule acts once for a breach. `daily_loss` can be breached again on the next day. Every other kind can be once the
 * account has recovered: a tenth of the limit away from it, or, for counts, back within the limit.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import type { BlindReason } from '@berth/contract/values';
import { findBlindReason, toAccountUnits, type AccountNumbers, type GuardedAccount } from './account.ts';
import { moveWithCash } from './cash.ts';
import { advanceMarks, beginMarks } from './marks.ts';
import { readRule, toText, toWarnAt, type RiskReading } from './reading.ts';

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
      /** The balance contains deals that are not known yet: nothing is decided for now. */
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
  const isOver = standing !== null && released?.has(standing) === true && hasExposure(numbers);
  return isOver ? noteBreach(rule, marks, null) : marks;
};

/** What the rule decides now. */
export const evaluateRule = (input: GuardInput): GuardVerdict => {
  const { rule, account, numbers, marks: before, nowMs, breachId, released } = input;
  const blind = findBlindReason(rule, account, numbers);
  const units = numbers && toAccountUnits(numbers);
  if (blind !== undefined || !numbers || !units) return { blind: blind ?? 'no_numbers' };
  const moved = moveWithCash(rule, before ?? beginMarks(rule, account, units, nowMs), numbers, nowMs);
  const { isWaiting } = moved;
  let marks = isWaiting
    ? moved.marks
    : armAgain(rule, advanceMarks(rule, moved.marks, units, nowMs), numbers, released);
  const reading = readRule(rule, account, { marks, units });
  // The listed positions can prove that there are too many lots, and never that there are not.
  if (rule.kind === 'max_volume' && !units.isComplete && !reading.isBreached) return { blind: 'unlisted_positions' };
  const standing = findStandingBreach(rule, marks);
  const isNew = reading.isBreached && standing === null && !isWaiting;
  if (isNew) marks = noteBreach(rule, marks, breachId);
  const isOver = standing !== null && reading.hasRecovered && rule.kind !== 'daily_loss' && !isWaiting;
  if (isOver) marks = noteBreach(rule, marks, null);
  const wasWarned = marks.is_warned;
  if (!isWaiting) marks = noteWarning(rule, marks, reading);
  return {
    blind: undefined,
    marks,
    used: toText(rule, reading.used),
    limit: toText(rule, reading.limit),
    warnAt: toText(rule, toWarnAt(rule, reading.limit)),
    breach: isNew
      ? { id: breachId, value: toText(rule, reading.value), limit: toText(rule, reading.level) }
      : undefined,
    standing: findStandingBreach(rule, marks),
    isNearLimit: marks.is_warned && !wasWarned && !isNew,
    isWaiting,
  };
};
