/** What an insertion of tasks starts from: which of them their terminals accept, and in which lane they wait. */
import { admittingStatuses, MAX_OPEN_TASKS } from '@berth/contract';
import { hasMoreOpen, isRefusedByLock, toLane } from './queue.ts';

/**
 * The tasks to insert, `asked`, and their terminals, `found`. A terminal has a limit of open
 * tasks; those before it in the same statement (`nth`) count.
 *
 * A terminal whose lock may refuse a task is held (`held`): a lock that is being set waits for this statement, and then
 * finds the task; or this one waits for the lock, and sees it. In the order of ids, as all who lock terminals do.
 */
export const withAsked = `with asked as (
     select *, row_number() over (partition by user_id, terminal_id order by place)::int as nth
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::jsonb[], $6::text[], $7::text[],
       $8::timestamptz[], $9::text[]) with ordinality
       as a (id, user_id, terminal_id, type, payload, sealed, chart_id, planned_at, actor, place)
   ), held as materialized (
     select t.id, t.locked_reason is not null as is_locked from terminals t
     where t.id = any(array(select a.terminal_id from asked a where ${isRefusedByLock('a')}))
       and exists (select from asked a where a.terminal_id = t.id and a.user_id = t.user_id)
     order by t.id for share of t
   ), judged as materialized (
     select a.*, t.status as terminal_status, t.host_id,
       a.actor = 'service' or (
         t.status in (${admittingStatuses.join(', ')})
         and not (${hasMoreOpen('t', `greatest(${MAX_OPEN_TASKS} - a.nth, 0)`)})
       ) as is_welcome,
       ${isRefusedByLock('a')} and coalesce((select h.is_locked from held h where h.id = t.id), false) as is_locked
     from asked a join terminals t on t.id = a.terminal_id and t.user_id = a.user_id and t.deleted_at is null
   ), found as (
     select *, ${toLane('judged')} as lane, is_welcome and not is_locked as is_admitted from judged
   )`;
