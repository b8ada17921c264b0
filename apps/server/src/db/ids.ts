import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Before all ids, as PostgreSQL orders them, and after all. Nothing has one of these. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const ID_BYTES = 16;
/** Random bytes for many ids: requesting them one id at a time takes four times as long as all the rest. */
const pool = Buffer.alloc(128 * ID_BYTES);
let usedBytes = pool.length;
let msecs = 0;
let seq = 0;

const takeRandom = (): Buffer => {
  if (usedBytes === pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  usedBytes += ID_BYTES;
  return pool.subarray(usedBytes - ID_BYTES, usedBytes);
};

/**
 * A UUID of version 7: it starts with the time, so that rows created together are neighbours in an index. Each is
 * greater than the one before it in this process, even when the clock is set back.
 */
export const createId = (): string => {
  const random = takeRandom();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    // 31 random bits of 32, so that two billion more fit into the same millisecond.
    seq = random.readUInt32BE(6) >>> 1;
  } else seq += 1;
  return v7({ random, msecs, seq });
};

/** The smallest id that can be made at a time. */
export const toLowestId = (time: Date): string => {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
};

/** When an id was made, to the millisecond. */
export const toTimeOfId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
