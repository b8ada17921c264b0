/** Sign-ins in the audit log. */
import type { AuditAction } from '@berth/contract';
import { recordAudit, toUserActor } from '../audit/record.ts';
import type { Queryable } from '../db/database.ts';

export interface SignIn {
  address: string;
  device: string;
  isSession: boolean;
  /** The account came with it. */
  isNew?: boolean;
}

/** Records a sign-in, or the registration that it comes with. @param token `<id>|<secret>` that it made */
export const recordSignIn = async (
  tx: Queryable,
  userId: string,
  token: string,
  { address, device, isSession, isNew = false }: SignIn,
): Promise<void> => {
  const id = Number(token.split('|')[0]);
  const actor = { ...toUserActor(userId, address), [isSession ? 'sessionId' : 'tokenId']: id };
  const action: AuditAction = isNew ? 'account.create' : 'account.sign_in';
  await recordAudit(tx, actor, { action, target: { type: 'account', id: userId }, after: { device } });
};
