/**
 * Invitations: a link of an operator with which somebody creates an account, also where registration is closed. It works
 * once. As with other links, the code is in the fragment (`#`) of the URL, and only its hash is kept.
 */
import { MAX_INVITATIONS, type Invitation, type UserLimits } from '@berth/contract';
import { sql, type Database, type Queryable, type Transaction } from '../db/database.ts';
import { createId } from '../db/ids.ts';
import { createSecret, isSecret, toSecretHash } from '../secrets/token-secret.ts';
import { isUuid } from '../validation/uuid.ts';
import { createAccount } from './users.ts';
import { holdRoles } from './roles.ts';
import { writeUser } from './managed-users.ts';

const columns = `i.id, i.email, i.plan, i.created_at, i.expires_at,
  json_build_object('terminals', i.terminal_limit, 'storage_mib', i.storage_mib, 'regions', i.region_ids) as limits`;

const listStatement = sql(
  'list_invitations',
  `select ${columns} from invitations i where expires_at > now() order by created_at desc, id desc limit ${MAX_INVITATIONS}`,
);

/** Those that can still be accepted, newest first. */
export const listInvitations = (db: Queryable): Promise<Invitation[]> => db.query<Invitation>(listStatement);

const deleteExpiredStatement = sql('delete_expired_invitations', `delete from invitations where expires_at <= now()`);
const insertStatement = sql(
  'insert_invitation',
  `insert into invitations as i
     (id, secret_hash, email, plan, terminal_limit, storage_mib, region_ids, created_by, expires_at)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9 where (select count(*) from invitations) < ${MAX_INVITATIONS}
   returning ${columns}`,
);

export interface NewInvitation {
  email?: string | undefined;
  plan?: number | undefined;
  limits?: Partial<UserLimits> | undefined;
  expiresAt: Date;
}

/**
 * @param operatorId null: a command of the server's machine creates it
 * @returns with its code, `<id>.<secret>`, which cannot be read again; undefined: there are too many
 */
export const createInvitation = async (
  tx: Queryable,
  operatorId: string | null,
  { email, plan = 0, limits: { terminals = null, storage_mib = null, regions = null } = {}, expiresAt }: NewInvitation,
): Promise<{ invitation: Invitation; code: string } | undefined> => {
  // One after the other, so that they can be counted.
  await holdRoles(tx);
  await tx.query(deleteExpiredStatement);
  const [id, secret] = [createId(), createSecret()];
  const values = [
    id,
    toSecretHash(secret),
    email ?? null,
    plan,
    terminals,
    storage_mib,
    regions,
    operatorId,
    expiresAt,
  ];
  const [invitation] = await tx.query<Invitation>(insertStatement, values);
  return invitation && { invitation, code: `${id}.${secret}` };
};

const deleteStatement = sql('delete_invitation', `delete from invitations i where id = $1 returning ${columns}`);

/** @returns what it was; undefined: there is no such invitation */
export const deleteInvitation = async (tx: Queryable, id: string): Promise<Invitation | undefined> =>
  (await tx.query<Invitation>(deleteStatement, [id]))[0];

const findStatement = sql(
  'find_invitation',
  `select email from invitations where id = $1 and secret_hash = $2 and expires_at > now()`,
);
const takeStatement = sql(
  'take_invitation',
  `delete from invitations i where id = $1 and secret_hash = $2 and expires_at > now() returning ${columns}`,
);

const toValues = (code: string): [id: string, hash: Buffer] | undefined => {
  const [id = '', secret = '', rest] = code.split('.');
  return rest === undefined && isUuid(id) && isSecret(secret) ? [id, toSecretHash(secret)] : undefined;
};

export type Acceptance =
  | { kind: 'accepted'; id: string; email: string }
  /** It was used or revoked, has ended, or never existed. */
  | { kind: 'over' }
  /** It names no address, and none was given. */
  | { kind: 'no_email' }
  /** It is for this address, and another one was given. */
  | { kind: 'other_email'; email: string }
  | { kind: 'taken' };

/** The address was taken: the invitation remains, so that another one can be given. */
class AddressTaken extends Error {}

/**
 * Creates the account of who was invited, and uses the invitation up. One that names an address is for that alone.
 * @param hash computed only for an invitation that is there, and outside of the transaction
 * @param note in the transaction of the creation
 */
export const acceptInvitation = async (
  db: Database,
  { code, name, email: given }: { code: string; name: string; email: string | undefined },
  { hash, note }: { hash: () => Promise<string>; note: (tx: Transaction, userId: string) => Promise<void> },
): Promise<Acceptance> => {
  const values = toValues(code);
  const [found] = values ? await db.query<{ email: string | null }>(findStatement, values) : [];
  if (!values || !found) return { kind: 'over' };
  const email = found.email ?? given;
  if (email === undefined) return { kind: 'no_email' };
  if (given !== undefined && given.toLowerCase() !== email.toLowerCase()) return { kind: 'other_email', email };
  const passwordHash = await hash();
  try {
    return await db.transaction(async (tx): Promise<Acceptance> => {
      const [invitation] = await tx.query<Invitation>(takeStatement, values);
      if (!invitation) return { kind: 'over' };
      const account = await createAccount(tx, { name, email, passwordHash, isVerified: found.email !== null });
      if (!account) throw new AddressTaken();
      await writeUser(tx, account.id, { plan: invitation.plan, limits: invitation.limits });
      await note(tx, account.id);
      return { kind: 'accepted', id: account.id, email };
    });
  } catch (error) {
    if (error instanceof AddressTaken) return { kind: 'taken' };
    throw error;
  }
};
