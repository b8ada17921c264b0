/** What an insertion of tasks starts from: which of them their terminals accept, and in which lane they wait. */
import { admittingStatuses, MAX_OPEN_TASKS, TaskStatus, TaskType } from '@berth/contract';
import { hasMoreOpen, isRefusedByDrain, isRefusedByLock, toLane, toSwitchLock, turnsTradingOn } from './queue.ts';

/**
 * The tasks to insert, `asked`, and their terminals, `found`. A terminal has a limit of open
 * tasks; those before it in the same statement (`nth`) count.
 *
 * A terminal whose lock may refuse a task is held (`held`): a lock that is being set waits for this statement, and then
 * finds the task; or this one waits for the lock, and sees it. In the order of ids, as all who lock terminals do. What a
 * lock refuses is also refused while the user is suspended, unless the terminals are kept (`refuses_trading`, in the
 * schema: it keeps a suspension from passing by). What turns algo trading on is refused while a stop of all algo trading is
 * being committed (`runs/trading-stop.ts`). A host that is being drained starts nothing; what slips past is stopped
 * all the same (`deployment/drain.ts`).
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
   ), suspended as materialized (
     select user_id from (
       select distinct a.user_id from asked a where a.actor <> 'service' and ${isRefusedByLock('a')} offset 0
     ) u where refuses_trading(user_id)
   ), stopping as materialized (
     select user_id from (select distinct a.user_id from asked a where ${turnsTradingOn('a')} offset 0) u
     where not pg_try_advisory_xact_lock_shared(${toSwitchLock('u.user_id')})
   ), judged as materialized (
     select a.*, t.status as terminal_status, t.host_id,
       a.actor = 'service' or (
         t.status in (${admittingStatuses.join(', ')})
         and not (${hasMoreOpen('t', `greatest(${MAX_OPEN_TASKS} - a.nth, 0)`)})
       ) as is_welcome,
       ${isRefusedByLock('a')} and coalesce((select h.is_locked from held h where h.id = t.id), false) as is_locked,
       a.actor <> 'service' and ${isRefusedByLock('a')}
         and a.user_id in (select user_id from suspended) as is_suspended,
       ${turnsTradingOn('a')} and a.user_id in (select user_id from stopping) as is_stopping,
       case when ${isRefusedByDrain('a')} then coalesce(
         (select h.drain_terminals = 'stop' from hosts h where h.id = t.host_id limit 1), false
       ) else false end as is_draining
     from asked a join terminals t on t.id = a.terminal_id and t.user_id = a.user_id and t.deleted_at is null
   ), found as (
     select *, ${toLane('judged')} as lane, is_welcome and not (is_locked or is_suspended or is_stopping or is_draining) as is_admitted
     from judged
   )`;

/**
 * The terminals of `$1` whose restoration is complete, and on which trading goes on: unless a lock, a stop, a suspension
 * (also one that is being committed), or another switch came in between.
 */
export const withRestored = `with restored as (
     delete from terminal_restorations r using unnest($1::uuid[], $2::uuid[]) as n (terminal_id, task_id)
     where r.terminal_id = n.terminal_id and not exists (
       select from unnest(r.task_ids) as i (id) left join tasks o on o.id = i.id
       where o.status is distinct from ${TaskStatus.COMPLETED}
     )
     returning r.terminal_id, r.created_at, n.task_id
   ), resumable as (
     select r.task_id, t.user_id, t.host_id, r.terminal_id from restored r join terminals t on t.id = r.terminal_id
     where t.deleted_at is null and t.locked_reason is null
       and not exists (select from trading_stops s where s.user_id = t.user_id)
       and not exists (
         select from tasks o where o.terminal_id = t.id and o.created_at >= r.created_at
           and (o.type = ${TaskType.OPTIONS_AUTO_TRADE} or o.type = ${TaskType.TERMINAL_STOP})
       )
       and not refuses_trading(t.user_id)
   )`;
