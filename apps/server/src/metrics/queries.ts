import { sql, type Queryable } from '../db/database.ts';

export interface StatusCount {
  status: number;
  total: number;
}

const openTasksStatement = sql(
  'count_open_tasks',
  `select status, count(*) as total from tasks where finished_at is null group by status`,
);

/** Tasks that have not ended, by status. */
export const countOpenTasks = (db: Queryable): Promise<StatusCount[]> => db.query<StatusCount>(openTasksStatement);

const hostsStatement = sql('count_hosts_by_status', `select status, count(*) as total from hosts group by status`);

export const countHosts = (db: Queryable): Promise<StatusCount[]> => db.query<StatusCount>(hostsStatement);

const terminalsStatement = sql(
  'count_terminals_by_status',
  `select status, count(*) as total from terminals where deleted_at is null group by status`,
);

/** Terminals that exist, by status. */
export const countTerminals = (db: Queryable): Promise<StatusCount[]> => db.query<StatusCount>(terminalsStatement);

const dueMessagesStatement = sql(
  'count_due_alert_messages',
  `select count(*) as total from alert_messages where status = 'pending' and due_at <= now()`,
);

/** Messages of alerts that should be sent by now, and are not. */
export const countDueMessages = async (db: Queryable): Promise<number> =>
  (await db.query<{ total: number }>(dueMessagesStatement))[0]?.total ?? 0;

const tickAgeStatement = sql(
  'read_tick_age',
  `select greatest(0, extract(epoch from now() - completed_at))::double precision as seconds from scheduler`,
);

/** Seconds since a scheduler, of whichever server, completed a tick. */
export const readTickAge = async (db: Queryable): Promise<number> =>
  (await db.query<{ seconds: number }>(tickAgeStatement))[0]?.seconds ?? 0;
