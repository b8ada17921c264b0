/** What a webhook says of its last 24 hours: what is counted, once each, and how long the endpoint took. */
import { randomUUID } from 'node:crypto';
import { HALF_HOURS, type Webhook, type WebhookAttempt } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { toQuantile } from '../src/webhooks/half-hours.ts';
import * as work from '../src/webhooks/work.ts';
import { useWebhooks } from './support/webhook-scene.ts';

const HALF_HOUR_S = 1_800;

const { server, receiver, ...webhooks } = useWebhooks();

const call = async (token: string, method: string, path = '', body?: Record<string, unknown>) => {
  const answer = await webhooks.call(token, method, path, body);
  expect(answer.status).toBe(200);
  return answer.body.data as Webhook;
};

const create = async (name: string) => {
  const { user, token } = await server.register(name);
  const { id } = await webhooks.create(token);
  return { user, token, id, read: () => call(token, 'GET', `/${id}`) };
};

/** One that this test works for, with so many deliveries that wait. */
const createHeld = async (name: string, waiting: number) => {
  const made = await create(name);
  const [lease, ids] = [randomUUID(), Array.from({ length: waiting }, () => randomUUID())];
  await server.query(`update webhooks set lease = $2, leased_until = now() + interval '1 hour' where id = $1`, [
    made.id,
    lease,
  ]);
  const insert = `insert into webhook_deliveries (id, webhook_id, event_type) select unnest($2::uuid[]), $1, 'webhook.test'`;
  await server.query(insert, [made.id, ids]);
  const note = (...outcomes: [deliveryId: string, status: work.Outcome['status'], ms?: number][]) =>
    work.recordAttempts(
      server.services.db,
      lease,
      made.id,
      outcomes.map(([deliveryId, status, ms = 84]) => ({ deliveryId, status, attempt: toAttempt(ms), waitS: null })),
      { hasSucceeded: true, failures: 0, pauseS: null, failingDays: 5 },
    );
  return { ...made, ids, note };
};

const toAttempt = (ms: number): WebhookAttempt => ({
  ...{ at: new Date(0).toISOString(), response_status: 204, response_excerpt: null, ms, error: null },
});

const NOTHING = { succeeded: 0, at_first_try: 0, failed: 0, median_ms: null, p99_ms: null };

it('a webhook to which nothing was sent has 48 empty half hours, the last of which is this one', async () => {
  const { read, token, id } = await create('Empty');
  const shown = await read();
  expect(shown).toMatchObject({ pending: 0, oldest_pending_at: null, last_24_hours: NOTHING });
  const { half_hours: halfHours } = shown.last_24_hours;
  const last = Math.floor(Date.now() / 1_000 / HALF_HOUR_S) * HALF_HOUR_S;
  expect([last - HALF_HOUR_S, last]).toContain(halfHours[0]!.at + (HALF_HOURS - 1) * HALF_HOUR_S);
  expect(halfHours.map(({ at }) => (at - halfHours[0]!.at) / HALF_HOUR_S)).toEqual([...Array(HALF_HOURS).keys()]);
  const { body } = await server.request('GET', '/v1/my/webhooks', { token });
  expect(body.data).toEqual([shown]);
  expect(await call(token, 'PATCH', `/${id}`, { description: 'x' })).toMatchObject({ last_24_hours: NOTHING });
  expect(await call(token, 'POST', `/${id}/rotate-secret`)).toMatchObject({ last_24_hours: NOTHING });
});

it('a webhook counts what its endpoint took, how many took one try, and what was given up', async () => {
  const { user, read, id } = await create('Counted');
  const happen = `insert into events (user_id, type, data) values ($1, 'security.token_created', '{"token_id": 1, "name": "n"}')`;
  for (let count = 0; count < 3; count += 1) await server.query(happen, [user.id]);
  await waitFor(async () => (await read()).last_24_hours.succeeded === 3);
  receiver.answer = () => ({ status: 500 });
  for (let count = 0; count < 2; count += 1) await server.query(happen, [user.id]);
  await waitFor(async () => (await read()).pending === 2);
  const tried = `select count(*)::int as count from webhook_deliveries where webhook_id = $1 and attempt_count > 0 and status = 'pending'`;
  await waitFor(async () => (await server.query(tried, [id]))[0]!.count === 2);
  expect((await read()).last_24_hours).toMatchObject({ succeeded: 3, at_first_try: 3, failed: 0 });
  // One of them has its last try before it.
  await server.query(
    `update webhook_deliveries set attempt_count = 7 where id =
       (select min(id::text)::uuid from webhook_deliveries where webhook_id = $1 and status = 'pending')`,
    [id],
  );
  const tryNow = () =>
    server.query(
      `with due as (update webhook_deliveries set next_attempt_at = now() where webhook_id = $1 and status = 'pending')
       update webhooks set due_at = now(), calls = calls + 1, paused_until = null where id = $1`,
      [id],
    );
  await tryNow();
  await waitFor(async () => (await read()).last_24_hours.failed === 1);
  receiver.answer = () => ({ status: 200 });
  await tryNow();
  await waitFor(async () => (await read()).pending === 0);
  const { last_24_hours: day } = await read();
  expect(day).toMatchObject({ succeeded: 4, at_first_try: 3, failed: 1 });
  expect(day.median_ms).toBeGreaterThan(0);
  expect(day.p99_ms).toBeGreaterThanOrEqual(day.median_ms!);
  const sumOf = (figure: 'succeeded' | 'failed') => day.half_hours.reduce((sum, one) => sum + one[figure], 0);
  expect([sumOf('succeeded'), sumOf('failed')]).toEqual([4, 1]);
  // What is counted stays when the deliveries go.
  await server.query('delete from webhook_deliveries where webhook_id = $1', [id]);
  expect((await read()).last_24_hours).toEqual(day);
});

