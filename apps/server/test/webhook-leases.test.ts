/** A webhook belongs to one server at a time: what that takes over from another one, and what the other one still may do. */
import { randomUUID } from 'node:crypto';
import type { WebhookAttempt } from '@berth/contract';
import { waitFor, type ReceiverAnswer } from '@berth/testing';
import { expect, it } from 'vitest';
import { disableWebhook } from '../src/webhooks/queries.ts';
import * as work from '../src/webhooks/work.ts';
import { useWebhooks } from './support/webhook-scene.ts';

const { server, receiver, create, happen } = useWebhooks();

const countOf = async (id: string, status: string): Promise<number> => {
  const text = `select count(*)::int as count from webhook_deliveries where webhook_id = $1 and status = $2`;
  return (await server.query(text, [id, status]))[0]!.count as number;
};

const isPutAway = (id: string) => async () =>
  (await server.query('select 1 from webhooks where id = $1 and lease is null', [id])).length > 0;

const toIds = () => receiver.received.map(({ headers }) => headers['webhook-id']);

it('a webhook is sent what a server that died had in hand, under the same ids, though nothing new happens', async () => {
  const { user, token } = await server.register('Orphan');
  const { id } = await create(token);
  let answer = (_: ReceiverAnswer): void => undefined;
  receiver.answer = () => new Promise((resolve) => (answer = resolve));
  await happen(user.id);
  await waitFor(() => receiver.received.length === 1, { what: 'a call under way' });
  // Its server is another one from now on, which is gone.
  await server.query(`update webhooks set lease = $2, leased_until = now() - interval '1 second' where id = $1`, [
    id,
    randomUUID(),
  ]);
  receiver.answer = () => ({ status: 204 });
  answer({ status: 204 });
  await waitFor(async () => (await countOf(id, 'succeeded')) === 1, { what: 'the delivery' });
  expect([receiver.received.length, new Set(toIds()).size]).toEqual([2, 1]);
  await waitFor(isPutAway(id), { what: 'a webhook that is put away' });
});

it('a webhook is sent nothing twice when its position is set back, and comes to its end again', async () => {
  const { user, token } = await server.register('Set back');
  const { id } = await create(token);
  await happen(user.id, 450);
  await waitFor(async () => (await countOf(id, 'succeeded')) === 450, { what: 'all deliveries' });
  await waitFor(isPutAway(id), { what: 'a webhook that is put away' });
  const [before] = await server.query('select position from webhooks where id = $1', [id]);
  await server.query('update webhooks set position = 0 where id = $1', [id]);
  const isThere = async () =>
    (await server.query('select 1 from webhooks where id = $1 and position >= $2', [id, before!.position])).length > 0;
  await waitFor(isThere, { what: 'the end of the log' });
  await happen(user.id);
  await waitFor(async () => (await countOf(id, 'succeeded')) === 451, { what: 'one more delivery' });
  expect([receiver.received.length, new Set(toIds()).size]).toEqual([451, 451]);
});

const [lost, held] = [randomUUID(), randomUUID()];
const attempt: WebhookAttempt = {
  ...{ at: new Date(0).toISOString(), response_status: 204, response_excerpt: null, ms: 1, error: null },
};

it.each<[what: string, run: (id: string, hook: work.LeasedWebhook, deliveryId: string) => Promise<unknown>]>([
  ['reads it', (id) => work.readLeased(server.services.db, lost, id, 24)],
  ['makes deliveries', (id) => plan(id)],
  ['notes what came of its calls', (id, _, deliveryId) => record(id, deliveryId)],
  ['puts it away', (_, hook) => work.releaseWebhook(server.services.db, lost, hook)],
  ['keeps it', (id) => work.renewLeases(server.services.db, lost, [id], 3_600_000)],
  ['puts all away', () => work.releaseAll(server.services.db, lost)],
  ['disables it', (id) => disableWebhook(server.services.db, { id, url: receiver.url }, lost, 'because')],
  ['takes it', (id) => claim(id)],
])('a server that lost its lease changes nothing when it %s', async (_, run) => {
  const { user, token } = await server.register('Leased');
  const { id } = await create(token);
  receiver.answer = () => ({ status: 500 });
  // Held by a server that the test stands for, so that no other one touches it.
  await server.query(`update webhooks set lease = $2, leased_until = now() + interval '1 hour' where id = $1`, [
    id,
    held,
  ]);
  await happen(user.id, 2);
  const deliveryId = randomUUID();
  await server.query(
    `insert into webhook_deliveries (id, webhook_id, event_id, event_type)
       select $2, $1, min(id), 'security.token_created' from events where user_id = $3 and type = 'security.token_created'`,
    [id, deliveryId, user.id],
  );
  const hook = (await work.readLeased(server.services.db, held, id, 24))!;
  const read = async () => [
    await server.query('select w.*, w.xmin from webhooks w where id = $1', [id]),
    await server.query('select d.*, d.xmin from webhook_deliveries d where webhook_id = $1 order by id', [id]),
    await server.query('select h.*, h.xmin from webhook_half_hours h where webhook_id = $1', [id]),
  ];
  const before = await read();
  const result = await run(id, hook, deliveryId);
  expect(result || undefined).toBeUndefined();
  expect(await read()).toEqual(before);
  expect(receiver.received).toEqual([]);
});

const plan = async (id: string) => {
  await server.services.events.horizon.advance();
  const { value: horizon } = server.services.events.horizon;
  return work.planDeliveries(server.services.db, lost, id, {
    horizon,
    events: ['security.token_created'],
    types: null,
    ids: [randomUUID(), randomUUID()],
  });
};
const record = (id: string, deliveryId: string) => {
  const outcome: work.Outcome = { deliveryId, attempt, status: 'succeeded', waitS: null };
  const health = { hasSucceeded: true, failures: 0, pauseS: null, failingDays: 5 };
  return work.recordAttempts(server.services.db, lost, id, [outcome], health);
};
/** @returns whether it got it */
const claim = async (id: string) => {
  await server.services.events.horizon.advance();
  const { value: horizon } = server.services.events.horizon;
  const look = { limit: 1_000, horizon, except: [], leaseMs: 3_600_000 };
  const taken = await work.claimWebhooks(server.services.db, lost, look);
  await work.releaseAll(server.services.db, lost);
  return taken.some((one) => one.id === id);
};
