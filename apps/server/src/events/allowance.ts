/**
 * How many changes of one terminal are written one by one: 60 at once, then one a minute. A terminal that goes up and down all
 * the time, or a host that says so, costs its owner no more than that. What is skipped is summed up in one event, which says
 * where the terminal is now, as soon as the allowance permits one.
 */
import { isNotRunning, TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { Occurrence } from './log.ts';

const BURST = 60;
const SECONDS_EACH = 60;

/** SQL: what is left at this moment. A clock that was set back gives as much as one that went on. */
const remainingNow = `least(${BURST}, a.remaining + abs(extract(epoch from now() - a.counted_at)) / ${SECONDS_EACH})`;

type Limited = Extract<
  Occurrence,
  {
    type:
      'terminal.status_changed' | 'terminal.login_failed' | 'terminal.updated' | 'trading.switched' | 'expert.failed';
  }
>;

interface Allowance {
  terminal_id: string;
  remaining: number;
  skipped: number;
  skipped_from: TerminalStatus | null;
  skipped_switch: boolean;
}

const readStatement = sql(
  'read_event_allowances',
  `select a.terminal_id, ${remainingNow} as remaining, a.skipped, a.skipped_from, a.skipped_switch
   from event_allowances a where a.terminal_id = any($1::uuid[]) order by a.terminal_id for update`,
);

const writeStatement = sql(
  'write_event_allowances',
  `insert into event_allowances (terminal_id, remaining, skipped, skipped_from, skipped_switch)
   select n.id, n.remaining, n.skipped, n.skipped_from, n.skipped_switch
   from unnest($1::uuid[], $2::real[], $3::int[], $4::smallint[], $5::boolean[])
     as n (id, remaining, skipped, skipped_from, skipped_switch)
   where (select true from terminals t where t.id = n.id limit 1) order by n.id
   on conflict (terminal_id) do update set remaining = excluded.remaining, counted_at = excluded.counted_at,
     skipped = excluded.skipped, skipped_from = excluded.skipped_from, skipped_switch = excluded.skipped_switch`,
);

/** A creation and a deletion happen once: they are always written. */
const isLimited = (occurrence: Occurrence): occurrence is Limited & { terminalId: string } =>
  (occurrence.type === 'terminal.status_changed' &&
    occurrence.data.from !== null &&
    occurrence.data.to !== TerminalStatus.DESTROYED) ||
  occurrence.type === 'terminal.login_failed' ||
  occurrence.type === 'terminal.updated' ||
  occurrence.type === 'trading.switched' ||
  occurrence.type === 'expert.failed';

const skip = (allowance: Allowance, occurrence: Limited): void => {
  allowance.skipped += 1;
  if (occurrence.type === 'terminal.status_changed') allowance.skipped_from ??= occurrence.data.from;
  if (occurrence.type === 'trading.switched') allowance.skipped_switch = true;
};

/**
 * Takes from the terminals' allowances what is to be written, and notes what is not. The terminals are locked by the
 * transaction, because it changed them.
 * @returns what may be written
 */
export const takeAllowed = async (tx: Queryable, occurrences: readonly Occurrence[]): Promise<Occurrence[]> => {
  const ids = [...new Set(occurrences.filter(isLimited).map(({ terminalId }) => terminalId))];
  if (ids.length === 0) return [...occurrences];
  const found = await tx.query<Allowance>(readStatement, [ids]);
  const full = { remaining: BURST, skipped: 0, skipped_from: null, skipped_switch: false };
  const allowances = new Map(ids.map((id): [string, Allowance] => [id, { terminal_id: id, ...full }]));
  for (const allowance of found) allowances.set(allowance.terminal_id, allowance);
  const allowed = occurrences.filter((occurrence) => {
    if (!isLimited(occurrence)) return true;
    const allowance = allowances.get(occurrence.terminalId)!;
    const isAllowed = allowance.skipped === 0 && allowance.remaining >= 1;
    if (isAllowed) allowance.remaining -= 1;
    else skip(allowance, occurrence);
    return isAllowed;
  });
  const rows = [...allowances.values()];
  await tx.query(writeStatement, [
    rows.map((row) => row.terminal_id),
    rows.map((row) => row.remaining),
    rows.map((row) => row.skipped),
    rows.map((row) => row.skipped_from),
    rows.map((row) => row.skipped_switch),
  ]);
  return allowed;
};

/**
 * Locked in the order of everybody else: terminals first. Whatever another transaction holds waits for the next time. A
 * terminal that is deleted said so itself.
 */
const releaseStatement = sql(
  'release_skipped_events',
  `with due as (
     select t.id, t.user_id, t.name, t.status, t.status_reason, t.trading_allowed, t.trading_reason
     from event_allowances a join terminals t on t.id = a.terminal_id
     where a.skipped > 0 and ${remainingNow} >= 1 and t.deleted_at is null
     order by t.id limit $1 for update of t skip locked
   ), released as (
     update event_allowances a set remaining = ${remainingNow} - 1, counted_at = now(), skipped = 0, skipped_from = null,
       skipped_switch = false
     from (select terminal_id, skipped, skipped_from, skipped_switch from event_allowances where terminal_id in (select id from due)
       for update) as old
     where a.terminal_id = old.terminal_id
     returning a.terminal_id, old.skipped, old.skipped_from, old.skipped_switch
   )
   select due.*, r.skipped, r.skipped_from, r.skipped_switch from due join released r on r.terminal_id = due.id order by due.id`,
);

interface Released extends Omit<Allowance, 'terminal_id' | 'remaining'> {
  id: string;
  user_id: string;
  name: string;
  status: TerminalStatus;
  status_reason: string | null;
  trading_allowed: boolean | null;
  trading_reason: string | null;
}

/**
 * Where the terminals are whose events were skipped, for those that have an allowance again.
 * @param limit terminals at once
 */
export const releaseSkipped = async (tx: Queryable, limit: number): Promise<Occurrence[]> => {
  const rows = await tx.query<Released>(releaseStatement, [limit]);
  return rows.flatMap((row): Occurrence[] => {
    const { id: terminalId, user_id: userId, name, status: to, status_reason: reason, skipped } = row;
    const about = { userId, terminalId };
    const exit =
      to === TerminalStatus.DISCONNECTED && isNotRunning(reason) ? { exit: { code: null, signal: null } } : {};
    const data = { name, from: row.skipped_from ?? to, to, reason, skipped, ...exit };
    const occurrences: Occurrence[] = [{ ...about, type: 'terminal.status_changed', data }];
    if (to === TerminalStatus.LOGIN_FAILED && row.skipped_from !== null) {
      occurrences.push({ ...about, type: 'terminal.login_failed', data: { name, reason } });
    }
    const { trading_allowed, trading_reason } = row;
    if (row.skipped_switch && trading_allowed !== null) {
      occurrences.push({ ...about, type: 'trading.switched', data: { name, trading_allowed, trading_reason } });
    }
    return occurrences;
  });
};
