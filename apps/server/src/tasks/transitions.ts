/**
 * Every statement that writes the status of a task, and so every transition that exists. Each appends its steps to the
 * row's history (the database rejects a transition that the contract does not have). Lock order: tasks, then leases,
 * then terminals.
 */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { sql, type Statement } from '../db/database.ts';
import { withAsked, withRestored } from './asked.ts';
import { selectDelivered } from './delivery.ts';
import {
  isRefusedByDrain,
  isRefusedByLock,
  isWaiting,
  selectOpen,
  selectOverdue,
  toLane,
  withClaimableHeads,
  withQueueHeads,
} from './queue.ts';
import { taskColumns } from './task-row.ts';

const { PENDING, QUEUED, DELIVERED, RUNNING, COMPLETED, FAILED, CANCELED, TERMINATED } = TaskStatus;

/** The columns of a transition of `t`. Every argument is an SQL expression. */
const toTransition = (to: string | number, actor: string, attempts = 't.attempts'): string =>
  `status = ${to}, actor = ${actor}, state_since = now(), updated_at = now(),
     history = t.history || task_steps(t.status, (${to})::smallint, ${actor}, (${attempts})::smallint)`;

const created = (actor: string): string => `task_steps(null, ${PENDING}::smallint, ${actor}, 0::smallint)`;

/**
 * Tasks of any users and terminals. A user's task is inserted only on a terminal that accepts it; `findTaskRefusal`
 * says why not.
 */
export const insertStatement = sql(
  'insert_tasks',
  `${withAsked}, inserted as (
     insert into tasks (id, user_id, host_id, terminal_id, chart_id, type, payload, sealed, planned_at, lane, actor, history)
     select id, user_id, host_id, terminal_id, chart_id, type, payload, sealed, planned_at, lane, actor, ${created('actor')}
     from found where is_admitted
     order by place
     returning id, created_at
   )
   select a.id, f.terminal_status, f.host_id, f.is_locked, f.is_suspended, f.is_stopping, f.is_draining, i.created_at
   from asked a left join found f on f.id = a.id left join inserted i on i.id = a.id
   order by a.place`,
);

/**
 * Installations, and what brings back experts behind them, in front of what already waits on their terminals, because a
 * queue is processed in the order of `seq`: the highest number below the waiting ones that no other task of the terminal
 * has. The order of tasks on different terminals does not matter.
 */
export const reinstallStatement = sql(
  'insert_reinstallations',
  `insert into tasks (id, seq, user_id, terminal_id, type, payload, lane, actor, history) overriding system value
   select n.id, coalesce(place.seq, nextval(pg_get_serial_sequence('tasks', 'seq'))), n.user_id, n.terminal_id,
     n.type, n.payload, ${toLane('n')}, 'service', ${created(`'service'`)}
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[], $5::jsonb[])
     as n (id, user_id, terminal_id, type, payload)
   cross join lateral (
     with recursive free as (
       select min(seq) - 1 as seq from tasks where terminal_id = n.terminal_id and finished_at is null
       union all
       select f.seq - 1 from free f where exists (select from tasks where terminal_id = n.terminal_id and seq = f.seq)
     )
     select min(seq) as seq from free
   ) place`,
);

/** Turns algo trading on where everything of a restoration is done, of terminals that this transaction has locked. */
export const resumeTradingStatement = sql(
  'resume_trading',
  `${withRestored}
   insert into tasks (id, user_id, host_id, terminal_id, type, payload, actor, history)
   select task_id, user_id, host_id, terminal_id, ${TaskType.OPTIONS_AUTO_TRADE}, '{"allow_algo_trading": 1}', 'service',
     ${created(`'service'`)}
   from resumable`,
);

/** PENDING to QUEUED for tasks whose turn it is, up to `$1`. */
export const promoteStatement = sql(
  'promote_tasks',
  `${withQueueHeads}, promoted as (
     update tasks t set ${toTransition(QUEUED, `'service'`)}
     where t.status = ${PENDING} and t.id = any(array(
       select h.id from heads h
       where h.status = ${PENDING} and (select l.task_id from task_leases l where l.terminal_id = h.terminal_id) is null
       limit $1
     ))
   )
   select distinct host_id from heads h
   where h.status = ${PENDING} or (
     h.status = ${QUEUED} and coalesce(h.available_at, h.state_since) between now() - interval '5 seconds' and now()
   )`,
);

/**
 * To hosts that claim, with a lease for the claiming session, in turns among users. What was handed out to the session
 * and did not arrive comes first, and alone. For that, the leases of the host are looked at, and of the tasks only those
 * that the host does not list; `not in` of a list that does not depend on the row is hashed, however long. A lease that
 * ends before the agent's next heartbeat could renew it is left to end. What was taken from the host just then, as by a
 * drain, is left out.
 */
