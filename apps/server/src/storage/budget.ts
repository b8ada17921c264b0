/** What a user may store in total: whoever adds to it asks here first. */
import { storageKinds, type StorageUsage } from '@berth/contract';
import { LruCache } from '@berth/kit';
import type { ServerConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { findUsage } from './usage.ts';

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