it('a webhook counts a delivery once, however often its end is noted, and none that is to be tried again', async () => {
  const { read, ids, note } = await createHeld('Once', 3);
  await note([ids[0]!, 'succeeded'], [ids[1]!, 'failed'], [ids[2]!, 'pending']);
  await note([ids[0]!, 'succeeded'], [ids[1]!, 'succeeded'], [randomUUID(), 'succeeded']);
  const once = { succeeded: 1, at_first_try: 1, failed: 1 };
  expect((await read()).last_24_hours).toMatchObject(once);
  await note([ids[2]!, 'succeeded']);
  expect((await read()).last_24_hours).toMatchObject({ ...once, succeeded: 2 });
});

it('a webhook that is disabled counts what waited as given up', async () => {
  const { read, token, id } = await createHeld('Disabled', 3);
  const before = await read();
  const created = `select min(created_at) = $2 as is_oldest from webhook_deliveries where webhook_id = $1`;
  expect(before).toMatchObject({ pending: 3, last_24_hours: NOTHING });
  expect(await server.query(created, [id, before.oldest_pending_at])).toEqual([{ is_oldest: true }]);
  const after = await call(token, 'PATCH', `/${id}`, { status: 'disabled' });
  expect(after).toMatchObject({ pending: 0, oldest_pending_at: null, last_24_hours: { ...NOTHING, failed: 3 } });
  await call(token, 'PATCH', `/${id}`, { status: 'disabled' });
  expect((await read()).last_24_hours.failed).toBe(3);
});

it('a webhook forgets what is a day old, and what a clock that was set back has left', async () => {
  const isWithinHalfHour = () => Date.now() % (HALF_HOUR_S * 1_000) < (HALF_HOUR_S - 10) * 1_000;
  await waitFor(isWithinHalfHour, { what: 'a half hour that does not end now' });
  const { read, ids, note, id } = await createHeld('Yesterday', 3);
  const move = (by: string) =>
    server.query(`update webhook_half_hours set begun_at = begun_at + $2::interval where webhook_id = $1`, [id, by]);
  await note([ids[0]!, 'succeeded', 1_000]);
  await move('-30 minutes');
  expect((await read()).last_24_hours).toMatchObject({ succeeded: 1, at_first_try: 1 });
  expect((await read()).last_24_hours.half_hours.at(-2)).toMatchObject({ succeeded: 1 });
  await move('-23 hours -30 minutes');
  expect((await read()).last_24_hours).toMatchObject(NOTHING);
  await note([ids[1]!, 'succeeded', 3]);
  expect((await read()).last_24_hours).toMatchObject({ succeeded: 1, median_ms: 4 });
  await move('24 hours');
  expect((await read()).last_24_hours).toMatchObject(NOTHING);
  await note([ids[2]!, 'failed']);
  expect((await read()).last_24_hours).toMatchObject({ ...NOTHING, failed: 1 });
  const [rows] = await server.query('select count(*) from webhook_half_hours where webhook_id = $1', [id]);
  expect(Number(rows!.count)).toBe(1);
});

it('how long an endpoint takes is null where it took nothing', () => {
  expect(toQuantile([], 0.5)).toBeNull();
  expect(toQuantile([0, 0, 0], 0.5)).toBeNull();
});

it.each([1, 7, 84, 412, 1_204, 14_999])(
  'how long an endpoint takes is known to within a quarter: %i ms',
  async (ms) => {
    const { read, ids, note } = await createHeld(`Took ${ms}`, 3);
    await note([ids[0]!, 'succeeded', 0], [ids[1]!, 'succeeded', ms], [ids[2]!, 'succeeded', 15_001]);
    const { median_ms: median } = (await read()).last_24_hours;
    expect(Math.abs(median! - ms)).toBeLessThanOrEqual(Math.max(1, ms / 4));
  },
);
