import { sql, type Queryable } from '../db/database.ts';

const watchStatement = sql(
  'watch_events',
  `insert into event_watchers (user_id, server_id) select unnest($1::uuid[]), $2
   on conflict (user_id, server_id) do update set seen_at = now()
   returning user_id, xmax = 0 as is_new`,
);

export interface WatchedUser {
  user_id: string;
  /** This server did not stand there before, so events may have been missed until now. */
  is_new: boolean;
}

/** Notes that this server wants the events of these users. */
export const watchEvents = (db: Queryable, serverId: string, userIds: string[]): Promise<WatchedUser[]> =>
  db.query<WatchedUser>(watchStatement, [userIds, serverId]);

/** The tables whose changes are told: those with a trigger that calls `announce`. */
export const ANNOUNCED_TABLES = [
  'bulk_runs',
  'events',
  'notifications',
  'tasks',
  'terminal_charts',
  'terminal_screenshots',
  'terminals',
  'tokens',
  'trading_stops',
  'users',
];

const unwatchStatement = sql(
  'unwatch_events',
  `delete from event_watchers where server_id = $2 and user_id = any($1::uuid[])`,
);

export const unwatchEvents = async (db: Queryable, serverId: string, userIds: string[]): Promise<void> => {
  await db.query(unwatchStatement, [userIds, serverId]);
};

const queueStatement = sql('find_queue_usage', `select pg_notification_queue_usage() as usage`);

/** How full PostgreSQL's queue of notifications is, 0 to 1. From 0.75 on, changes are not told. */
export const findQueueUsage = async (db: Queryable): Promise<number> =>
  (await db.query<{ usage: number }>(queueStatement))[0]?.usage ?? 0;