export const claimStatement = sql(
  'claim_tasks',
  `${withClaimableHeads}, repeated as (
     select r.* from asked a cross join lateral (
       select t.id, l.fence, t.seq, t.type, t.payload, t.sealed, a.host_id, l.terminal_id
       from task_leases l join tasks t on t.id = l.task_id
       where a.says_known and l.host_id = a.host_id and l.session_id = a.session_id and t.status = ${DELIVERED}
         and l.expires_at > now() + $11 * interval '1 millisecond'
         and (l.host_id, l.task_id, l.fence::int) not in (
           select host_id, task_id, fence from unnest($8::uuid[], $9::uuid[], $10::int[]) as k (host_id, task_id, fence)
         )
       order by t.seq limit a.slots
     ) r
   ), picked as (
     select id, host_id, session_id from (
       select id, host_id, session_id, slots,
         row_number() over (partition by host_id order by turn, user_id <= last_user_id, user_id) as place
       from claimable
     ) ranked
     where place <= slots and host_id not in (select host_id from repeated)
   ), locked as (
     select t.id, t.terminal_id, t.host_id, t.attempts, p.session_id, p.host_id as asking_host_id
     from picked p join tasks t on t.id = p.id and ${isWaiting('t')}
     for update of t skip locked
   ), leased as (
     insert into task_leases (terminal_id, task_id, host_id, session_id, fence, expires_at, deadline_at)
     select terminal_id, id, host_id, session_id, attempts + 1,
       now() + $3 * interval '1 millisecond', now() + $4 * interval '1 millisecond'
     from locked where host_id = asking_host_id
     on conflict (terminal_id) do nothing
     returning task_id, fence
   ), moved as (
     update tasks t set attempts = l.fence, delivered_at = now(), ${toTransition(DELIVERED, `'agent'`, 'l.fence')}
     from leased l where t.id = l.task_id
     returning t.id, l.fence, t.seq, t.type, t.payload, t.sealed, t.host_id, t.terminal_id
   ), delivered as (
     select * from moved union all select * from repeated
   )
   ${selectDelivered}`,
);

/** Transitions of attempts (starts, ends and retries), with their leases. */
export const transitionStatement = sql(
  'apply_transitions',
  `with moved as (
     select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::jsonb[], $5::int[], $6::text[], $7::int[])
       as m (id, terminal_id, status, result, delay_ms, actor, deadline_ms)
   ), released as (
     delete from task_leases l using moved m
     where l.terminal_id = m.terminal_id and l.task_id = m.id and m.status <> ${RUNNING}
   ), extended as (
     update task_leases l set deadline_at = now() + m.deadline_ms * interval '1 millisecond'
     from moved m where l.terminal_id = m.terminal_id and l.task_id = m.id and m.status = ${RUNNING}
   )
   update tasks t set ${toTransition('m.status', 'm.actor')},
     result = coalesce(m.result, t.result),
     sealed = case when m.status >= ${COMPLETED} then null else t.sealed end,
     available_at = case when m.status = ${QUEUED} then now() + m.delay_ms * interval '1 millisecond' else t.available_at end,
     started_at = case when m.status = ${QUEUED} then null
       when m.status in (${RUNNING}, ${COMPLETED}) then coalesce(t.started_at, now()) else t.started_at end,
     finished_at = case when m.status >= ${COMPLETED} then now() end
   from moved m where t.id = m.id
   returning t.host_id, m.status >= ${COMPLETED} and exists (
     select from tasks o where o.host_id = t.host_id and o.terminal_id = t.terminal_id and o.finished_at is null and o.id <> t.id
   ) as has_next`,
);

/** What is announced about a task that ended. */
const endedColumns = 't.id, t.user_id, t.terminal_id, t.type, t.status, t.delivered_at';

interface Ending {
  to: TaskStatus;
  actor: 'user' | 'service' | 'operator';
  /** Where the condition needs more than the tasks `t`. */
  from?: string;
  condition: string;
  result?: string;
  returning?: string;
}

/** A task's end without an attempt. */
const toEnding = (name: string, ending: Ending): Statement => {
  const { to, actor, from, condition, result = '$1', returning = endedColumns } = ending;
  return sql(
    name,
    `update tasks t set ${toTransition(to, `'${actor}'`)}, sealed = null, finished_at = now(), result = ${result}
     ${from === undefined ? '' : `from ${from}`}
     where ${condition} and ${to === TERMINATED ? `t.status in (${DELIVERED}, ${RUNNING})` : isWaiting('t')}
     returning ${returning}`,
  );
};

