/** Webhooks against endpoints, owners and moments that mean no good. */
import { MAX_WEBHOOK_DELIVERIES, type UserEvent } from '@berth/contract';
import { createLogger } from '@berth/kit';
import { startTestServer, startWebhookReceiver, waitFor, withClient, LOOPBACK } from '@berth/testing';
import type { WebhookReceiver } from '@berth/testing';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { INDEXED } from '../src/db/connection.ts';
import { listStatements } from '../src/db/statement.ts';
import { findUsedKeys } from '../src/secrets/queries.ts';
import { planDeliveries } from '../src/webhooks/work.ts';
import { useWebhooks } from './support/webhook-scene.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const { server, receiver, call, create, happen, listDeliveries } = useWebhooks({ config: { outbound: LOOPBACK }, log });

/** An account with a webhook. */
const live = async (name: string, settings: Record<string, unknown> = {}) => {
  const { user, token } = await server.register(name);
  return { userId: user.id, token, ...(await create(token, settings)) };
};

/** Rows of deliveries, made as if they had been for a while. */
const insertDeliveries = (id: string, count: number, status: string) =>
  server.query(
    `insert into webhook_deliveries (id, webhook_id, event_type, status, next_attempt_at)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 4, '0') || right($1::text, 8))::uuid, $1::uuid, 'webhook.test', $3,
       case when $3 = 'pending' then now() + interval '1 hour' end
     from generate_series(1, $2::int) n`,
    [id, count, status],
  );

const read = async (token: string, id: string) => (await call(token, 'GET', `/${id}`)).body.data as { status: string };

const tried = (token: string, id: string) =>
  waitFor(async () => {
    const [delivery] = await listDeliveries(token, id);
    return delivery && delivery.attempts.length > 0 && delivery;
  });

const isPaused = async (id: string): Promise<boolean> =>
  (await server.query('select paused_until > now() as is_paused from webhooks where id = $1', [id]))[0]!.is_paused ===
  true;

it('a webhook keeps an answer that ends in the middle of a character of two halves', async () => {
  const { userId, token, id } = await live('Halves');
  receiver.answer = () => ({ status: 500, body: `${'a'.repeat(999)}😀😀` });
  await happen(userId);
  const { attempts } = await tried(token, id);
  expect(attempts[0]!.response_excerpt).toBe(`${'a'.repeat(999)}😀`);
});

it('a webhook sends an endpoint that fails no more than what was on its way when that showed', async () => {
  const { userId, id } = await live('Failing');
  receiver.answer = () => ({ status: 500 });
  await happen(userId, 150);
  await waitFor(() => isPaused(id));
  expect(receiver.received.length).toBeLessThan(20);
});

it('a webhook sends nothing more to an endpoint that is gone', async () => {
  const { userId, token, id } = await live('Gone');
  receiver.answer = () => ({ status: 410 });
  await happen(userId, 150);
  await waitFor(async () => (await read(token, id)).status === 'disabled');
  expect(receiver.received.length).toBeLessThan(20);
});

it('a webhook is not disabled by what an endpoint answers that it had before', async () => {
  const { userId, token, id } = await live('Moved');
  let answer = (): void => undefined;
  receiver.answer = async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    return { status: 410 };
  };
  await happen(userId);
  await waitFor(() => receiver.received.length === 1);
  const other = await startWebhookReceiver();
  await call(token, 'PATCH', `/${id}`, { url: other.url });
  answer();
  expect((await tried(token, id)).attempts[0]!.response_status).toBe(410);
  await happen(userId);
  await waitFor(() => other.received.length > 0);
  expect((await read(token, id)).status).toBe('active');
  await other.close();
});

