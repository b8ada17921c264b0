/**
 * Which tasks are next: each terminal's first task that is due. A terminal runs one task at a time, in the order of
 * `lane` and `seq`: stops go first.
 */
import { lockedTypes, startingTypes, stopTypes, TaskStatus, TaskType } from '@berth/contract';

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

/** Whether a host that is being drained refuses the task. */
export const isRefusedByDrain = (task: string): string => `(${task}.type in (${startingTypes.join(', ')}))`;

/** Whether the task goes before what waits. */
export const isStop = (task: string): string => `(${isOneOf(stopTypes, task)})`;

/** Whether the task turns algo trading on. */
export const turnsTradingOn = (task: string): string =>
  `(${task}.type = ${TaskType.OPTIONS_AUTO_TRADE} and ${task}.payload ->> 'allow_algo_trading' = '1')`;

/**
 * SQL: an advisory lock of the user of an SQL expression. A stop of all algo trading holds it alone; whatever is about to
 * turn trading on tries to hold it shared. So the stop finds what was there before it, and waits for nothing else; what
 * gets no hold of it is not turned on.
 */
export const toSwitchLock = (user: string): string => `hashtextextended('algo trading of ' || ${user}, 0)`;

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
  const last = `and o.terminal_id = ${terminal}.id and o.finished_at is null
         order by o.host_id, o.waits_until nulls first offset ${count} limit 1`;
  return `case when ${terminal}.host_id is null then (select o.seq from tasks o where o.host_id is null ${last})
         else (select o.seq from tasks o where o.host_id = ${terminal}.host_id ${last}) end is not null`;
};

/** The open tasks of `place`, an alias with `host_id`, which may be null, and `terminal_id`. */
export const selectOpen = (place: string): string => `(
       (select id, type, status from tasks
        where host_id = ${place}.host_id and terminal_id = ${place}.terminal_id and finished_at is null
        order by waits_until nulls first)
       union all
       (select id, type, status from tasks
        where ${place}.host_id is null and host_id is null and terminal_id = ${place}.terminal_id and finished_at is null
        order by host_id, waits_until nulls first)
     )`;

/** Within a terminal: an order that no other index has, so that no plan, however outdated, can read anything else. */
const asInIndex = 'order by waits_until nulls first, lane, seq';
const isDue = '(planned_at is null or planned_at <= now())';
const headColumns = 'id, host_id, terminal_id, lane, seq, status, available_at, state_since';

/**
 * The head of a terminal's queue on a host, both SQL expressions: the first of those in their place, or one of the few
 * planned ones that became due just now (`planned.ts`). What is planned for later is not read.
 */
const selectHead = (host: string, terminal: string): string => {
  const open = `select ${headColumns} from tasks
        where host_id = ${host} and terminal_id = ${terminal} and finished_at is null`;
  return `(
       select * from (
         (${open} and waits_until is null and ${isDue} ${asInIndex} limit 1)
         union all
         (${open} and waits_until <= now() ${asInIndex})
       ) due
       order by lane, seq limit 1
     )`;
};

/**
 * The head of each terminal's queue, found by skipping from terminal to terminal in the index of open tasks: the cost
 * grows with the terminals that have work, not with the waiting or ended tasks. Mostly the first task in the index is the
 * head; only where planned ones might be, it is looked for. A range instead of equalities, whose order only that index
 * has, and a list of ids for the update.
 */
export const withQueueHeads = `with recursive places as (
     (select ${headColumns}, planned_at, waits_until from tasks
      where finished_at is null and host_id is not null
      order by host_id, terminal_id, waits_until nulls first, lane, seq limit 1)
     union all
     select n.* from places p cross join lateral (
       select ${headColumns}, planned_at, waits_until from tasks
       where finished_at is null and (host_id, terminal_id) > (p.host_id, p.terminal_id)
       order by host_id, terminal_id, waits_until nulls first, lane, seq limit 1
     ) n
   ), judged as (
     select *, planned_at is null as is_unplanned, terminal_id in (
       select distinct terminal_id from tasks where finished_at is null and waits_until <= now()
     ) as is_joined
     from places
   ), heads as materialized (
     select ${headColumns} from judged where is_unplanned and not is_joined
     union all
     select h.* from judged p cross join lateral ${selectHead('p.host_id', 'p.terminal_id')} h
     where is_joined or (not is_unplanned and p.waits_until is null)
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
 *
 * `$12` names the terminals to look at; null: all of them. `in` of a list that does not depend on the row is hashed.
 */
export const withClaimableHeads = `with asked as (
     select * from unnest($1::uuid[], $2::int[], $5::uuid[], $6::uuid[], $7::boolean[])
       as a (host_id, slots, session_id, last_user_id, says_known)
     where ${isCurrentSession('a')}
   ), heads as (
     select h.id, h.lane, h.seq, tm.user_id, a.host_id, a.session_id, a.last_user_id, a.slots,
       h.available_at is null or h.available_at <= now() as is_available,
       not (${isWaiting('h')}) or (select l.task_id from task_leases l where l.terminal_id = tm.id) is not null as is_in_hand
     from asked a
     cross join lateral (
       select tm.id, tm.user_id from terminals tm
       where tm.host_id = a.host_id and tm.deleted_at is null
         and ($12::uuid[] is null or tm.id in (select unnest($12::uuid[])))
       offset 0
     ) tm
     cross join lateral ${selectHead('a.host_id', 'tm.id')} h
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
