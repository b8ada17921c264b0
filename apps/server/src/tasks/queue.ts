/** Whose turn it is: the first task of each terminal that is due. A terminal carries out one task at a time, in the order of `seq`. */
import { TaskStatus } from '@berth/contract';

const { PENDING, QUEUED } = TaskStatus;

/** What no host has yet. */
export const isWaiting = (task: string): string => `${task}.status in (${PENDING}, ${QUEUED})`;

/**
 * The head of each terminal's queue, found by leaping from terminal to terminal in the index of open tasks: the cost grows
 * with the terminals that have work, not with the tasks that wait, nor with those that have ended. Ranges instead of equalities,
 * whose order only that index has, and a list of ids for the update: so no plan, however old, can read anything else.
 */
export const withQueueHeads = `with recursive places as (
     (select host_id, terminal_id, seq, id, status, planned_at, available_at, state_since from tasks
      where finished_at is null and host_id is not null
      order by host_id, terminal_id, seq limit 1)
     union all
     select n.* from places p cross join lateral (
       select host_id, terminal_id, seq, id, status, planned_at, available_at, state_since from tasks
       where finished_at is null and (host_id, terminal_id) > (p.host_id, p.terminal_id)
       order by host_id, terminal_id, seq limit 1
     ) n
   ), heads as materialized (
     select id, host_id, terminal_id, status, available_at, state_since from places
     where planned_at is null or planned_at <= now()
     union all
     -- What is planned for later holds up nobody: the first one behind it that is due.
     select h.* from places p cross join lateral (
       select id, host_id, terminal_id, status, available_at, state_since from tasks
       where finished_at is null and (host_id, terminal_id, seq) > (p.host_id, p.terminal_id, p.seq)
         and (host_id, terminal_id) <= (p.host_id, p.terminal_id) and (planned_at is null or planned_at <= now())
       order by host_id, terminal_id, seq limit 1
     ) h
     where p.planned_at > now()
   )`;

/**
 * Lateral and by `offset 0`, so that no plan, however old, can do anything but start from the hosts that ask. Which tasks they
 * get is decided by `heads` alone.
 */
export const withClaimableHeads = `with asked as (
     select host_id, session_id, max(slots) as slots
     from unnest($1::uuid[], $2::int[], $5::uuid[]) as a (host_id, slots, session_id) group by host_id, session_id
   ), heads as (
     select h.id, h.seq, a.host_id, a.session_id, a.slots
     from asked a
     cross join lateral (
       select tm.id from terminals tm where tm.host_id = a.host_id and tm.deleted_at is null offset 0
     ) tm
     cross join lateral (
       select t.id, t.seq, t.status, t.available_at from tasks t
       where t.host_id = a.host_id and t.terminal_id = tm.id and t.finished_at is null
         and (t.planned_at is null or t.planned_at <= now())
       order by t.seq limit 1
     ) h
     where ${isWaiting('h')} and (h.available_at is null or h.available_at <= now())
       and (select l.task_id from task_leases l where l.terminal_id = tm.id) is null
   )`;
