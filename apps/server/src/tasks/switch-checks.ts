/**
 * Whether a stop of all algo trading would reach its terminals. Hosts are asked along the way of tasks, in the answer to
 * a claim, and switch nothing. A host that does not answer, or is too old to, is asked again after a while.
 */
import { HostStatus, MAX_SWITCH_CHECKS, MAX_UNREACHED, type StopReadiness, type SwitchCheck } from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import { CHECKS_CHANNEL } from '../hosts/host-news.ts';
import { IS_STOPPABLE } from './switched.ts';

/** How often each terminal is checked, and how often its host is asked for what is due. */
const EVERY = `interval '1 hour'`;
const ASK_EVERY = `interval '30 seconds'`;
/** A check is believed for this long. */
const BELIEVED = `interval '2 hours'`;
/** A terminal is not reported more often. */
const GAP = `interval '10 seconds'`;
/** Hosts that are asked by one statement. */
const MAX_HOSTS_PER_BATCH = 200;

const toDue = (host: string): string => `
  select t.id from terminals t left join switch_checks c on c.terminal_id = t.id and c.host_id = t.host_id
  where t.host_id = ${host} and ${IS_STOPPABLE} and coalesce(not ${isWithin('c.checked_at', EVERY)}, true)`;

const askStatement = sql(
  'ask_for_switch_checks',
  `with due as (
     select id from hosts where status = ${HostStatus.ONLINE} and coalesce(not ${isWithin('checks_asked_at', ASK_EVERY)}, true)
     order by checks_asked_at nulls first limit ${MAX_HOSTS_PER_BATCH} for no key update skip locked
   ), asked as (
     update hosts h set checks_asked_at = now() from due where h.id = due.id returning h.id
   )
   select pg_notify('${CHECKS_CHANNEL}', a.id::text) from asked a where exists (${toDue('a.id')})`,
);

/** Asks the hosts that have terminals to check. It is a hint: one that misses it is asked again. */
export const askForChecks = async (db: Queryable): Promise<void> => {
  await db.query(askStatement);
};

const listDueStatement = sql('list_due_switch_checks', `${toDue('$1')} limit ${MAX_SWITCH_CHECKS}`);

/** Terminals that their host is to check now. */
export const listDueChecks = async (db: Queryable, hostId: string): Promise<string[]> =>
  (await db.query<{ id: string }>(listDueStatement, [hostId])).map(({ id }) => id);

const takeStatement = sql(
  'take_switch_checks',
  `with taken as (
     insert into switch_checks as c (terminal_id, host_id, ms, problem)
     select g.terminal_id, $1, g.ms, g.problem from unnest($2::uuid[], $3::int[], $4::text[]) as g (terminal_id, ms, problem)
     where (select true from terminals t where t.id = g.terminal_id and t.host_id = $1 and t.deleted_at is null limit 1)
     order by g.terminal_id
     on conflict (terminal_id) do update
       set host_id = excluded.host_id, checked_at = now(), ms = excluded.ms, problem = excluded.problem
       where c.host_id <> excluded.host_id or not ${isWithin('c.checked_at', GAP)}
     returning terminal_id
   )
   select count(*)::int as total from taken`,
);

/** @returns how many were taken: those of terminals on the host that were not checked just before */
export const takeChecks = async (db: Queryable, hostId: string, checks: readonly SwitchCheck[]): Promise<number> => {
  const rows = [...new Map(checks.map((check) => [check.terminal_id.toLowerCase(), check])).values()];
  const columns = [rows.map(({ terminal_id: id }) => id), rows.map(({ ms }) => ms), rows.map(({ problem }) => problem)];
  return (await db.query<{ total: number }>(takeStatement, [hostId, ...columns]))[0]!.total;
};

const IS_ONLINE = `coalesce(h.status = ${HostStatus.ONLINE}, false)`;

const findStatement = sql(
  'find_stop_readiness',
  `with own as (
     select t.id, t.name, t.status, ${IS_ONLINE} as is_online, c.terminal_id is not null as is_checked, c.problem, c.ms,
       c.checked_at, ${IS_ONLINE} and c.terminal_id is not null and c.problem is null as is_reached
     from terminals t
     left join hosts h on h.id = t.host_id
     left join switch_checks c on c.terminal_id = t.id and c.host_id = t.host_id and ${isWithin('c.checked_at', BELIEVED)}
     where t.user_id = $1 and ${IS_STOPPABLE}
   )
   select count(*)::int as total, count(*) filter (where is_reached)::int as reached,
     count(*) filter (where is_online and not is_checked)::int as unchecked,
     max(ms) filter (where is_reached) as about_ms, min(checked_at) filter (where is_reached) as checked_at,
     (select coalesce(json_agg(u), '[]') from (
       select id as terminal_id, name, status, case when is_online then problem else 'Its host is offline.' end as reason
       from own where not is_online or problem is not null order by name, id limit ${MAX_UNREACHED}
     ) u) as unreached
   from own`,
);

/** Which of the user's terminals a stop would reach now. */
export const findReadiness = async (db: Queryable, userId: string): Promise<StopReadiness> =>
  (await db.query<StopReadiness>(findStatement, [userId]))[0]!;
