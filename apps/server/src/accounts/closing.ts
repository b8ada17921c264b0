/**
 * The end of an account. It is refused and its terminals are stopped at once, as by a suspension. For a while the closing
 * can be taken back; then what the user has is removed (`deployment/removed-users.ts`).
 */
import { AccountStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** How long the closing of an account can be taken back. */
export const GRACE_DAYS = 30;

/** When a suspension began. Kept after its end: a stop of trading that began with it is known by that (`toIsByOperator`). */
export const SUSPENDED_AT = `case when status = ${AccountStatus.ACTIVE} then now() else suspended_at end`;

/** Whether a suspension began the stop: in its transaction, and so at its moment. */
export const toIsByOperator = (stop: string): string =>
  `exists (select from users where id = ${stop}.user_id and suspended_at = ${stop}.started_at)`;

const closeStatement = sql(
  'close_user',
  `update users set status = ${AccountStatus.CLOSED}, closed_at = now(), suspended_reason = $2, suspended_terminals = 'stop',
     suspended_at = ${SUSPENDED_AT}, updated_at = now()
   where id = $1`,
);

/** Call it in the transaction that holds the user, and stops the terminals. */
export const writeClosing = async (tx: Queryable, userId: string, reason: string): Promise<void> => {
  await tx.query(closeStatement, [userId, reason]);
};

const reopenStatement = sql(
  'reopen_user',
  `update users set status = ${AccountStatus.SUSPENDED}, closed_at = null, updated_at = now()
   where id = $1 and closed_at is not null and removal_began_at is null and deleted_at is null
   returning id`,
);

/** @returns false where the account is not closed, or is being removed already */
export const reopenUser = async (tx: Queryable, userId: string): Promise<boolean> =>
  (await tx.query(reopenStatement, [userId])).length > 0;