it('a webhook whose secret cannot be opened says so in its deliveries, until it is rotated', async () => {
  const { userId, token, id } = await live('Sealed');
  await server.query(`update webhooks set secret = 'v1.00000000.x.y' where id = $1`, [id]);
  await happen(userId);
  const failed = await tried(token, id);
  expect([failed.status, failed.attempts[0]!.error]).toEqual(['pending', expect.stringContaining('Rotate')]);
  expect(receiver.received).toEqual([]);
  const { secret } = (await call(token, 'POST', `/${id}/rotate-secret`)).body.data as { secret: string };
  await happen(userId);
  await waitFor(() => receiver.received.length > 0);
  const [{ body, headers }] = receiver.received as [WebhookReceiver['received'][number]];
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ id: expect.any(Number) });
});

it('a webhook of a suspended account sends nothing, and goes on when that ends', async () => {
  const other = await startWebhookReceiver();
  const [suspended, active] = [await live('Suspended'), await live('Active', { url: other.url })];
  const setStatus = (status: number) =>
    server.query('update users set status = $2 where id = $1', [suspended.userId, status]);
  await setStatus(1);
  await happen(suspended.userId);
  for (let count = 1; count <= 2; count += 1) {
    await happen(active.userId);
    await waitFor(() => other.received.length === count);
  }
  expect(receiver.received).toEqual([]);
  await setStatus(0);
  await waitFor(() => receiver.received.length === 1);
  await other.close();
});

it('a webhook has no more deliveries waiting than the window, however many are sent again', async () => {
  const { token, id } = await live('Window');
  await insertDeliveries(id, 1_000, 'pending');
  const [{ id: done }] = (await server.query(
    `insert into webhook_deliveries (id, webhook_id, event_type, status) values (gen_random_uuid(), $1, 'webhook.test', 'succeeded')
     returning id`,
    [id],
  )) as [{ id: string }];
  const refused = await call(token, 'POST', `/${id}/deliveries/${done}/resend`);
  expect([refused.body.ok, refused.headers.get('x-error-code')]).toEqual([false, 'too_many_pending']);
  const [{ id: waiting }] = (await server.query(
    `select id from webhook_deliveries where webhook_id = $1 and status = 'pending' limit 1`,
    [id],
  )) as [{ id: string }];
  expect((await call(token, 'POST', `/${id}/deliveries/${waiting}/resend`)).body.ok).toBe(true);
});

it('a webhook keeps its newest deliveries only, and all that wait', async () => {
  const { id } = await live('Many');
  await insertDeliveries(id, MAX_WEBHOOK_DELIVERIES + 2_500, 'succeeded');
  await server.query(
    `update webhook_deliveries set status = 'pending', next_attempt_at = now() + interval '1 hour'
     where id = (select min(id::text)::uuid from webhook_deliveries where webhook_id = $1)`,
    [id],
  );
  await server.prune();
  const rows = await server.query(
    `select status, count(*)::int as total, min(id::text) as oldest from webhook_deliveries where webhook_id = $1
     group by status order by status`,
    [id],
  );
  expect(rows).toMatchObject([
    { status: 'pending', total: 1 },
    { status: 'succeeded', total: MAX_WEBHOOK_DELIVERIES },
  ]);
  expect((rows[1]!.oldest as string).slice(24, 28)).toBe((2_501).toString(16).padStart(4, '0'));
});

it('a webhook makes no deliveries by events that its owner has changed since it was read', async () => {
  const { userId, id } = await live('Choosing', { events: ['host.lost'] });
  const lease = '00000000-0000-7000-8000-0000000000aa';
  await server.query(`update webhooks set lease = $2, leased_until = now() + interval '1 hour' where id = $1`, [
    id,
    lease,
  ]);
  await happen(userId, 1, { type: 'host.lost' });
  await server.services.events.horizon.advance();
  const horizon = server.services.events.horizon.value;
  const plan = (events: string[]) =>
    planDeliveries(server.services.db, lease, id, { horizon, events, types: events, ids: [lease] });
  expect(await plan(['task.finished'])).toBeUndefined();
  expect(await plan(['host.lost'])).toBe(horizon);
  expect((await server.query('select id from webhook_deliveries where webhook_id = $1', [id])).length).toBe(1);
});

