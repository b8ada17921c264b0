import { sql, type Queryable } from '../db/database.ts';

const watchStatement = sql(
  'watch_events',
  `insert into event_watchers (user_id, server_id) select unnest($1::uuid[]), $2
   on conflict (user_id, server_id) do update set seen_at = now()
   returning user_id, xmax = 0 as is_new, pg_current_xact_id()::text as transaction_id`,
);

export interface WatchedUser {
  user_id: string;
  /** This server did not stand there before, so events may have been missed until now. */
  is_new: boolean;
  /** The transaction that noted it. */
  transaction_id: string;
}

/** Notes that this server wants the events of these users. */
export const watchEvents = (db: Queryable, serverId: string, userIds: string[]): Promise<WatchedUser[]> =>
  db.query<WatchedUser>(watchStatement, [userIds, serverId]);

const settledStatement = sql(
  'is_settled',
  `select pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 as is_settled`,
);

/** True when every transaction has ended that began before this one, so that none is left that did not see it. */
export const isSettled = async (db: Queryable, transactionId: string): Promise<boolean> =>
  (await db.query<{ is_settled: boolean }>(settledStatement, [transactionId]))[0]?.is_settled === true;

const unwatchStatement = sql(
  'unwatch_events',
  `delete from event_watchers where server_id = $2 and user_id = any($1::uuid[])`,
);

export const unwatchEvents = async (db: Queryable, serverId: string, userIds: string[]): Promise<void> => {
  await db.query(unwatchStatement, [userIds, serverId]);
};
