/** Deliveries of webhooks as their owners see them, and ask for them. */
import { MAX_PENDING_DELIVERIES, type WebhookDelivery } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

/** Deliveries of one webhook that wait. The events behind them wait in the log. */
export const WINDOW = MAX_PENDING_DELIVERIES;

const columns = `d.id, d.event_id, d.event_type, d.status, d.attempts, d.next_attempt_at, d.created_at`;

const listStatement = sql(
  'list_webhook_deliveries',
  `select ${columns} from webhook_deliveries d
   where d.webhook_id = $1 and d.id < $2 and ($3::text is null or d.status = $3) order by d.id desc limit $4`,
);

/** Newest first. The webhook must be the user's. @param before the id of the last one that was seen */
export const listDeliveries = (
  db: Queryable,
  webhookId: string,
  { before, status, limit }: { before: string; status: string | null; limit: number },
): Promise<WebhookDelivery[]> => db.query(listStatement, [webhookId, before, status, limit]);

const insertTestStatement = sql(
  'insert_test_delivery',
  `insert into webhook_deliveries as d (id, webhook_id, event_type) values ($1, $2, 'webhook.test') returning ${columns}`,
);

export const insertTestDelivery = async (tx: Queryable, id: string, webhookId: string): Promise<WebhookDelivery> =>
  (await tx.query<WebhookDelivery>(insertTestStatement, [id, webhookId]))[0]!;

const findStatement = sql(
  'find_webhook_delivery',
  `select d.status, d.event_id is null or exists (
     select from webhooks w join events e on e.user_id = w.user_id and e.id = d.event_id where w.id = d.webhook_id
   ) as is_kept
   from webhook_deliveries d where d.webhook_id = $1 and d.id = $2`,
);

interface FoundDelivery {
  status: WebhookDelivery['status'];
  /** Its event is still there. */
  is_kept: boolean;
}

/** @returns undefined: there is no such delivery */
export const findDelivery = async (db: Queryable, webhookId: string, id: string): Promise<FoundDelivery | undefined> =>
  (await db.query<FoundDelivery>(findStatement, [webhookId, id]))[0];

const resendStatement = sql(
  'resend_webhook_delivery',
  `update webhook_deliveries d set status = 'pending', attempt_count = 0, next_attempt_at = now()
   where webhook_id = $1 and id = $2 returning ${columns}`,
);

export const resendDelivery = async (tx: Queryable, webhookId: string, id: string): Promise<WebhookDelivery> =>
  (await tx.query<WebhookDelivery>(resendStatement, [webhookId, id]))[0]!;

const resendFailedStatement = sql(
  'resend_failed_deliveries',
  `with again as (
     update webhook_deliveries set status = 'pending', attempt_count = 0, next_attempt_at = now()
     where id = any(array(
       select d.id from webhook_deliveries d
       where d.webhook_id = $1 and d.status = 'failed' and d.created_at >= $2
         and (d.event_id is null or exists (select from events e where e.user_id = $3 and e.id = d.event_id))
       order by d.event_id limit $4
     ))
     returning 1
   )
   select count(*) as total from again`,
);

/** Those of the oldest events first, no more than the window has room for. @returns how many */
export const resendFailed = async (
  tx: Queryable,
  webhookId: string,
  { since, userId, limit }: { since: string; userId: string; limit: number },
): Promise<number> =>
  (await tx.query<{ total: number }>(resendFailedStatement, [webhookId, since, userId, limit]))[0]?.total ?? 0;

const countPendingStatement = sql(
  'count_pending_deliveries',
  `select count(*) as total from (
     select from webhook_deliveries where webhook_id = $1 and status = 'pending' limit ${WINDOW}
   ) as pending`,
);

/** No further than the window. */
export const countPending = async (tx: Queryable, webhookId: string): Promise<number> =>
  (await tx.query<{ total: number }>(countPendingStatement, [webhookId]))[0]?.total ?? 0;

const callStatement = sql('call_webhook', `update webhooks set due_at = now(), calls = calls + 1 where id = $1`);

/** There is something to send now. */
export const callWebhook = async (tx: Queryable, webhookId: string): Promise<void> => {
  await tx.query(callStatement, [webhookId]);
};
