/** The order of deliveries is that of the log, whatever the clocks say of the servers that made them, and so their ids. */
import { MAX_WEBHOOK_DELIVERIES, type UserEvent, type WebhookDelivery } from '@berth/contract';
import { waitFor, type TestServer } from '@berth/testing';
import { expect, it, vi } from 'vitest';
import { resendFailed } from '../src/webhooks/deliveries.ts';
import { removeOldest } from '../src/webhooks/room.ts';
import { useWebhooks } from './support/webhook-scene.ts';

const HOUR_MS = 3_600_000;
const OTHER_SERVER = '00000000-0000-7000-8000-0000000000aa';

const { server, receiver, create } = useWebhooks();

const query: TestServer['query'] = (text, values) => server.query(text, values);

/** A webhook that another server has in hand, which made deliveries of so many events: the later the event, the smaller the id. */
const createHeld = async (count: number, { status = 'pending' } = {}) => {
  const { user, token } = await server.register('Order');
  const { id } = await create(token, { is_ordered: true });
  await query(`update webhooks set lease = $2, leased_until = now() + interval '20 seconds' where id = $1`, [
    id,
    OTHER_SERVER,
  ]);
  await query(
    `with happened as (
       insert into events (user_id, type, data)
       select $1, 'security.token_created', jsonb_build_object('token_id', n, 'name', 'n') from generate_series(1, $3::int) n
       returning id, (data ->> 'token_id')::int as number
     ), made as (
       insert into webhook_deliveries (id, webhook_id, event_id, event_type, status)
       select ('00000000-0000-7000-8000-' || lpad(to_hex(60000 - number), 4, '0') || right($2::text, 8))::uuid, $2::uuid, id,
         'security.token_created', $4
       from happened
     )
     update webhooks set position = (select max(id) from happened) where id = $2::uuid`,
    [user.id, id, count, status],
  );
  return { user, token, id };
};

/** The events of the deliveries that are left, by their place among all. */
const listLeft = async (id: string): Promise<number[]> =>
  (
    await query(
      `select (e.data ->> 'token_id')::int as number from webhook_deliveries d join events e on e.id = d.event_id
       where d.webhook_id = $1 order by 1`,
      [id],
    )
  ).map(({ number }) => number as number);

it('a webhook that keeps an order is sent events as they happened, though later ones have smaller ids', async () => {
  const { id } = await createHeld(5);
  await query('update webhooks set lease = null, leased_until = null, due_at = now() where id = $1', [id]);
  await waitFor(() => receiver.received.length === 5, { what: 'all deliveries' });
  const numbers = receiver.received.map(
    ({ body }) => ((JSON.parse(body) as UserEvent).data as { token_id: number }).token_id,
  );
  expect(numbers).toEqual([1, 2, 3, 4, 5]);
});

it('a test is sent at once, though a delivery before it waits', async () => {
  const { token, id } = await createHeld(1);
  await query(`update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where webhook_id = $1`, [id]);
  await query('update webhooks set lease = null, leased_until = null where id = $1', [id]);
  await server.request('POST', `/v1/my/webhooks/${id}/test`, { token });
  await waitFor(() => receiver.received.length === 1, { what: 'the test' });
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ type: 'webhook.test' });
});

it('what is kept of a webhook are the deliveries of its newest events', async () => {
  const { id } = await createHeld(MAX_WEBHOOK_DELIVERIES + 3, { status: 'succeeded' });
  await server.prune();
  const left = await listLeft(id);
  expect([left.length, left[0]]).toEqual([MAX_WEBHOOK_DELIVERIES, 4]);
});

it('where there is no room, the deliveries of the oldest events go first', async () => {
  const { user, id } = await createHeld(5, { status: 'succeeded' });
  await removeOldest(server.services.db, user.id, 2);
  expect(await listLeft(id)).toEqual([3, 4, 5]);
});

it('what failed is sent again from the oldest event on', async () => {
  const { user, id } = await createHeld(5, { status: 'failed' });
  const since = new Date(0).toISOString();
  await server.services.db.transaction((tx) => resendFailed(tx, id, { since, userId: user.id, limit: 2 }));
  await query(`delete from webhook_deliveries where webhook_id = $1 and status = 'failed'`, [id]);
  expect(await listLeft(id)).toEqual([1, 2]);
});

it('a delivery is signed with the time of the database, whatever its server takes for now', async () => {
  const { token, id } = await createHeld(1);
  const { now } = Date;
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5 * HOUR_MS);
  try {
    await query('update webhooks set lease = null, leased_until = null, due_at = now() where id = $1', [id]);
    await waitFor(() => receiver.received.length === 1, { what: 'the delivery' });
  } finally {
    ahead.mockRestore();
  }
  const toHours = (time: number): number => Math.abs(Math.round((time - Date.now()) / HOUR_MS));
  expect(toHours(Number(receiver.received[0]!.headers['webhook-timestamp']) * 1_000)).toBe(0);
  const tried = async () =>
    ((await server.request('GET', `/v1/my/webhooks/${id}/deliveries`, { token })).body.data as WebhookDelivery[])[0]!
      .attempts[0];
  expect(toHours(Date.parse((await waitFor(tried, { what: 'its note' })).at))).toBe(0);
});
