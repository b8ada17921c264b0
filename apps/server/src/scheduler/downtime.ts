/**
 * Downtime compensation. No host could report while no server was up, so silence proves nothing and waiting was no
 * host's fault: hosts and leases get a fresh start, and the downtime does not count as time in a queue. It is kept as an
 * offset in the scheduler's one row, whatever its length and however many rows it concerns.
 *
 * A negative downtime means that the clock was set back. Rows that were written before are moved by the same amount, or
 * they would last that much longer. They are few (what is in progress, what was queued in that time), and done in batches.
 */
import { HostStatus, QUEUED_DEADLINE_MS, TaskStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import type { Times } from '../times.ts';

/** Tasks that follow a clock in one tick. */
const MAX_SHIFTED = 5_000;

/**
 * Downtimes add up while they follow one another within the hour that a task may wait, so that in a row of crashes nothing
 * fails early. Ten years are the most: intervals beyond leave PostgreSQL's calendar.
 */
const tickStatement = sql(
  'note_tick',
  `with before as (
     select last_run_at, downtime_ended_at, now() - last_run_at as downtime,
       abs(extract(epoch from now() - last_run_at)) * 1000 > $1::double precision as is_downtime
     from scheduler
   )
   update scheduler s set last_run_at = now(),
     downtime_ended_at = case when b.is_downtime then now() else s.downtime_ended_at end,
     queue_downtime = case when b.is_downtime then least(interval '3650 days', greatest(b.downtime, interval '0')
       + case when b.last_run_at - $2::double precision * interval '1 millisecond' > b.downtime_ended_at then interval '0'
         else s.queue_downtime end) else s.queue_downtime end,
     set_back = case when b.is_downtime and b.downtime < interval '0' then least(interval '3650 days', s.set_back - b.downtime)
       else s.set_back end,
     time_lost = case when b.is_downtime then least(interval '3650 days', greatest(interval '-3650 days', s.time_lost + b.downtime))
       else s.time_lost end
   from before b
   returning s.set_back > interval '0' as is_set_back`,
);

/**
 * Notes that a scheduler lives, and compensates for the time in which none did. In a commit of its own, because a tick that
 * fails must not make the downtime longer for the next one.
 * @returns whether `followClock` has to be called
 */
export const noteTick = async (tx: Queryable, { downtimeMs }: Times): Promise<boolean> => {
  const [row] = await tx.query<{ is_set_back: boolean }>(tickStatement, [downtimeMs, QUEUED_DEADLINE_MS]);
  return row?.is_set_back === true;
};

const shiftStatement = sql(
  'shift_queued_tasks',
  `with late as (
     select id from tasks where finished_at is null and status = ${TaskStatus.QUEUED} and state_since > now() limit $1
   )
   update tasks t set state_since = least(now(), t.state_since - s.set_back), available_at = t.available_at - s.set_back
   from late, scheduler s where t.id = late.id
   returning t.id`,
);

/**
 * SQL: what was to be done later, as much earlier as the clock is, but not before now. What was put off since then is done
 * too early by that, once. Rows that somebody holds are being worked on.
 */
const bringForward = (table: string, key: string, due: string, condition = 'true'): string =>
  `${table}_due as (
     update ${table} t set ${due} = greatest(now(), t.${due} - s.set_back) from scheduler s
     where t.${key} = any(array(
       select ${key} from ${table} where ${due} > now() and ${condition} for update skip locked
     ))
   )`;

const settleStatement = sql(
  'follow_clock',
  `with seen as (
     update hosts set last_seen_at = now() where status = ${HostStatus.ONLINE} and last_seen_at > now()
   ), shifted as (
     update task_leases l set
       expires_at = least(l.expires_at, now() + $1::double precision * interval '1 millisecond'),
       deadline_at = case when l.deadline_at > s.downtime_ended_at + s.set_back then l.deadline_at - s.set_back
         else l.deadline_at end
     from scheduler s
     where l.deadline_at > s.downtime_ended_at + s.set_back or l.expires_at > now() + $1::double precision * interval '1 millisecond'
   ), ${bringForward('webhooks', 'id', 'due_at')},
   ${bringForward('webhook_deliveries', 'id', 'next_attempt_at', `status = 'pending'`)},
   ${bringForward('screenshot_turns', 'terminal_id', 'next_at')},
   ${bringForward('alert_messages', 'id', 'due_at', `status = 'pending'`)},
   ${bringForward('alert_readers', 'user_id', 'due_at')}
   update scheduler set set_back = interval '0'`,
);

/**
 * Moves pending rows by the amount by which the clock was set back. Rows that were written since are recognised by their
 * distance and left alone. What does not fit into one tick is done in the next ones.
 */
export const followClock = async (tx: Queryable, { leaseMs }: Times): Promise<void> => {
  const shifted = await tx.query(shiftStatement, [MAX_SHIFTED]);
  if (shifted.length < MAX_SHIFTED) await tx.query(settleStatement, [leaseMs]);
};

const lostStatement = sql(
  'mark_lost_hosts',
  `update hosts set status = ${HostStatus.LOST}, updated_at = now()
   where status = ${HostStatus.ONLINE} and last_seen_at < now() - $1::double precision * interval '1 millisecond'
     and (select downtime_ended_at from scheduler) < now() - $1::double precision * interval '1 millisecond'
   returning id, name`,
);

export const markLostHosts = (tx: Queryable, { hostLostMs }: Times): Promise<{ id: string; name: string }[]> =>
  tx.query(lostStatement, [hostLostMs]);

const expiredStatement = sql(
  'list_expired_leases',
  `select l.task_id, l.expires_at < now() as is_lease_lost
   from task_leases l
   where (l.expires_at < now() or l.deadline_at < now())
     and (select downtime_ended_at from scheduler) < now() - $2::double precision * interval '1 millisecond'
   limit $1`,
);

export const listExpiredLeases = (
  tx: Queryable,
  limit: number,
  { leaseMs }: Times,
): Promise<{ task_id: string; is_lease_lost: boolean }[]> => tx.query(expiredStatement, [limit, leaseMs]);
