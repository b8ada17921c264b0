import { HostStatus } from '@berth/contract';
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

/** Far more than anybody watches by the host. */
const MAX_HOSTS = 1_000;

const machinesStatement = sql(
  'list_machines',
  `select h.name, coalesce(h.places, 0) as places, h.terminal_count as terminals,
     (facts ->> 'memory_total_mb')::double precision as memory_total_mb,
     (facts ->> 'memory_available_mb')::double precision as memory_available_mb,
     (facts ->> 'disk_total_mb')::double precision as disk_total_mb,
     (facts ->> 'disk_available_mb')::double precision as disk_available_mb,
     (facts ->> 'load_percent')::double precision as load_percent
   from hosts h left join host_facts f on f.host_id = h.id where h.status = ${HostStatus.ONLINE}
   order by h.id limit ${MAX_HOSTS}`,
);

/** What an online host says of its machine. Null: it does not. */
export interface MachineFigures {
  name: string;
  places: number;
  terminals: number;
  memory_total_mb: number | null;
  memory_available_mb: number | null;
  disk_total_mb: number | null;
  disk_available_mb: number | null;
  load_percent: number | null;
}

export const listMachines = (db: Queryable): Promise<MachineFigures[]> => db.query<MachineFigures>(machinesStatement);

const waitingStatement = sql(
  'count_waiting_by_region',
  `select r.label as region, count(t.id) as total from regions r left join terminals t
     on t.region_id = r.id and t.waiting_since is not null and t.host_id is null and t.deleted_at is null
   group by r.id, r.label order by r.id`,
);

/** Terminals that wait for a host, in each region. */
export const countWaiting = (db: Queryable): Promise<{ region: string; total: number }[]> =>
  db.query<{ region: string; total: number }>(waitingStatement);

const webhooksStatement = sql(
  'count_webhooks_by_state',
  `select state, count(*) as total from (
     select case when status = 'disabled' then 'disabled' when failing_since is null then 'working' else 'failing' end as state
     from webhooks
   ) w group by state`,
);

/** Webhooks: `working`, `failing` (its last tries failed) or `disabled`. */
export const countWebhooks = (db: Queryable): Promise<{ state: string; total: number }[]> =>
  db.query<{ state: string; total: number }>(webhooksStatement);

const tickAgeStatement = sql(
  'read_tick_age',
  `select greatest(0, extract(epoch from now() - completed_at))::double precision as seconds from scheduler`,
);

/** Seconds since a scheduler, of whichever server, completed a tick. */
export const readTickAge = async (db: Queryable): Promise<number> =>
  (await db.query<{ seconds: number }>(tickAgeStatement))[0]?.seconds ?? 0;
