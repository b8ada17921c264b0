/**
 * What is wrong with a user's terminals. Nearly all of it stands in the tables as it is at this moment, whatever was read of the
 * log: so an alert can neither miss the end of something, nor begin because of something that is over. The log has what the
 * tables do not: what happened at a moment, and who switched trading off.
 */
import { HostStatus, TaskStatus, TaskType, TerminalStatus, type AlertCondition } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** Something that is wrong with a terminal. Times are milliseconds since 1970. */
export interface Condition {
  when: AlertCondition;
  /** null: it is about no terminal. */
  terminal_id: string | null;
  project_id: string | null;
  name: string;
  host: string | null;
  reason: string | null;
  since: number;
}

const toMs = (time: string): string => `(extract(epoch from ${time}) * 1000)::double precision`;

const wrongStatement = sql(
  'list_wrong_terminals',
  `select w.when, t.id as terminal_id, t.project_id, t.name, h.name as host, w.reason, ${toMs('w.since')} as since
   from terminals t left join hosts h on h.id = t.host_id
   cross join lateral (
     select 'terminal_down' as "when", d.since, t.status_reason as reason from terminal_downs d
     where d.terminal_id = t.id and 'terminal_down' = any($2::text[])
     union all select 'login_failed', t.status_changed_at, t.status_reason
     where t.status = ${TerminalStatus.LOGIN_FAILED} and 'login_failed' = any($2)
     union all select 'host_lost', h.last_seen_at, null where h.status = ${HostStatus.LOST} and 'host_lost' = any($2)
     union all select 'trading_off', now(), t.trading_reason where not t.trading_allowed and 'trading_off' = any($2)
     union all (
       select 'expert_failed', f.since, f.expert || ' on ' || f.symbol from failed_experts f
       where f.terminal_id = t.id and 'expert_failed' = any($2) order by f.since, f.chart_id limit 1
     )
   ) w
   where t.user_id = $1 and t.deleted_at is null
     and t.status not in (${TerminalStatus.DESTROYING}, ${TerminalStatus.DESTROYED})`,
);

/** What is wrong with a user's terminals now, of these kinds. */
export const listWrong = (tx: Queryable, userId: string, conditions: readonly AlertCondition[]): Promise<Condition[]> =>
  tx.query(wrongStatement, [userId, conditions]);

/** Of one look. */
const MAX_MOMENTS = 1_000;
/** A task switched trading off if it ran at that time: its host may say it before the task ends, or after. */
const SWITCHED = { beforeS: 300, afterS: 60 };

const momentsStatement = sql(
  'list_alert_moments',
  `select e.id, e.type, e.terminal_id, e.project_id, ${toMs('e.occurred_at')} as since, e.data,
     coalesce(t.name, e.data ->> 'name', '') as name, h.name as host,
     e.type = 'trading.switched' and ((e.data ->> 'trading_allowed')::boolean or exists (
       select from tasks k where k.terminal_id = e.terminal_id and k.type = ${TaskType.OPTIONS_AUTO_TRADE}
         and k.status <> ${TaskStatus.CANCELED} and k.payload ->> 'allow_algo_trading' = '0'
         and k.started_at < e.occurred_at + interval '${SWITCHED.afterS} seconds'
         and (k.finished_at is null or k.finished_at > e.occurred_at - interval '${SWITCHED.beforeS} seconds')
     )) as is_ours
   from events e left join terminals t on t.id = e.terminal_id left join hosts h on h.id = t.host_id
   where e.user_id = $1 and e.id > $2 and e.id <= $3
     and (e.type in ('trading.switched', 'risk.breached')
       or e.type = 'task.finished' and e.data ->> 'status' in ('${TaskStatus.FAILED}', '${TaskStatus.TERMINATED}'))
   order by e.id limit ${MAX_MOMENTS}`,
);

interface MomentRow extends Omit<Condition, 'when' | 'reason'> {
  id: number;
  type: string;
  data: Record<string, unknown>;
  is_ours: boolean;
}

const whens: Readonly<Record<string, AlertCondition>> = {
  'trading.switched': 'trading_off',
  'task.finished': 'task_failed',
  'risk.breached': 'risk_breached',
};

export interface Moments {
  moments: Condition[];
  /** The last event that was looked at. */
  position: number;
  hasMore: boolean;
}

/** What a user's log has for alerts, behind a place in it. @param toReason what is said of an event */
export const readMoments = async (
  tx: Queryable,
  userId: string,
  { position, horizon }: { position: number; horizon: number },
  toReason: (type: string, data: Record<string, unknown>) => string | null,
): Promise<Moments> => {
  const rows = await tx.query<MomentRow>(momentsStatement, [userId, position, horizon]);
  const moments = rows.flatMap(({ id: _id, type, data, is_ours: isOurs, ...row }): Condition[] =>
    isOurs ? [] : [{ ...row, when: whens[type]!, reason: toReason(type, data) }],
  );
  const hasMore = rows.length === MAX_MOMENTS;
  return { moments, position: hasMore ? rows.at(-1)!.id : Math.max(position, horizon), hasMore };
};
