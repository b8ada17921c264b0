/** Users as operators see and change them. */
import { AccountStatus, type ManagedUser, type OperatorRole, type UserLimits, type UserStatus } from '@berth/contract';
import { isTaken, sql, type Queryable } from '../db/database.ts';
import { COUNTED_ROWS, isOlder, toKey, toOffset, type PageInput } from '../db/page.ts';
import { ValidationError } from '../errors.ts';
import { toUsedBytes } from '../storage/budget.ts';
import { toRole } from '../tokens/callers.ts';
import { GRACE_DAYS, SUSPENDED_AT } from './closing.ts';

const statuses: Record<UserStatus, AccountStatus> = {
  active: AccountStatus.ACTIVE,
  suspended: AccountStatus.SUSPENDED,
  closed: AccountStatus.CLOSED,
};

const MIB = '1048576.0';

const columns = `u.id, u.name, u.email, u.external_id, u.plan,
  json_build_object('terminals', u.terminal_limit, 'storage_mib', u.storage_mib, 'regions', u.region_ids) as limits,
  case u.status when ${AccountStatus.ACTIVE} then 'active' when ${AccountStatus.SUSPENDED} then 'suspended' else 'closed' end as status,
  u.suspended_reason, u.suspended_terminals, u.suspended_at, u.is_operator, ${toRole} as role, u.created_at,
  u.closed_at + interval '${GRACE_DAYS} days' as closes_at,
  (select count(*) from terminals t where t.user_id = u.id and t.deleted_at is null) as terminals,
  ceil(${toUsedBytes('u.id')} / ${MIB})::integer as storage_used_mib,
  (select max(last_used_at) from tokens k where k.user_id = u.id) as last_seen_at`;

type Row = Omit<ManagedUser, 'suspension'> & {
  suspended_reason: string | null;
  suspended_terminals: NonNullable<ManagedUser['suspension']>['terminals'] | null;
  suspended_at: string | null;
};

const toUser = ({ suspended_reason: reason, suspended_terminals: terminals, suspended_at: at, ...user }: Row) => ({
  ...user,
  suspension: reason !== null && terminals !== null && at !== null ? { reason, terminals, at } : null,
});

/** Of `$1` the pattern of a search, of `$2` a status; null: all. */
const isChosen = `u.deleted_at is null and ($2::smallint is null or u.status = $2)
  and ($1::text is null or lower(u.name || chr(10) || u.email || chr(10) || coalesce(u.external_id, '')) like $1)`;

const listStatement = sql(
  'list_users',
  `select ${columns} from (
     select * from users u where ${isChosen} and ${isOlder(3)} order by created_at desc, id desc limit $5 offset $6
   ) u order by created_at desc, id desc`,
);
const countStatement = sql(
  'count_users',
  `select count(*) as total from (select from users u where ${isChosen} limit $3) counted`,
);

export interface UserFilter {
  search: string | undefined;
  status: UserStatus | undefined;
}

const toValues = ({ search, status }: UserFilter): unknown[] => [
  search === undefined ? null : `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`,
  status === undefined ? null : statuses[status],
];

/** Newest first. Pass it slow connections: a search reads all users. */
export const listUsers = async (db: Queryable, filter: UserFilter, page: PageInput): Promise<ManagedUser[]> => {
  const values = [...toValues(filter), ...toKey(page, 2), page.per_page, toOffset(page)];
  return (await db.query<Row>(listStatement, values)).map(toUser);
};

export const countUsers = async (db: Queryable, filter: UserFilter): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, [...toValues(filter), COUNTED_ROWS]))[0]?.total ?? 0;

const findStatement = sql('find_user', `select ${columns} from users u where u.id = $1 and u.deleted_at is null`);

export const findUser = async (db: Queryable, id: string): Promise<ManagedUser | undefined> =>
  (await db.query<Row>(findStatement, [id])).map(toUser)[0];

const lockStatement = sql(
  'lock_managed_user',
  `select u.status, ${toRole} as role from users u where u.id = $1 and u.deleted_at is null for no key update`,
);

export interface HeldUser {
  status: AccountStatus;
  role: OperatorRole | null;
}

/** Nobody else changes the user until the transaction ends. */
export const lockManagedUser = async (tx: Queryable, id: string): Promise<HeldUser | undefined> =>
  (await tx.query<HeldUser>(lockStatement, [id]))[0];

/** Undefined: it stays as it is; null: that of the plan, or none. */
export interface UserChanges {
  name?: string | undefined;
  external_id?: string | null | undefined;
  plan?: number | undefined;
  limits?: Partial<UserLimits> | undefined;
}

const writeStatement = sql(
  'write_managed_user',
  `update users set name = coalesce($2, name), plan = coalesce($3, plan),
     external_id = case when $4::boolean then $5 else external_id end,
     terminal_limit = case when $6::boolean then $7 else terminal_limit end,
     storage_mib = case when $8::boolean then $9 else storage_mib end,
     region_ids = case when $10::boolean then $11::integer[] else region_ids end,
     updated_at = now()
   where id = $1`,
);

const EXTERNAL_ID = 'users_by_external_id';

/** @throws ValidationError when another user has the external id */
export const writeUser = async (tx: Queryable, id: string, changes: UserChanges): Promise<void> => {
  const { name, plan, external_id, limits: { terminals, storage_mib, regions } = {} } = changes;
  const settings = [external_id, terminals, storage_mib, regions];
  const pairs = settings.flatMap((value) => [value !== undefined, value ?? null]);
  try {
    await tx.query(writeStatement, [id, name ?? null, plan ?? null, ...pairs]);
  } catch (error) {
    if (!isTaken(error, EXTERNAL_ID)) throw error;
    throw ValidationError.of('external_id', 'The external id has already been taken.');
  }
};

const suspendStatement = sql(
  'suspend_user',
  `update users set status = ${AccountStatus.SUSPENDED}, suspended_reason = $2, suspended_terminals = $3,
     suspended_at = ${SUSPENDED_AT}, updated_at = now()
   where id = $1`,
);
const readmitStatement = sql(
  'readmit_user',
  `update users set status = ${AccountStatus.ACTIVE}, suspended_reason = null, suspended_terminals = null,
     updated_at = now()
   where id = $1`,
);

export const writeSuspension = async (
  tx: Queryable,
  id: string,
  suspension: { reason: string; terminals: string } | null,
): Promise<void> => {
  if (suspension) await tx.query(suspendStatement, [id, suspension.reason, suspension.terminals]);
  else await tx.query(readmitStatement, [id]);
};
