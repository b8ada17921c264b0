/**
 * Locks that end by themselves (`lock_until: next_day`). When is decided as the terminal is locked, by the rule as it was
 * when it acted; that time stands in the terminal's row, so that it holds over any restart. Every server takes back what
 * is due, also what came due while none was up; of two at once, one does.
 */
import type { Logger } from '@berth/kit';
import { findDay, type RiskDayRule } from '@berth/risk';
import { recordAudit, systemActor } from '../audit/record.ts';
import { DatabaseUnavailableError, sql, type Database, type Queryable } from '../db/database.ts';
import type { Lock } from './lock-terminal.ts';
import { unlockTerminal } from './unlock-terminal.ts';

/** When it was decided, the host's clock says, as for everything that the rule does; one that is ahead prolongs no lock. */
const ruleStatement = sql(
  'find_lock_rule_of_breach',
  `select b.rule_name, least(b.decided_at, now()) as decided_at, coalesce(v.rule ->> 'lock_until', r.lock_until) as lock_until,
     coalesce(v.rule ->> 'day_starts', r.day_starts) as day_starts, coalesce(v.rule ->> 'time_zone', r.time_zone) as time_zone
   from risk_breaches b left join risk_rules r on r.id = b.rule_id
     left join risk_rule_versions v on v.rule_id = b.rule_id and v.version = b.rule_version
   where b.id = $1`,
);

interface LockRule extends RiskDayRule {
  rule_name: string;
  decided_at: string;
  /** null: the rule was deleted so long ago that it is not known any more. */
  lock_until: string | null;
}

/** `2026-11-30 00:00` */
const toLocalText = (timeZone: string, at: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at);

/** The lock of a breach, which belongs to the day in which it was decided. */
export const toLock = (rule: LockRule): Lock => {
  const reason = `The risk rule "${rule.rule_name}" was breached.`;
  if (rule.lock_until !== 'next_day') return { reason, endsAt: null };
  const endsAt = new Date(findDay(rule, Date.parse(rule.decided_at)).untilMs);
  const { time_zone: zone } = rule;
  return { reason: `${reason} The lock ends by itself at ${toLocalText(zone, endsAt)} (${zone}).`, endsAt };
};

/** The lock of a breach that the transaction holds. */
export const findLock = async (tx: Queryable, breachId: string): Promise<Lock> =>
  toLock((await tx.query<LockRule>(ruleStatement, [breachId]))[0]!);

/** Of one round. A day begins for many at once; the others follow in the next rounds. */
const MAX_ENDED = 100;

const dueStatement = sql(
  'list_ended_locks',
  `select id, user_id from terminals where lock_ends_at <= now() and deleted_at is null order by lock_ends_at limit ${MAX_ENDED}`,
);

const REASON = 'The lock ended by itself: the next day of the risk rule has begun.';

/** It was unlocked meanwhile, or locked for longer: what the transaction has done so far does not count. */
class NotDue extends Error {}

export interface LockEndParts {
  db: Database;
  log: Logger;
  stopping: AbortSignal;
}

/** Takes back the locks whose time has come. One that fails does not hold up the others: the next round tries again. */
export const endLocks = async ({ db, log, stopping }: LockEndParts): Promise<void> => {
  const due = await db.slow.query<{ id: string; user_id: string }>(dueStatement, []);
  for (const { id: terminalId, user_id: userId } of due) {
    if (stopping.aborted) return;
    const end = { userId, terminalId, reason: REASON, by: null, resetMarks: false };
    const ended = db.transaction(async (tx) => {
      if (!(await unlockTerminal(tx, end))) throw new NotDue();
      const target = { type: 'terminal', id: terminalId };
      await recordAudit(tx, systemActor, { action: 'terminal.unlock', target, userId, after: { reason: REASON } });
    });
    await ended.catch((error: unknown) => {
      if (error instanceof DatabaseUnavailableError) throw error;
      if (!(error instanceof NotDue)) log.error({ err: error, terminalId }, 'a lock could not be taken back');
    });
  }
};