const byUser = { to: CANCELED, actor: 'user' } as const;

/** One task that no host has, of a user or of any. Its columns are unqualified: there is no other table. */
const one = { ...byUser, returning: taskColumns };
export const cancelStatement = toEnding('cancel_task', {
  ...one,
  condition: 't.id = $2 and t.terminal_id = $3 and t.user_id = $4',
});
export const cancelAnyStatement = toEnding('cancel_any_task', { ...one, actor: 'operator', condition: 't.id = $2' });

/** Tasks of a run that no host has yet. */
export const cancelOfRunStatement = toEnding('cancel_tasks_of_run', {
  ...byUser,
  condition: 't.id in (select task_id from bulk_run_items where run_id = $2) and t.finished_at is null',
});

/** All tasks of a terminal that no host has yet. */
export const cancelOpenStatement = toEnding('cancel_open_tasks', {
  ...byUser,
  condition: 't.terminal_id = $2 and t.finished_at is null',
});

/** Tasks that slipped in while their terminal was being destroyed, at these places, up to `$4`. */
export const cancelLeftoverStatement = toEnding('cancel_leftover_tasks', {
  to: CANCELED,
  actor: 'service',
  from: `(
       select o.id from unnest($2::uuid[], $3::uuid[]) as p (host_id, terminal_id)
       cross join lateral (select status, deleted_at from terminals where id = p.terminal_id offset 0) tm
       cross join lateral ${selectOpen('p')} o
       where ${isWaiting('o')} and (tm.deleted_at is not null
         or (tm.status = ${TerminalStatus.DESTROYING} and o.type <> ${TaskType.TERMINAL_DESTROY}))
       limit $4
     ) leftover`,
  condition: 't.id = leftover.id',
});

/** What a lock of the terminal refuses. */
export const cancelLockedStatement = toEnding('cancel_tasks_of_locked_terminal', {
  to: CANCELED,
  actor: 'service',
  condition: `t.terminal_id = $2 and t.finished_at is null and ${isRefusedByLock('t')}`,
});

/** What would bring trading back to the terminals of a user who is suspended, and no host has yet. */
export const cancelOfSuspendedStatement = toEnding('cancel_tasks_of_suspended_user', {
  to: CANCELED,
  actor: 'operator',
  condition: `t.terminal_id = any($2::uuid[]) and t.finished_at is null and ${isRefusedByLock('t')}`,
});

/** What would start terminals of a host that is being drained. */
export const cancelStartsStatement = toEnding('cancel_starts_on_drained_host', {
  to: CANCELED,
  actor: 'operator',
  condition: `t.host_id = $2 and t.finished_at is null and ${isRefusedByDrain('t')}`,
});

/** The stops that a drain of the host asked for, and it has not begun. */
export const cancelStopsStatement = toEnding('cancel_stops_of_drain', {
  to: CANCELED,
  actor: 'operator',
  condition: `t.host_id = $2 and t.finished_at is null and t.type = ${TaskType.TERMINAL_STOP}
       and t.id = (select drain_task_id from terminals where id = t.terminal_id)`,
});

/** Installations that wait for a host, of these terminals. */
export const failInstallationsStatement = toEnding('fail_hostless_installations', {
  to: FAILED,
  actor: 'service',
  condition: `t.host_id is null and t.terminal_id = any($2::uuid[]) and t.finished_at is null
       and t.type = ${TaskType.TERMINAL_INSTALL}`,
});

/** Tasks that wait for installations that failed, each with a result of its own, up to `$3`. */
export const failWaitingStatement = toEnding('fail_waiting_tasks', {
  to: FAILED,
  actor: 'service',
  from: `(
       select o.id, f.result from unnest($1::uuid[], $2::jsonb[]) as f (terminal_id, result)
       cross join lateral (
         select id from tasks i where terminal_id = f.terminal_id and finished_at is null and ${isWaiting('i')} limit $3
       ) o
       limit $3
     ) w`,
  condition: 't.id = w.id',
  result: 'w.result',
});

/** Tasks that no host took for too long. */
export const failOverdueStatement = toEnding('fail_overdue_tasks', {
  to: FAILED,
  actor: 'service',
  from: `${selectOverdue} overdue`,
  condition: 't.id = overdue.id',
});

/** Running tasks of a retired host. */
export const terminateStatement = toEnding('terminate_tasks_of_host', {
  to: TERMINATED,
  actor: 'operator',
  condition: 't.host_id = $2 and t.finished_at is null',
});
