/**
 * The end of a terminal's lock: by a person who says why, or by itself where a rule says so (`lock-ends.ts`). Its host no
 * longer holds what led to it, and lets the rules begin anew if the person wants that.
 */
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import type { Actor } from './rule-versions.ts';

/** From this number of `RULE_SETTINGS` on, agents let marks begin anew. */
const RESETS_SINCE = 3;

const canResetStatement = sql(
  'can_reset_risk_marks',
  `select t.host_id is null or coalesce(v.settings, 1) >= ${RESETS_SINCE} as can_reset
   from terminals t left join host_risk_versions v on v.host_id = t.host_id
   where t.id = $1 and t.user_id = $2 and t.locked_reason is not null`,
);

/** Whether an unlock of the user's terminal can let its rules begin anew; true where it is not locked: nothing is done. */
export const canResetMarks = async (db: Queryable, userId: string, terminalId: string): Promise<boolean> =>
  (await db.query<{ can_reset: boolean }>(canResetStatement, [terminalId, userId]))[0]?.can_reset ?? true;

/** By a person, or because its time has come ($3: whether by a person). */
const isOverWith = `locked_reason is not null and ($3::boolean or lock_ends_at <= now())`;

/**
 * Ends what rules hold for a lock. Before the terminal is written, because reports of breaches write them in that order,
 * too.
 */
const releaseStatement = sql(
  'release_risk_breaches',
  `with locked as (
     select host_id from terminals where id = $1 and user_id = $2 and ${isOverWith}
   ), released as (
     update risk_breaches set released_at = now(), release = $4
     where terminal_id = $1 and locked_at is not null and released_at is null and exists (select from locked)
     returning id, rule_id, terminal_id, host_id, at
   ), begun_anew as (
     insert into risk_states (rule_id, terminal_id, host_id, reset_breach_id)
     select distinct on (b.rule_id) b.rule_id, b.terminal_id, b.host_id, b.id
     from released b
     where $5::boolean and (select deleted_at is null from risk_rules where id = b.rule_id) order by b.rule_id, b.at desc
     on conflict (rule_id, terminal_id) do update set reset_breach_id = excluded.reset_breach_id
   )
   select note_risk_change(array[host_id]) from locked where exists (select from released)`,
);

const unlockStatement = sql(
  'unlock_terminal',
  `update terminals set locked_reason = null, lock_ends_at = null, updated_at = now()
   where id = $1 and user_id = $2 and deleted_at is null and ${isOverWith} returning name`,
);

export interface Unlock {
  userId: string;
  terminalId: string;
  reason: string;
  /** null: its time has come. A lock that lasts longer by now stays. */
  by: Actor | null;
  /** Whether the rules count from the next numbers on. */
  resetMarks: boolean;
}

/**
 * Unlocks the user's terminal, and says so; does nothing where it is not locked. Of two at once, one does.
 * @returns whether it did. If not, the caller's transaction may have released breaches all the same: it rolls back
 */
export const unlockTerminal = async (
  tx: Transaction,
  { userId, terminalId, reason, by, resetMarks }: Unlock,
): Promise<boolean> => {
  const release = JSON.stringify({ by, reason, reset_marks: resetMarks });
  const isByPerson = by !== null;
  await tx.query(releaseStatement, [terminalId, userId, isByPerson, release, resetMarks]);
  const [unlocked] = await tx.query<{ name: string }>(unlockStatement, [terminalId, userId, isByPerson]);
  if (!unlocked) return false;
  const data = { name: unlocked.name, reason };
  await recordEvents(tx, [{ type: 'security.unlocked', userId, terminalId, data }]);
  return true;
};
