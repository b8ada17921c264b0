/** Tasks of all users that went wrong: what failed lately, and what does not move although it could. */
import { HostStatus, MAX_OVERVIEW_TASKS, TaskStatus, type OperatorOverview } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const lately = `finished_at > now() - interval '24 hours'`;
const isFailed = `status in (${TaskStatus.FAILED}, ${TaskStatus.TERMINATED})`;
const MAX_COUNTED = 10_000;

/** Whose it is, and where it ran: not what users call it. */
const toRow = (since: string, more: string): string =>
  `k.id, k.type, k.terminal_id, k.user_id, u.name as user_name, k.host_id, h.name as host_name, ${since} as since, ${more}`;

const failedStatement = sql(
  'list_failed_lately',
  `select ${toRow('k.finished_at', `k.result #>> '{runner_result,-1,code}' as code`)}
   from (select * from tasks where ${isFailed} and ${lately} order by finished_at desc limit ${MAX_OVERVIEW_TASKS}) k
   join users u on u.id = k.user_id left join hosts h on h.id = k.host_id
   order by k.finished_at desc`,
);

const countStatement = sql(
  'count_failed_lately',
  `select count(*) as total from (select from tasks where ${isFailed} and ${lately} limit ${MAX_COUNTED}) counted`,
);

export const readFailedTasks = async (db: Queryable): Promise<OperatorOverview['failed_tasks']> => ({
  total: (await db.query<{ total: number }>(countStatement))[0]?.total ?? 0,
  items: await db.query(failedStatement),
});

const lost = '(select time_lost from scheduler)';

/** The scheduler ends a task soon after its deadline: one that still runs a minute later is not looked after. */
const overdueStatement = sql(
  'list_overdue_tasks',
  `select ${toRow('l.deadline_at', `'overdue' as reason`)}
   from (
     select task_id, deadline_at from task_leases where deadline_at < now() - ${lost} - interval '1 minute'
     order by deadline_at limit ${MAX_OVERVIEW_TASKS}
   ) l join tasks k on k.id = l.task_id join users u on u.id = k.user_id left join hosts h on h.id = k.host_id
   order by l.deadline_at`,
);

/** With \`offset 0\`: of the terminals on hosts each is looked at once, and of its queue the head alone. */
const waitingStatement = sql(
  'list_stuck_tasks',
  `select ${toRow('k.state_since', `'waiting' as reason`)}
   from hosts h cross join lateral (
     select id from terminals where host_id = h.id and deleted_at is null offset 0
   ) t cross join lateral (
     select * from tasks where host_id = h.id and terminal_id = t.id and finished_at is null and waits_until is null
     order by waits_until nulls first, lane, seq limit 1
   ) k join users u on u.id = k.user_id
   where h.status = ${HostStatus.ONLINE} and k.status in (${TaskStatus.PENDING}, ${TaskStatus.QUEUED})
     and k.state_since < now() - ${lost} - interval '10 minutes' and coalesce(k.available_at, k.state_since) < now()
     and not exists (select from task_leases l where l.terminal_id = t.id)
   limit ${MAX_OVERVIEW_TASKS}`,
);

export const listStuckTasks = async (db: Queryable): Promise<OperatorOverview['stuck_tasks']> => {
  const overdue = await db.query<OperatorOverview['stuck_tasks'][number]>(overdueStatement);
  const waiting = await db.query<OperatorOverview['stuck_tasks'][number]>(waitingStatement);
  return [...overdue, ...waiting].slice(0, MAX_OVERVIEW_TASKS);
};
