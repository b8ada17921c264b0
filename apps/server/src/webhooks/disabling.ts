/** Disables a webhook whose endpoint is gone, or did not answer for days, and tells its owner. */
import type { Logger } from '@berth/kit';
import { recordAudit, systemActor } from '../audit/record.ts';
import type { Database } from '../db/database.ts';
import { recordEvents } from '../events/record.ts';
import { takeMail } from '../mail/allowance.ts';
import type { Mailer } from '../mail/mailer.ts';
import { toDisabledMail } from './message.ts';
import { disableWebhook, failPending, findOwnerAddress } from './queries.ts';
import type { LeasedWebhook } from './work.ts';

export interface DisablingParts {
  db: Database;
  mailer: Mailer;
  log: Logger;
}

/**
 * Not on the way of deliveries: a mail server may be slow, and the event is there whatever becomes of the mail.
 * @param url that was called: the owner may have given another one since
 * @returns whether the webhook was ours, and has the address that was called
 */
export const disable = (
  { db, mailer, log }: DisablingParts,
  lease: string,
  { id, user_id: userId }: Pick<LeasedWebhook, 'id' | 'user_id'>,
  url: string,
  reason: string,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await disableWebhook(tx, { id, url }, lease, reason))) return false;
    await failPending(tx, id);
    const target = { type: 'webhook', id };
    await recordAudit(tx, systemActor, { action: 'webhook.disable', target, userId, after: { reason } });
    const data = { webhook_id: id, reason };
    await recordEvents(tx, [{ type: 'security.webhook_disabled', userId, terminalId: null, data }]);
    const to = await findOwnerAddress(tx, userId);
    if (to === undefined || !(await takeMail(tx, 'disabled', to))) return true;
    tx.afterCommit(() => {
      mailer.send(toDisabledMail(to, url, reason)).catch((error: unknown) => {
        log.warn({ err: error }, 'the mail about a disabled webhook could not be sent');
      });
    });
    return true;
  });
