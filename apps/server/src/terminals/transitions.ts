/**
 * Every statement that writes the status of a terminal. The possible transitions are in the contract's
 * `terminals/machine.ts`; what follows from a report or the end of a task is decided in `changes.ts`.
 */
import { observableStatuses, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { sql } from '../db/database.ts';

const { PENDING, DESTROYING, DESTROYED, UNREACHABLE } = TerminalStatus;

/** A terminal as lists show it. */
export const itemColumns = `id, project_id, name, region_id as region, server_name, login, status, created_at, updated_at`;

/** A new one, PENDING; without a host it waits for one. */
export const insertStatement = sql(
  'insert_terminal',
  `insert into terminals (id, user_id, project_id, host_id, region_id, platform, name, server_name, login, status_reason, tags, notes,
     external_id, any_region, waiting_since)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
     case when $4::uuid is null then now() - (select time_lost from scheduler) end)
   returning ${itemColumns}`,
);

/** What hosts observed, and the effects of ended tasks; a destroyed terminal frees its slot and loses its secrets. */
export const writeStatement = sql(
  'write_terminals',
  `with written as (
     select * from unnest($1::uuid[], $2::smallint[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::text[],
       $8::boolean[], $9::boolean[], $10::boolean[], $11::text[])
       as w (id, status, status_reason, announced_status, server_name, login, path, is_moved, is_synced, trading_allowed,
         trading_reason)
   ), freed as (
     update hosts h set terminal_count = greatest(0, h.terminal_count - f.count)
     from (
       select t.host_id, count(*) as count from written w join terminals t on t.id = w.id
       where w.status = ${DESTROYED} and t.host_id is not null group by t.host_id
     ) f
     where h.id = f.host_id
   ), forgotten as (
     delete from terminal_secrets s using written w where s.terminal_id = w.id and w.status = ${DESTROYED}
   )
   update terminals t set
     status = w.status,
     status_reason = w.status_reason,
     announced_status = w.announced_status,
     server_name = w.server_name,
     login = w.login,
     path = w.path,
     trading_allowed = w.trading_allowed,
     trading_reason = w.trading_reason,
     waiting_since = case when w.status = ${PENDING} then t.waiting_since end,
     status_changed_at = case when w.is_moved then now() else t.status_changed_at end,
     updated_at = case when w.is_moved then now() else t.updated_at end,
     synced_at = case when w.is_synced then now() else t.synced_at end,
     deleted_at = case when w.status = ${DESTROYED} then now() end
   from written w where t.id = w.id`,
);

/** Terminals of silent hosts. Their ids are selected separately, so that every plan starts with them. */
export const unreachableStatement = sql(
  'mark_unreachable_terminals',
  `with silent as (
     select id, status from terminals
     where host_id = any($1::uuid[]) and deleted_at is null and status in (${observableStatuses.join(', ')})
     for update
   )
   update terminals t set status = ${UNREACHABLE},
     status_reason = 'Host offline – the terminal may still be running.',
     status_changed_at = now(), updated_at = now()
   from silent s where t.id = s.id and t.id = any(array(select id from silent))
   returning t.id, t.user_id, t.host_id, t.name, s.status as from_status, t.status, t.status_reason`,
);

/**
 * Terminals of a host whose installation nobody has begun: they wait for a host again, with their tasks. What another
 * transaction has in hand, as one that hands out the installation, is passed over. `$2` is the reason that owners read.
 */
export const takeBackInstallationsStatement = sql(
  'take_back_installations',
  `with taken as materialized (
     select i.id, i.terminal_id from tasks i join terminals t on t.id = i.terminal_id
     where i.host_id = $1 and i.finished_at is null and i.type = ${TaskType.TERMINAL_INSTALL}
       and i.status in (${TaskStatus.PENDING}, ${TaskStatus.QUEUED}) and i.attempts = 0
       and t.host_id = $1 and t.status = ${PENDING} and t.deleted_at is null
     for update of i, t skip locked
   ), detached as (
     update tasks o set host_id = null from taken k
     where o.host_id = $1 and o.terminal_id = k.terminal_id and o.finished_at is null
   ), returned as (
     update terminals t set host_id = null, status_reason = $2, updated_at = now(),
       waiting_since = now() - (select time_lost from scheduler)
     from taken k where t.id = k.terminal_id
     returning t.id
   )
   update hosts set terminal_count = greatest(0, terminal_count - (select count(*) from returned)) where id = $1`,
);

/** Terminals of a retired host: they start over, and wait for another host; those that are being destroyed stay so. */
export const detachStatement = sql(
  'detach_terminals_of_host',
  `with detached as (
     select id, status from terminals where host_id = $1 and deleted_at is null for update
   )
   update terminals t set host_id = null, path = null, status_changed_at = now(), updated_at = now(),
     status = case when t.status = ${DESTROYING} then ${DESTROYING} else ${PENDING} end,
     waiting_since = case when t.status <> ${DESTROYING} then now() - (select time_lost from scheduler) end,
     status_reason = case when t.status <> ${DESTROYING} then $2 end
   from detached d where t.id = d.id and t.id = any(array(select id from detached))
   returning t.id, t.user_id, t.name, d.status as from_status, t.status, t.status_reason, exists (
     select from tasks i where i.host_id is null and i.terminal_id = t.id and i.finished_at is null
       and i.type = ${TaskType.TERMINAL_INSTALL}
   ) as is_install_queued`,
);

/**
 * Takes terminals from their hosts, in the transaction that ends the task which shows that nothing of them runs there.
 * So nothing else is done on that host in between. What waits for them waits on, for whichever host gets them.
 */
export const leaveStatement = sql(
  'leave_hosts_of_moves',
  `with proven as (
     update terminal_moves set phase = case phase when 'stopping' then 'stopped' else 'returning' end, proof_task_id = null,
       phase_since = now()
     where proof_task_id = any($1::uuid[])
     returning terminal_id
   ), former as materialized (
     select t.id, t.status from terminals t join proven p on p.terminal_id = t.id where t.deleted_at is null
   ), moved as (
     update terminals t set host_id = null, path = null, status = ${PENDING}, status_reason = $2, status_changed_at = now(),
     updated_at = now()
   from former f where t.id = f.id
   returning t.id, t.user_id, t.name, f.status as from_status, t.status, t.status_reason
   ), freed as (
     update tasks o set host_id = null from former f where o.terminal_id = f.id and o.finished_at is null
   )
   select * from moved`,
);

/** A terminal that moved comes to a host with what waits for it; `$2` null: it waits for one. */
export const settleStatement = sql(
  'settle_moved_terminal',
  `with former as materialized (
     select id, status from terminals where id = $1
   ), moved as (
     update terminals t set host_id = $2, region_id = $3, status = $4, status_reason = $5, updated_at = now(),
     waiting_since = case when $2::uuid is null then now() - (select time_lost from scheduler) end,
     status_changed_at = case when f.status = $4 then t.status_changed_at else now() end
   from former f where t.id = f.id
   returning t.id, t.user_id, t.name, f.status as from_status, t.status, t.status_reason
   ), following as (
     update tasks set host_id = $2, state_since = now() where terminal_id = $1 and finished_at is null
   )
   select * from moved`,
);
