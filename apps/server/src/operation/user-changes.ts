/**
 * What operators do with users, each with its row of the audit log, in a transaction of the caller: the routes of
 * operators, and the commands of the server's machine (`commands/`).
 */
import { AccountStatus, type AuditAction, type ManagedUser, type OperatorRole, type UserStatus } from '@berth/contract';
import { reopenUser, writeClosing } from '../accounts/closing.ts';
import { createAccount } from '../accounts/users.ts';
import * as users from '../accounts/managed-users.ts';
import { createPasswordCode } from '../accounts/password-links.ts';
import { assertOwnerRemains, assertStillOwner, holdRoles, writeRole } from '../accounts/roles.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Queryable, Transaction } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { suspendTerminals, type SuspensionParts } from '../runs/suspension.ts';
import { deleteTokensOfUser } from '../tokens/queries.ts';
import { deleteSignInLinks } from '../tokens/sign-in-links.ts';
import { isOwner, type ActingOperator } from './acting-operator.ts';

/** @throws AppError not_found */
export const getUser = async (db: Queryable, id: string): Promise<ManagedUser> => {
  const user = await users.findUser(db, id);
  if (!user) throw AppError.notFound('User');
  return user;
};

const isOwn = ({ user }: ActingOperator, id: string): boolean => id.toLowerCase() === user?.id;

/** Other operators are managed by owners alone. */
const holdUser = async (tx: Queryable, by: ActingOperator, id: string): Promise<users.HeldUser> => {
  const held = await users.lockManagedUser(tx, id);
  if (!held) throw AppError.notFound('User');
  if (held.role !== null && !isOwn(by, id) && !isOwner(by)) throw new AppError('missing_role');
  return held;
};

const assertNotDemoted = async (tx: Queryable, { user }: ActingOperator): Promise<void> => {
  if (user) await assertStillOwner(tx, user.id);
};

/** What the audit log keeps of a user: no name and no address, because it outlives the account; only that they changed. */
const toKept = ({ plan, limits, status, suspension, role, closes_at }: ManagedUser) => {
  return { plan, limits, status, suspension, role, closes_at };
};

const toTarget = (id: string) => ({ target: { type: 'user', id: id.toLowerCase() }, userId: id.toLowerCase() });

/** @returns the user as it is since */
const noteChange = async (
  tx: Queryable,
  actor: Actor,
  action: AuditAction,
  before: ManagedUser,
): Promise<ManagedUser> => {
  const after = await getUser(tx, before.id);
  const isRenamed = before.name !== after.name || before.external_id !== after.external_id;
  const is = { ...toKept(after), ...(isRenamed ? { name: 'changed' } : {}) };
  await recordAudit(tx, actor, { action, ...toTarget(after.id), before: toKept(before), after: is });
  return after;
};

export interface NewUser extends users.UserChanges {
  name: string;
  email: string;
  /** Of a password that nobody knows: the user has none until the link was used. */
  passwordHash: string;
}

/** @returns with the code of a link to set the first password; undefined: the address is taken */
export const createUser = async (
  tx: Queryable,
  { actor }: ActingOperator,
  { name, email, passwordHash, ...changes }: NewUser,
): Promise<{ user: ManagedUser; code: string; expiresAt: string } | undefined> => {
  const account = await createAccount(tx, { name, email, passwordHash, isVerified: true });
  if (!account) return undefined;
  await users.writeUser(tx, account.id, changes);
  const { code, expiresAt } = await createPasswordCode(tx, account.id);
  const user = await getUser(tx, account.id);
  await recordAudit(tx, actor, { action: 'user.create', ...toTarget(user.id), after: toKept(user) });
  return { user, code, expiresAt };
};

/** @returns the code of a link to set a new password; earlier links of the user end */
export const createUserLink = async (
  tx: Queryable,
  by: ActingOperator,
  id: string,
): Promise<{ code: string; expiresAt: string }> => {
  const { status } = await holdUser(tx, by, id);
  if (status !== AccountStatus.ACTIVE) throw new AppError('user_not_active');
  const made = await createPasswordCode(tx, id);
  const after = { expires_at: made.expiresAt };
  await recordAudit(tx, by.actor, { action: 'user.create_password_link', ...toTarget(id), after });
  return made;
};

/** Undefined: it stays as it is. */
export interface ManagedChanges extends users.UserChanges {
  role?: OperatorRole | null | undefined;
  /** With `suspended`, also the suspension. */
  status?: Exclude<UserStatus, 'closed'> | undefined;
  suspension?: Pick<NonNullable<ManagedUser['suspension']>, 'reason' | 'terminals'> | undefined;
}

/** @throws AppError own_account */
export const assertNotOwn = (by: ActingOperator, id: string): void => {
  if (isOwn(by, id)) throw new AppError('own_account');
};

/** Changes, suspends or reactivates a user. */
export const changeUser = async (
  tx: Transaction,
  parts: SuspensionParts,
  by: ActingOperator,
  id: string,
  { status, suspension, role, ...changes }: ManagedChanges,
): Promise<ManagedUser> => {
  if (role !== undefined || suspension) await holdRoles(tx);
  if (role !== undefined) await assertNotDemoted(tx, by);
  const held = await holdUser(tx, by, id);
  if (status !== undefined && held.status === AccountStatus.CLOSED) throw new AppError('user_closed');
  const before = await getUser(tx, id);
  await users.writeUser(tx, id, changes);
  if (role !== undefined) await writeRole(tx, id, role);
  if (status !== undefined) await users.writeSuspension(tx, id, suspension ?? null);
  if (suspension) await suspendTerminals(tx, parts, id, suspension.terminals);
  if (held.role === 'owner' && (role !== undefined || suspension)) await assertOwnerRemains(tx);
  return noteChange(tx, by.actor, 'user.update', before);
};

/** Ends all sessions, and revokes all tokens. */
export const signOutUser = async (tx: Queryable, by: ActingOperator, id: string): Promise<void> => {
  await holdUser(tx, by, id);
  await deleteTokensOfUser(tx, id);
  await deleteSignInLinks(tx, id);
  await recordAudit(tx, by.actor, { action: 'user.sign_out', ...toTarget(id) });
};

export const closeUser = async (
  tx: Transaction,
  parts: SuspensionParts,
  by: ActingOperator,
  { id, reason }: { id: string; reason: string },
): Promise<ManagedUser> => {
  await holdRoles(tx);
  await assertNotDemoted(tx, by);
  const held = await holdUser(tx, by, id);
  const before = await getUser(tx, id);
  // Closed once more: the time until the removal does not begin anew.
  if (held.status === AccountStatus.CLOSED) return before;
  await writeClosing(tx, id, reason);
  await suspendTerminals(tx, parts, id, 'stop');
  if (held.role === 'owner') await assertOwnerRemains(tx);
  return noteChange(tx, by.actor, 'user.close', before);
};

/** Takes a closing back: the user is suspended. */
export const reopenClosedUser = async (tx: Queryable, by: ActingOperator, id: string): Promise<ManagedUser> => {
  await holdUser(tx, by, id);
  const before = await getUser(tx, id);
  if (!(await reopenUser(tx, id))) throw new AppError('user_not_closed');
  return noteChange(tx, by.actor, 'user.reopen', before);
};
