/** Webhooks as their owners see and change them. */
import type { Webhook } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { WINDOW } from './deliveries.ts';
import { toCountColumns, toCounted, toWebhook, type CountedRow } from './half-hours.ts';

/** A webhook without what is counted of its deliveries. */
export type StoredWebhook = Omit<Webhook, 'pending' | 'oldest_pending_at' | 'last_24_hours'>;

const columns = `id, url, events, project_id, description, is_ordered, status, disabled_reason, failing_since,
  secret_rotated_at, created_at, updated_at`;
const shownColumns = `${columns}, ${toCountColumns(WINDOW)}`;

const listStatement = sql(
  'list_webhooks',
  `select ${shownColumns} from webhooks where user_id = $1 and id > $2 order by id limit $3`,
);

/** The user's webhooks, oldest first. @param after the id of the last one that was seen */
export const listWebhooks = async (db: Queryable, userId: string, after: string, limit: number): Promise<Webhook[]> =>
  (await db.query<CountedRow>(listStatement, [userId, after, limit])).map(toWebhook);

const findStatement = sql('find_webhook', `select ${shownColumns} from webhooks where user_id = $1 and id = $2`);

export const findWebhook = async (db: Queryable, userId: string, id: string): Promise<Webhook | undefined> =>
  (await db.query<CountedRow>(findStatement, [userId, id])).map(toWebhook)[0];

const lockUserStatement = sql('lock_user_for_webhook', `select id from users where id = $1 for no key update`);
const countStatement = sql('count_webhooks', `select count(*) as total from webhooks where user_id = $1`);

/** Counts a user's webhooks; until the transaction ends, nobody else can create one for the user. */
export const countWebhooksLocked = async (tx: Queryable, userId: string): Promise<number> => {
  await tx.query(lockUserStatement, [userId]);
  return (await tx.query<{ total: number }>(countStatement, [userId]))[0]?.total ?? 0;
};

const holdProjectStatement = sql(
  'hold_project_of_webhook',
  `select id from projects where user_id = $1 and id = $2 for key share`,
);

/** Whether the user has the project, which stays until the transaction ends. */
export const holdProject = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(holdProjectStatement, [userId, id])).length > 0;

const insertStatement = sql(
  'insert_webhook',
  `insert into webhooks (id, user_id, url, events, project_id, description, is_ordered, secret, position)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${shownColumns}`,
);

export interface NewWebhook {
  id: string;
  userId: string;
  url: string;
  events: readonly string[];
  projectId: string | null;
  description: string | null;
  isOrdered: boolean;
  sealedSecret: string;
  /** It is sent what happens after this event. */
  position: number;
}

export const insertWebhook = async (tx: Queryable, webhook: NewWebhook): Promise<Webhook> => {
  const { id, userId, url, events, projectId, description, isOrdered, sealedSecret, position } = webhook;
  const values = [id, userId, url, events, projectId, description, isOrdered, sealedSecret, position];
  return toWebhook((await tx.query<CountedRow>(insertStatement, values))[0]!);
};

const lockStatement = sql(
  'lock_webhook',
  `select ${columns} from webhooks where user_id = $1 and id = $2 for no key update`,
);

export const lockWebhook = async (tx: Queryable, userId: string, id: string): Promise<StoredWebhook | undefined> =>
  (await tx.query<StoredWebhook>(lockStatement, [userId, id]))[0];

const writeStatement = sql(
  'write_webhook',
  `update webhooks set url = $2, events = $3, project_id = $4, description = $5, is_ordered = $6, status = $7,
     disabled_reason = case when $7 = 'active' then null else disabled_reason end, updated_at = now()
   where id = $1`,
);

export type WebhookSettings = Pick<Webhook, 'url' | 'events' | 'project_id' | 'description' | 'is_ordered' | 'status'>;

/** Writes the settings of a webhook that the transaction has locked. */
export const writeWebhook = async (tx: Queryable, id: string, settings: WebhookSettings): Promise<void> => {
  const { url, events, project_id, description, is_ordered, status } = settings;
  await tx.query(writeStatement, [id, url, events, project_id, description, is_ordered, status]);
};

const restartStatement = sql(
  'restart_webhook',
  `update webhooks set position = $2, failures = 0, failing_since = null, paused_until = null where id = $1`,
);

/** It begins anew behind an event, and its endpoint is taken for one that answers. */
export const restartWebhook = async (tx: Queryable, id: string, position: number): Promise<void> => {
  await tx.query(restartStatement, [id, position]);
};

const failPendingStatement = sql(
  'fail_deliveries_of_webhook',
  `with failed as (
     update webhook_deliveries set status = 'failed', next_attempt_at = null where webhook_id = $1 and status = 'pending'
     returning webhook_id, status, attempt_count, null::integer as ms
   ), ${toCounted('failed')}
   update webhooks set due_at = null, is_full = false, lease = null, leased_until = null where id = $1`,
);

/**
 * A webhook that is disabled sends nothing more, and no server has it in hand. What waited can be sent again later. The
 * transaction has locked it.
 */
export const failPending = async (tx: Queryable, id: string): Promise<void> => {
  await tx.query(failPendingStatement, [id]);
};

const deleteStatement = sql('delete_webhook', `delete from webhooks where user_id = $1 and id = $2 returning id`);

/** @returns whether there was such a webhook */
export const deleteWebhook = async (tx: Queryable, userId: string, id: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [userId, id])).length > 0;

const rotateStatement = sql(
  'rotate_webhook_secret',
  `update webhooks set previous_secret = secret, secret = $3, secret_rotated_at = now(), updated_at = now()
   where user_id = $1 and id = $2 returning ${shownColumns}`,
);

/** @returns undefined: there is no such webhook */
export const rotateSecret = async (
  tx: Queryable,
  userId: string,
  id: string,
  sealedSecret: string,
): Promise<Webhook | undefined> =>
  (await tx.query<CountedRow>(rotateStatement, [userId, id, sealedSecret])).map(toWebhook)[0];

const ownerStatement = sql(
  'find_address_of_webhook_owner',
  `select email from users where id = $1 and deleted_at is null and (email_verified_at is not null or is_operator)`,
);

/** Where the owner of a webhook reads mail. @returns undefined: nobody verified the address, so it may be a stranger's */
export const findOwnerAddress = async (tx: Queryable, userId: string): Promise<string | undefined> =>
  (await tx.query<{ email: string }>(ownerStatement, [userId]))[0]?.email;

const disableStatement = sql(
  'disable_webhook',
  `update webhooks set status = 'disabled', disabled_reason = $3, lease = null, leased_until = null, updated_at = now()
   where id = $1 and lease = $2 and status = 'active' and url = $4 returning id`,
);

/** Disables a webhook on which the server works. @returns whether it was its own, and still has the address */
export const disableWebhook = async (
  tx: Queryable,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  lease: string,
  reason: string,
): Promise<boolean> => (await tx.query(disableStatement, [id, lease, reason, url])).length > 0;
