/** How much storage a user's files take. Triggers keep the total in one row per user, which their writers lock. */
import { MAX_FILES } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';

export interface Storage {
  used_bytes: number;
  file_count: number;
}

const findStatement = sql('find_storage', `select used_bytes, file_count from user_storage where user_id = $1`);

export const findStorage = async (db: Queryable, userId: string): Promise<Storage> =>
  (await db.query<Storage>(findStatement, [userId]))[0] ?? { used_bytes: 0, file_count: 0 };

/** @throws AppError storage_quota unless this much more fits */
export const assertRoom = async (
  tx: Queryable,
  userId: string,
  { quotaBytes, newBytes, newFiles }: { quotaBytes: number; newBytes: number; newFiles: number },
): Promise<void> => {
  const { used_bytes: usedBytes, file_count: fileCount } = await findStorage(tx, userId);
  if (usedBytes + newBytes > quotaBytes || fileCount + newFiles > MAX_FILES) throw new AppError('storage_quota');
};
