/** Invitations that operators create and revoke, each with its row of the audit log. */
import { parseIsoDateTime, type Invitation } from '@berth/contract';
import { createInvitation, deleteInvitation, type NewInvitation } from '../accounts/invitations.ts';
import { recordAudit } from '../audit/record.ts';
import type { Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { ActingOperator } from './acting-operator.ts';

const USUAL_MS = 7 * 86_400_000;

const toTarget = (id: string) => ({ target: { type: 'invitation', id }, userId: null });
const toKept = ({ plan, limits, expires_at }: Invitation) => ({ plan, limits, expires_at });

/** When an invitation ends. @param given a valid time; undefined: a week from now */
export const toEnd = (given: string | undefined, nowMs: number): Date =>
  (given === undefined ? undefined : parseIsoDateTime(given)) ?? new Date(nowMs + USUAL_MS);

/** @returns with the code of its link, which cannot be read again */
export const invite = async (
  tx: Queryable,
  { actor, user }: ActingOperator,
  offer: NewInvitation,
): Promise<{ invitation: Invitation; code: string }> => {
  const created = await createInvitation(tx, user?.id ?? null, offer);
  if (!created) throw new AppError('too_many_invitations');
  const { invitation } = created;
  const after = toKept(invitation);
  await recordAudit(tx, actor, { action: 'invitation.create', ...toTarget(invitation.id), after });
  return created;
};

export const revokeInvitation = async (tx: Queryable, { actor }: ActingOperator, id: string): Promise<void> => {
  const deleted = await deleteInvitation(tx, id);
  if (!deleted) throw AppError.notFound('Invitation');
  await recordAudit(tx, actor, { action: 'invitation.delete', ...toTarget(deleted.id), before: toKept(deleted) });
};
