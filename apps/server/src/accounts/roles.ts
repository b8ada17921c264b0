/** The roles of operators. Changes of them take turns, so that one active owner always remains. */
import { AccountStatus, type OperatorRole } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { toRole } from '../tokens/callers.ts';
import { lockOperatorCreation } from './credentials.ts';

const findRoleStatement = sql(
  'find_role_of_active_user',
  `select ${toRole} as role from users u where u.id = $1 and u.status = ${AccountStatus.ACTIVE} and u.deleted_at is null`,
);

/**
 * Call it before what may take an owner away, and before the users are locked: until the transaction ends, nobody else
 * does that.
 */
export const holdRoles = lockOperatorCreation;

/** @throws AppError missing_role where the caller has been demoted since the request was let in */
export const assertStillOwner = async (tx: Queryable, userId: string): Promise<void> => {
  const [row] = await tx.query<{ role: OperatorRole | null }>(findRoleStatement, [userId]);
  if (row?.role !== 'owner') throw new AppError('missing_role');
};

const writeStatement = sql(
  'write_role',
  `update users set is_operator = $2::text is not null, operator_role = $2, updated_at = now() where id = $1`,
);

/** @param role null: no operator any more */
export const writeRole = async (tx: Queryable, userId: string, role: OperatorRole | null): Promise<void> => {
  await tx.query(writeStatement, [userId, role]);
};

const countOwnersStatement = sql(
  'has_active_owner',
  `select from users u
   where u.is_operator and ${toRole} = 'owner' and u.status = ${AccountStatus.ACTIVE} and u.deleted_at is null limit 1`,
);

/** Call it after the change, in the transaction that holds the roles. @throws AppError last_owner */
export const assertOwnerRemains = async (tx: Queryable): Promise<void> => {
  if ((await tx.query(countOwnersStatement)).length === 0) throw new AppError('last_owner');
};
