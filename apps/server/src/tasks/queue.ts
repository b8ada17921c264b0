/**
 * Which tasks are next: each terminal's first task that is due. A terminal runs one task at a time, in the order of
 * `lane` and `seq`: stops go first.
 */
import { lockedTypes, stopTypes, TaskStatus, TaskType } from '@berth/contract';

const { PENDING, QUEUED } = TaskStatus;

/** Whether the task `task`, an alias with `type` and `payload`, is one of those. */
const isOneOf = (types: typeof stopTypes, task: string): string =>
  types
    .map(([type, allowed]) => {
      const payload = `${task}.payload ->> 'allow_algo_trading' = '${allowed}'`;
      return allowed === undefined ? `${task}.type = ${type}` : `(${task}.type = ${type} and ${payload})`;
    })
    .join(' or ');

/** Whether a locked terminal refuses the task. */
export const isRefusedByLock = (task: string): string => `(${isOneOf(lockedTypes, task)})`;

/** Whether the task goes before what waits. */
export const isStop = (task: string): string => `(${isOneOf(stopTypes, task)})`;

/**
 * The lane of a new task: stops before the rest. An installation is in their lane, and created first: before it there
 * is nothing to stop.
 */
export const toLane = (task: string): string =>
  `case when ${task}.type = ${TaskType.TERMINAL_INSTALL} or ${isStop(task)} then 0 else 1 end`;

/** Tasks that no host has yet. */
export const isWaiting = (task: string): string => `${task}.status in (${PENDING}, ${QUEUED})`;

/**
 * Whether the terminal has more open tasks than an SQL expression says. However many there are, no more than needed are
 * read.
 */
export const hasMoreOpen = (terminal: string, count: string): string => {
  const last = `and o.terminal_id = ${terminal}.id and o.finished_at is null offset ${count} limit 1`;
  return `case when ${terminal}.host_id is null then (select o.seq from tasks o where o.host_id is null ${last})
         else (select o.seq from tasks o where o.host_id = ${terminal}.host_id ${last}) end is not null`;
};

/**
 * The head of each terminal's queue, found by skipping from terminal to terminal in the index of open tasks: the cost
 * grows with the terminals that have work, not with the waiting or ended tasks. Ranges instead of equalities, whose
 * order only that index has, and a list of ids for the update: so no plan, however outdated, can read anything else.
 */
export const withQueueHeads = `with recursive places as (
     (select host_id, terminal_id, lane, seq, id, status, planned_at, available_at, state_since from tasks
      where finished_at is null and host_id is not null
      order by host_id, terminal_id, lane, seq limit 1)
     union all
     select n.* from places p cross join lateral (
       select host_id, terminal_id, lane, seq, id, status, planned_at, available_at, state_since from tasks
       where finished_at is null and (host_id, terminal_id) > (p.host_id, p.terminal_id)
       order by host_id, terminal_id, lane, seq limit 1
     ) n
   ), heads as materialized (
     select id, host_id, terminal_id, status, available_at, state_since from places
     where planned_at is null or planned_at <= now()
     union all
     -- What is planned for later holds up nobody: the first one behind it that is due.
     select h.* from places p cross join lateral (
       select id, host_id, terminal_id, status, available_at, state_since from tasks
       where finished_at is null and (host_id, terminal_id, lane, seq) > (p.host_id, p.terminal_id, p.lane, p.seq)
         and (host_id, terminal_id) <= (p.host_id, p.terminal_id) and (planned_at is null or planned_at <= now())
       order by host_id, terminal_id, lane, seq limit 1
     ) h
     where p.planned_at > now()
   )`;

/**
 * Whether a call belongs to the host's current session: one that has waited since before another agent took the host
 * over gets nothing. A scalar subquery, so that every plan looks the host up by its id.
 */
export const isCurrentSession = (call: string): string =>
  `(select h.id from hosts h where h.id = ${call}.host_id and h.session_id = ${call}.session_id) is not null`;

/**
 * What the claiming hosts could run: the head of each of their terminals that has no running task. Lateral and with
 * `offset 0`, so that every plan, however outdated, starts from the claiming hosts.
 *
 * A host's free slots rotate among the users of its terminals, so that one with thousands of open tasks holds up
 * nobody. `turn` is the number of slots that the user would have with this head: those in use count too. The lowest
 * turns go first. Within a turn each user has one head, and the users follow by id, starting after the last one served
 * (`$6`). Of one user stops go first, then the oldest heads.
 */
export const withClaimableHeads = `with asked as (
     select host_id, session_id, last_user_id, max(slots) as slots
     from unnest($1::uuid[], $2::int[], $5::uuid[], $6::uuid[]) as a (host_id, slots, session_id, last_user_id)
     where ${isCurrentSession('a')}
     group by host_id, session_id, last_user_id
   ), heads as (
     select h.id, h.lane, h.seq, tm.user_id, a.host_id, a.session_id, a.last_user_id, a.slots,
       h.available_at is null or h.available_at <= now() as is_available,
       not (${isWaiting('h')}) or (select l.task_id from task_leases l where l.terminal_id = tm.id) is not null as is_in_hand
     from asked a
     cross join lateral (
       select tm.id, tm.user_id from terminals tm where tm.host_id = a.host_id and tm.deleted_at is null offset 0
     ) tm
     cross join lateral (
       select t.id, t.lane, t.seq, t.status, t.available_at from tasks t
       where t.host_id = a.host_id and t.terminal_id = tm.id and t.finished_at is null
         and (t.planned_at is null or t.planned_at <= now())
       order by t.lane, t.seq limit 1
     ) h
   ), claimable as (
     select *, in_hand + row_number() over (partition by host_id, user_id order by lane, seq) as turn
     from (select *, count(*) filter (where is_in_hand) over (partition by host_id, user_id) as in_hand from heads) h
     where is_available and not is_in_hand
   )`;

/**
 * What its host did not claim within `$2` milliseconds of a server's uptime (`scheduler/downtime.ts`), and what was due
 * for as long behind it, up to `$3` in total: each would become the head in its turn, and wait as long again. The head
 * goes last, so that where not all fit, the rest still has it.
 */
export const selectOverdue = `(
     with due as (
       select now() - $2::double precision * interval '1 millisecond'
         - case when downtime_ended_at > now() - $2::double precision * interval '1 millisecond' then queue_downtime
           else interval '0' end as latest
       from scheduler
     ), heads as (
       select host_id, terminal_id from tasks o
       where o.finished_at is null and o.status = ${QUEUED} and o.host_id is not null
         and greatest(o.state_since, o.available_at) < (select latest from due)
       limit $3
     )
     select o.id from heads h cross join lateral (
       select o.id from tasks o
       where o.host_id = h.host_id and o.terminal_id = h.terminal_id and o.finished_at is null and ${isWaiting('o')}
         and greatest(o.state_since, o.available_at, o.planned_at) < (select latest from due)
       order by o.status = ${QUEUED}, o.lane desc, o.seq desc limit $3
     ) o
     limit $3
   )`;