it('a webhook reads no more of the log at once than it looks at, however far behind it is', async () => {
  const { userId, id } = await live('Behind');
  await server.query('update users set status = 1 where id = $1', [userId]);
  await happen(userId, 20_000);
  const lease = '00000000-0000-7000-8000-0000000000bb';
  await server.query('update webhooks set lease = $2 where id = $1', [id, lease]);
  const { text } = listStatements().find(({ name }) => name === 'plan_webhook_deliveries')!;
  const url = new URL(server.databaseUrl);
  url.searchParams.set('options', INDEXED);
  await withClient(url.href, async (client) => {
    await client.query('analyze events');
    const [{ horizon }] = (await client.query<{ horizon: string }>('select max(id) as horizon from events')).rows as [
      { horizon: string },
    ];
    const { rows } = await client.query<Record<string, string>>(`explain (analyze, costs off) ${text}`, [
      ...[id, lease, horizon, ['host.lost'], [lease], ['security.token_created']],
    ]);
    const reading = rows.map((row) => row['QUERY PLAN']!).find((line) => /Scan.* on events/.test(line));
    expect(Number(/rows=(\d+)/.exec(reading!)![1])).toBe(5_000);
  });
});

it('a webhook is sent what happens once it is enabled again, whoever had it in hand when it was disabled', async () => {
  const { userId, token, id } = await live('Enabled');
  await server.query(
    `update webhooks set lease = gen_random_uuid(), leased_until = now() + interval '1 hour', is_full = true where id = $1`,
    [id],
  );
  for (const status of ['disabled', 'active']) await call(token, 'PATCH', `/${id}`, { status });
  await happen(userId);
  await waitFor(() => receiver.received.length === 1);
});

it('a webhook is sent what waits while a transaction holds up what is new', async () => {
  const { userId, token, id } = await live('Held up');
  await withClient(server.databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(`insert into events (user_id, type, data) values ($1, 'host.lost', '{}')`, [userId]);
    await call(token, 'POST', `/${id}/test`);
    await waitFor(() => receiver.received.length === 1);
    expect((JSON.parse(receiver.received[0]!.body) as UserEvent).type).toBe('webhook.test');
    await client.query('rollback');
  });
});

it('a webhook needs the key of an older secret for as long as that signs', async () => {
  const { token, id } = await live('Keys');
  await call(token, 'POST', `/${id}/rotate-secret`);
  await server.query(`update webhooks set previous_secret = 'v1.0000000a.x.y' where id = $1`, [id]);
  const find = () => findUsedKeys(server.services.db, ['0000000a']);
  expect(await find()).toEqual(['0000000a']);
  await server.query(`update webhooks set secret_rotated_at = now() - interval '25 hours' where id = $1`, [id]);
  expect(await find()).toEqual([]);
});

it('a webhook is changed and tested sixty times per minute at the most, because each of that is kept', async () => {
  const limited = await startTestServer({ config: { isRateLimited: true } });
  try {
    const { token } = await limited.register('Busy');
    const ask = (method: string, path: string, body: object) =>
      limited.request(method, `/v1/my/webhooks${path}`, { token, body });
    const { body } = await ask('POST', '', { url: 'https://192.0.2.1/', events: ['*'] });
    expect(body.errors).toBeDefined();
    for (let count = 1; count < 60; count += 1) await ask('PATCH', `/${token.length}`, { description: 'n' });
    const unknown = '/00000000-0000-7000-8000-000000000000';
    for (const [method, path] of [
      ['POST', ''],
      ['PATCH', unknown],
      ['POST', `${unknown}/test`],
    ] as const)
      expect([method, (await ask(method, path, {})).status]).toEqual([method, 429]);
  } finally {
    await limited.close();
  }
});
