/** A backup that operators ask for besides the schedule, with its row of the audit log. */
import type { BackupState } from '@berth/contract';
import { recordAudit } from '../audit/record.ts';
import { sql, type Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { findBackupState } from '../overview/state.ts';
import type { ActingOperator } from './acting-operator.ts';

/**
 * One that is under way, or that nobody has begun yet, is due already: so two are never asked for at once. By the clock
 * of the moment, because who waited for another request began before that was done.
 */
const requestStatement = sql(
  'request_backup',
  `update scheduled_backup set due_at = now() where due_at > clock_timestamp() returning due_at`,
);

/**
 * The server that makes the scheduled ones makes this one, within seconds or when it is started; the lease sees to it
 * that it is one. The time of the next scheduled one stays.
 * @throws AppError no_backups where none are scheduled, backup_under_way
 */
export const requestBackup = async (tx: Queryable, { actor }: ActingOperator): Promise<BackupState> => {
  const isAsked = (await tx.query(requestStatement)).length > 0;
  const state = await findBackupState(tx);
  if (!state) throw new AppError('no_backups');
  if (!isAsked) throw new AppError('backup_under_way');
  const target = { type: 'backup', id: null };
  await recordAudit(tx, actor, { action: 'backup.run', target, userId: null });
  return state;
};
