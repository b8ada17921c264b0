/**
 * How long an account has to stay beyond the limit before a rule acts (`confirm_ms`). Pure.
 *
 * A look within the limit ends the wait. Nothing else does: it is in the marks, so it goes on over restarts and while
 * nothing is seen, and the first numbers that are still beyond the limit after the time act. Each day of a `daily_loss`
 * has a limit of its own, and a wait of its own. A clock that is set back lets the wait begin anew.
 */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { formatDecimal, highest, toUnits } from './decimal.ts';

export interface BeyondLook {
  isBeyond: boolean;
  used: bigint;
  nowMs: number;
  /** Whether the wait so far was for the limit of another day. */
  isOtherDay: boolean;
}

/** `touched`: the most that was used by an account that did not stay beyond the limit for long enough. */
export const confirmBreach = (
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
