/** A rule, tried on the past: the guard on steps of history. Pure. */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { findDay } from './day.ts';
import { parseDecimal } from './decimal.ts';
import { evaluateRule } from './guard.ts';

/** One step of history; its lowest and highest equity came in an order that nobody knows any more. */
export interface TrialStep {
  /** The end of the step. */
  atMs: number;
  balance: string;
  equity_min: string;
  equity_max: string;
  equity: string;
}

export interface TrialDay {
  day: string;
  atMs: number;
  value: string;
  limit: string;
  equityThen: string;
  equityAtDayEnd: string;
}

const account = { login: '', server: '' };

/**
 * The days on which the rule would have acted: each once. A year takes seconds, so it rests after each step for whoever has
 * other work, too. A step does not say how long its lowest equity lasted: the rule acts on it as if that was long enough.
 * @param steps oldest first
 */
export function* walkRule(given: GuardRule, steps: readonly TrialStep[]): Generator<undefined, TrialDay[]> {
  const rule: GuardRule = { ...given, confirm_ms: 0 };
  const found: TrialDay[] = [];
  let marks: RiskMarks | undefined;
  let before: TrialStep | undefined;
  for (const step of steps) {
    const { atMs, balance, equity_min: lowest, equity_max: highest, equity } = step;
    const { date: day } = findDay(rule, atMs);
    const isNewDay = before && findDay(rule, before.atMs).date !== day;
    // Lowest first: a trailing limit then follows a peak only afterwards, as if it had come last.
    const path = [lowest, highest, equity].map((each) => ({ balance, equity: each }));
    if (!marks) path.splice(0, 2);
    // A day begins with what the one before it ended with.
    if (before && isNewDay) path.unshift({ balance: before.balance, equity: before.equity });
    before = step;
    for (const each of path) {
      // Nobody remembers what was open: where both are equal, most likely nothing.
      const positions = parseDecimal(each.equity) === parseDecimal(each.balance) ? 0 : 1;
      const numbers = { ...account, ...each, volumes: [], positions, isSynchronised: true, ageMs: 0 };
      const verdict = evaluateRule({ rule, account, numbers, marks, nowMs: atMs, breachId: day });
      if (verdict.blind !== undefined) continue;
      marks = verdict.marks;
      if (!verdict.breach || found.at(-1)?.day === day) continue;
      const { value, limit } = verdict.breach;
      found.push({ day, atMs, value, limit, equityThen: each.equity, equityAtDayEnd: equity });
    }
    const last = found.at(-1);
    if (last?.day === day) last.equityAtDayEnd = equity;
    yield;
  }
  return found;
}

/** The same in one go. */
export const tryRule = (rule: GuardRule, steps: readonly TrialStep[]): TrialDay[] => {
  const walk = walkRule(rule, steps);
  for (;;) {
    const { done, value } = walk.next();
    if (done) return value;
  }
};
