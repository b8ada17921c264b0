/**
 * The one place where the audit log is written. Whoever changes something that is kept there records it in the
 * transaction of the change: a crash leaves both, or neither. The database lets nobody change a row, and removes only
 * what is older than it is kept (`scheduler/pruning.ts`).
 */
import type { AuditAction, AuditActorKind, AuditResult } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { createId, toLowestId, toTimeOfId } from '../db/ids.ts';
import { toDifference } from './differences.ts';

/** Who did something. A token or a session, never both. */
export interface Actor {
  kind: AuditActorKind;
  userId: string | null;
  tokenId: number | null;
  sessionId: number | null;
  /** Where the request came from. */
  address: string | null;
}

/** Somebody without a token who has shown to be the user (by a password, a link or a code), or only says so. */
export const toUserActor = (userId: string, address: string): Actor => ({
  kind: 'user',
  userId,
  tokenId: null,
  sessionId: null,
  address,
});

/** What the server does by itself. */
export const systemActor: Actor = { kind: 'system', userId: null, tokenId: null, sessionId: null, address: null };

/** Who calls a command of the operator: it asks nobody who they are. */
export const commandActor: Actor = { ...systemActor, kind: 'operator' };

export interface AuditChange {
  action: AuditAction;
  target: { type: string; id: string | null };
  /** Whose log it is in: the owner of what was changed. null: of nobody but operators. Left out: the actor's own. */
  userId?: string | null;
  /** All or some of its fields, with secrets where they may have changed: they are compared, and never kept. */
  before?: object | null;
  after?: object | null;
  result?: AuditResult;
}

const COLUMNS = `id, at, user_id, actor_kind, actor_user_id, actor_token_id, actor_session_id, address, action, target_type,
  target_id, before, after, result`;

const insertStatement = sql(
  'insert_audit_row',
  `insert into audit_log (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

/** Of a row, in the order of the columns; undefined: nothing has changed. */
const toValues = (actor: Actor, change: AuditChange): unknown[] | undefined => {
  const { action, target, userId = actor.userId, before = null, after = null, result = 'done' } = change;
  const difference = toDifference(before, after);
  if (!difference) return undefined;
  const { kind, userId: actorId, tokenId, sessionId, address } = actor;
  const [was, is] = [difference.before, difference.after].map((side) => side && JSON.stringify(side));
  const id = createId();
  return [
    ...[id, toTimeOfId(id), userId, kind, actorId, tokenId, sessionId, address || null],
    ...[action, target.type, target.id?.toLowerCase() ?? null, was, is, result],
  ];
};

/** Writes who did what, in the transaction that does it. Nothing is written where `before` and `after` are the same. */
export const recordAudit = async (tx: Queryable, actor: Actor, change: AuditChange): Promise<void> => {
  const values = toValues(actor, change);
  if (values) await tx.query(insertStatement, values);
};

/** Of one user: one per minute and address, and this many per hour. A guess of a password must not fill the log. */
const MAX_REFUSED_PER_HOUR = 60;
const MINUTE_MS = 60_000;

const insertRefusedStatement = sql(
  'insert_refused_sign_in',
  `insert into audit_log (${COLUMNS})
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
   where not exists (
     select from audit_log a where a.user_id = $3 and a.result = 'refused' and a.id > $15::uuid
       and a.address is not distinct from $8
   ) and (
     select count(*) from (
       select from audit_log a where a.user_id = $3 and a.result = 'refused' and a.id > $16::uuid limit ${MAX_REFUSED_PER_HOUR}
     ) as recent
   ) < ${MAX_REFUSED_PER_HOUR}`,
);

/** That somebody did not know the password of a user; some of many. */
export const recordRefusal = async (
  db: Queryable,
  userId: string,
  actor: Actor,
  done: Pick<AuditChange, 'action' | 'target'>,
): Promise<void> => {
  const change = { ...done, result: 'refused' } as const;
  const since = (ms: number): string => toLowestId(new Date(Date.now() - ms));
  await db.query(insertRefusedStatement, [...toValues(actor, change)!, since(MINUTE_MS), since(60 * MINUTE_MS)]);
};

/** A sign-in. */
export const recordRefusedSignIn = (db: Queryable, userId: string, address: string): Promise<void> =>
  recordRefusal(db, userId, toUserActor(userId, address), {
    action: 'account.sign_in',
    target: { type: 'account', id: userId },
  });
