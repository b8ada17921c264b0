/**
 * How many bytes the data of a user takes, by kind. Triggers count what is written: files in `user_storage`, everything
 * else by rows of `storage_changes`, which a loop adds up. What does not grow without bounds (terminals, their samples,
 * the history of their accounts, settings) is not counted.
 */
import type { StorageKind } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

export type UsageByKind = Record<StorageKind, number>;

const findStatement = sql(
  'find_storage_usage',
  `with counted as (
     select kind, bytes from storage_usage where user_id = $1
     union all
     select kind, bytes from storage_changes where user_id = $1
   )
   select u.plan, u.storage_mib, coalesce((select used_bytes from user_storage s where s.user_id = u.id), 0) as files,
     ${['tasks', 'runs', 'webhooks', 'events', 'other']
       .map((kind) => `coalesce((select sum(bytes) from counted where kind = '${kind}'), 0)::bigint as ${kind}`)
       .join(', ')}
   from users u where u.id = $1`,
);

/** Of a user, an SQL expression: what all of it comes to in bytes. It reads the rows of that user alone. */
export const toUsedBytes = (userId: string): string =>
  `(coalesce((select used_bytes from user_storage s where s.user_id = ${userId}), 0)
    + coalesce((select sum(bytes) from storage_usage s where s.user_id = ${userId}), 0)
    + coalesce((select sum(bytes) from storage_changes s where s.user_id = ${userId}), 0))::bigint`;

/** @returns undefined: there is no such user */
export const findUsage = async (
  db: Queryable,
  userId: string,
): Promise<{ plan: number; storage_mib: number | null; by: UsageByKind } | undefined> => {
  const [row] = await db.query<UsageByKind & { plan: number; storage_mib: number | null }>(findStatement, [userId]);
  if (!row) return undefined;
  const { plan, storage_mib, ...by } = row;
  return { plan, storage_mib, by };
};

const PORTION = 20_000;

const addUpStatement = sql(
  'add_up_storage_changes',
  `with gone as (
     delete from storage_changes where id = any(array(
       select id from storage_changes order by id limit ${PORTION} for update skip locked
     )) returning user_id, kind, bytes
   ), added as (
     insert into storage_usage (user_id, kind, bytes)
     select user_id, kind, sum(bytes) from gone group by user_id, kind order by user_id, kind
     on conflict (user_id, kind) do update set bytes = storage_usage.bytes + excluded.bytes
   )
   select count(*) as total from gone`,
);

/** Adds the changes to the totals. Every server does it; rows that another one has in hand are passed over. */
export const addUpChanges = async (db: Queryable): Promise<void> => {
  let total = PORTION;
  while (total === PORTION) total = (await db.query<{ total: number }>(addUpStatement))[0]?.total ?? 0;
};

/** What a task with the payload counts for, as `task_bytes` of the schema does; its result may add to it. */
export const toTaskBytes = (payload: object): number => 512 + Math.max(512, Buffer.byteLength(JSON.stringify(payload)));

/** A terminal that is created: its row stays for 30 days when it is deleted, and its installation is a task. */
export const TERMINAL_BYTES = 4 * 1024;

/** What a run with the payload counts for, as `run_bytes` of the schema does. */
export const toRunBytes = (payload: object, terminals: number): number =>
  512 + Buffer.byteLength(JSON.stringify(payload)) + 128 * terminals;
