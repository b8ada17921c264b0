/**
 * What users store, and may store: whoever adds to it asks here first.
 *
 * Bytes are counted by kind. Triggers count what is written: files in `user_storage`, everything else by rows of
 * `storage_changes`, which a loop adds up. What does not grow without bounds (terminals, their samples, the history of
 * their accounts, settings) is not counted.
 */
import { storageKinds, type StorageKind, type StorageUsage } from '@berth/contract';
import { LruCache } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import { sql, type Database, type Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';

type UsageByKind = Record<StorageKind, number>;

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
const findUsage = async (
  db: Queryable,
  userId: string,
): Promise<{ plan: number; storage_mib: number | null; by: UsageByKind } | undefined> => {
  const [row] = await db.query<UsageByKind & { plan: number; storage_mib: number | null }>(findStatement, [userId]);
  if (!row) return undefined;
  const { plan, storage_mib, ...by } = row;
  return { plan, storage_mib, by };
};

const MAX_CHANGES_PER_BATCH = 20_000;

const addUpStatement = sql(
  'add_up_storage_changes',
  `with gone as (
     delete from storage_changes where id = any(array(
       select id from storage_changes order by id limit ${MAX_CHANGES_PER_BATCH} for update skip locked
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
  let total = MAX_CHANGES_PER_BATCH;
  while (total === MAX_CHANGES_PER_BATCH) total = (await db.query<{ total: number }>(addUpStatement))[0]?.total ?? 0;
};

/** What a task with the payload counts for, as `task_bytes` of the schema does; its result may add to it. */
export const toTaskBytes = (payload: object): number => 512 + Math.max(512, Buffer.byteLength(JSON.stringify(payload)));

/** A terminal that is created: its row stays for 30 days when it is deleted, and its installation is a task. */
export const TERMINAL_BYTES = 4 * 1024;

/** What a run with the payload counts for, as `run_bytes` of the schema does. */
export const toRunBytes = (payload: object, terminals: number): number =>
  512 + Buffer.byteLength(JSON.stringify(payload)) + 128 * terminals;

const MIB = 1024 * 1024;
const DEFAULT_STORAGE_MIB = 2048;
/** So long a reading is taken for true, with what this server let in since. */
const FRESH_MS = 1_000;

/** So often what is past its time is removed. */
const RETRY_AFTER_S = 600;

type Limits = Pick<ServerConfig, 'storageLimits'>;

/** What a user may store: as an operator has set it, or as the plan allows. */
export const toQuotaBytes = (
  { storageLimits }: Limits,
  { plan, storage_mib: given }: { plan: number; storage_mib: number | null },
): number => (given ?? storageLimits.get(plan) ?? DEFAULT_STORAGE_MIB) * MIB;

interface Reading {
  usage: StorageUsage;
  readAtMs: number;
  /** What was let in since it was read. */
  addedBytes: number;
}

const toMibText = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString('en')} MiB`;

const toError = ({ by, quota_bytes: quotaBytes }: StorageUsage): AppError => {
  const [largest] = storageKinds.toSorted((one, other) => by[other] - by[one]);
  const resource = `${largest} (${toMibText(by[largest!])} of ${toMibText(quotaBytes)})`;
  return new AppError('storage_full', { resource, retryAfterSeconds: RETRY_AFTER_S });
};

export class StorageBudget {
  readonly #db: Pick<Database, 'query' | 'shared'>;
  readonly #config: Limits;
  readonly #readings = new LruCache<Reading>();

  constructor(db: Pick<Database, 'query' | 'shared'>, config: Limits) {
    this.#db = db;
    this.#config = config;
  }

  /** What the user stores now. */
  async read(userId: string): Promise<StorageUsage> {
    const found = await this.#db.shared.read(`storage ${userId}`, () => findUsage(this.#db, userId));
    if (!found) throw AppError.notFound('User');
    const { by } = found;
    const usedBytes = storageKinds.reduce((sum, kind) => sum + by[kind], 0);
    return { used_bytes: usedBytes, quota_bytes: toQuotaBytes(this.#config, found), by };
  }

  /**
   * What else the server or other servers let in at this moment is not seen: the budget may be passed by that much.
   * @param newBytes what is about to be written
   * @param reservedBytes how far it may go beyond the quota
   * @throws AppError storage_full unless there is room for it
   */
  async assertRoom(userId: string, newBytes: number, reservedBytes = 0): Promise<void> {
    const known = this.#readings.get(userId);
    // No refusal on an old reading: something may have been deleted.
    if (known && performance.now() - known.readAtMs < FRESH_MS && this.#take(known, newBytes, reservedBytes)) return;
    const readAtMs = performance.now();
    const reading = { usage: await this.read(userId), readAtMs, addedBytes: 0 };
    this.#readings.set(userId, reading);
    if (!this.#take(reading, newBytes, reservedBytes)) throw toError(reading.usage);
  }

  #take(reading: Reading, newBytes: number, reservedBytes: number): boolean {
    const { used_bytes: usedBytes, quota_bytes: quotaBytes } = reading.usage;
    if (usedBytes + reading.addedBytes + newBytes > quotaBytes + reservedBytes) return false;
    reading.addedBytes += newBytes;
    return true;
  }
}
