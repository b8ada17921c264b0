import { createHash } from 'node:crypto';
import type { AuditAction } from '@berth/contract';
import { sql, type Queryable, type Transaction } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { recordAudit, toUserActor } from '../audit/record.ts';

/** A year without a use, and a place is new again; the last hundred are kept. */
const seenStatement = sql(
  'note_sign_in_place',
  `with old as (
     delete from sign_in_places where user_id = $1 and fingerprint <> $2 and (seen_at < now() - interval '1 year' or fingerprint in (
       select fingerprint from sign_in_places where user_id = $1 order by seen_at desc offset 99
     ))
   ), noted as (
     insert into sign_in_places as p (user_id, fingerprint) values ($1, $2)
     on conflict (user_id, fingerprint) do update set seen_at = now() returning xmax = 0 as is_new
   )
   select is_new from noted`,
);

export interface SignInPlace {
  /** The address, as the server saw it. */
  address: string;
  /** Its network: providers give their customers other addresses all the time. */
  network: string;
  /** Browser or program. */
  device: string;
}

/** Notes a sign-in, and writes its event where its network and its browser are new together. @param isFirst that of a registration */
export const noteSignIn = async (
  tx: Transaction,
  userId: string,
  { address, network, device }: SignInPlace,
  { isFirst = false } = {},
): Promise<void> => {
  const fingerprint = createHash('sha256').update(`${network} ${device}`).digest();
  const [noted] = await tx.query<{ is_new: boolean }>(seenStatement, [userId, fingerprint]);
  if (isFirst || noted?.is_new !== true) return;
  await recordEvents(tx, [{ type: 'security.sign_in', userId, terminalId: null, data: { address, device } }]);
};

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
