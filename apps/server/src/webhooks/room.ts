/**
 * What the deliveries of a user may take together. Where they take it, the oldest that have ended go first; what waits
 * stays, nothing new is planned (the events wait in the log), and of answers no excerpts are kept.
 */
import type { ServerConfig } from '../config.ts';
import { sql, type Queryable } from '../db/database.ts';
import { toQuotaBytes } from '../storage/budget.ts';

/** The part of what a user may store. */
const PART = 1 / 8;

/** SQL: what all deliveries of the owner of the webhook `w` take. */
export const keptBytes = `coalesce((select sum(bytes) from (
  select bytes from storage_usage s where s.user_id = w.user_id and s.kind = 'webhooks'
  union all
  select bytes from storage_changes c where c.user_id = w.user_id and c.kind = 'webhooks'
) as k), 0)::bigint`;

export interface KeptDeliveries {
  /** Of their owner. */
  plan: number;
  storage_mib: number | null;
  kept_bytes: number;
}

export const hasNoRoom = (config: Pick<ServerConfig, 'storageLimits'>, kept: KeptDeliveries): boolean =>
  kept.kept_bytes >= toQuotaBytes(config, kept) * PART;

const removeStatement = sql(
  'remove_oldest_deliveries',
  `delete from webhook_deliveries where id = any(array(
     select d.id from webhooks w cross join lateral (
       select id, event_id from webhook_deliveries where webhook_id = w.id and status <> 'pending'
       order by event_id limit $2 for update skip locked
     ) d
     where w.user_id = $1 order by d.event_id limit $2
   )) returning id`,
);

/** Removes deliveries of a user that have ended, of the oldest events first. @returns how many */
export const removeOldest = async (db: Queryable, userId: string, limit: number): Promise<number> =>
  (await db.query(removeStatement, [userId, limit])).length;
