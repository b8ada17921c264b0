/** What each statement of webhooks does when it alone stands between two owners. */
import { randomUUID } from 'node:crypto';
import type { Look } from './single-statements.ts';

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
const FAR = 1_000_000_000_000;

/** A webhook of the owner, up to date, with a delivery that says it is of an event of the stranger's. */
const withWebhook =
  (look: (...input: [...Parameters<Look>, ids: { id: string; deliveryId: string }]) => Promise<unknown>): Look =>
  async (tx, scene) => {
    const [id, deliveryId] = [randomUUID(), randomUUID()];
    await tx.plant('delete from webhooks', []);
    await tx.plant(
      `insert into webhooks (id, user_id, url, events, secret, position, lease, leased_until)
       select $1, $2, 'http://127.0.0.1/', '{*}', 'sealed', coalesce(max(e.id), 0), $1, now() - interval '1 hour' from events e`,
      [id, scene.owner.user.id],
    );
    await tx.plant(
      `with made as (insert into events (user_id, type, data) values ($3, 'host.lost', '{}') returning id)
       insert into webhook_deliveries (id, webhook_id, event_id, event_type) select $2, $1, id, 'host.lost' from made`,
      [id, deliveryId, scene.stranger.user.id],
    );
    return look(tx, scene, { id, deliveryId });
  };

/** What the stranger stores, as the triggers count it, and as it was added up. */
const withUsage =
  (look: Look): Look =>
  async (tx, scene) => {
    for (const table of ['storage_usage', 'storage_changes']) await tx.plant(`delete from ${table}`, []);
    await tx.plant(`insert into storage_usage (user_id, kind, bytes) values ($1, 'webhooks', 7)`, [
      scene.stranger.user.id,
    ]);
    await tx.plant(`insert into storage_changes (user_id, kind, bytes) values ($1, 'webhooks', 11)`, [
      scene.stranger.user.id,
    ]);
    return look(tx, scene);
  };

export const anothersStorage: Look[] = [
  withUsage(({ run }, { owner }) => run('find_storage_usage', [owner.user.id]).then(([row]) => row?.webhooks)),
  withWebhook((tx, scene, { id }) =>
    withUsage(({ run }) => run('read_leased_webhook', [id, id, 1]).then(([row]) => row?.kept_bytes))(tx, scene),
  ),
  withWebhook(async ({ run, plant }, { stranger }) => {
    await plant(`update webhook_deliveries set status = 'failed'`, []);
    return (await run('remove_oldest_deliveries', [stranger.user.id, 10])).length;
  }),
];

export const anothersWebhooks: Look[] = [
  withWebhook(async ({ run }, { stranger }) => (await run('list_webhooks', [stranger.user.id, LOWEST_ID, 10])).length),
  withWebhook(({ run }, { stranger }) => run('count_webhooks', [stranger.user.id])),
  ...['find_webhook', 'lock_webhook', 'delete_webhook'].map((name) =>
    withWebhook(async ({ run }, { stranger }, { id }) => (await run(name, [stranger.user.id, id])).length),
  ),
  withWebhook(
    async ({ run }, { stranger }, { id }) => (await run('rotate_webhook_secret', [stranger.user.id, id, 'new'])).length,
  ),
  async ({ run }, { stranger, projectId }) =>
    (await run('hold_project_of_webhook', [stranger.user.id, projectId])).length,
  withWebhook(({ run }, _, { id, deliveryId }) => run('find_webhook_delivery', [id, deliveryId])),
  withWebhook(async ({ run }, { owner }, { id }) =>
    (await run('list_due_deliveries', [id, owner.user.id, false, 10])).map((row) => row.id === null),
  ),
  withWebhook(async ({ run, plant }, { owner }, { id }) => {
    await plant(`update webhook_deliveries set status = 'failed'`, []);
    return run('resend_failed_deliveries', [id, '2000-01-01', owner.user.id, 10]);
  }),
  withWebhook(async ({ run }) => (await run('claim_webhooks', [randomUUID(), 10, FAR, [], 30_000])).length),
  withWebhook(async ({ run, plant }, _, { id }) => {
    await plant('delete from webhook_deliveries', []);
    await run('plan_webhook_deliveries', [id, id, FAR, null, [randomUUID(), randomUUID()], ['*']]);
    return plant('select count(*) as total from webhook_deliveries', []);
  }),
];
