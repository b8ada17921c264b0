import { createHash } from 'node:crypto';
import { MAX_WEBHOOKS, TerminalStatus, type UserEvent } from '@berth/contract';
import { startWebhookReceiver, TestHost, waitFor, type Received } from '@berth/testing';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { useWebhooks } from './support/webhook-scene.ts';

const { server, receiver, call, happen, listDeliveries } = useWebhooks();

const create = async (token: string, settings: Record<string, unknown> = {}) => {
  const { status, body } = await call(token, 'POST', '', { url: receiver.url, events: ['*'], ...settings });
  expect([status, body.ok]).toEqual([200, true]);
  return body.data as { id: string; secret: string };
};

const toEvent = ({ body }: Received) => JSON.parse(body) as UserEvent;
const numbersOf = (received: readonly Received[]) =>
  received.map((one) => (toEvent(one).data as { token_id: number }).token_id);
const toId = ({ headers }: Received) => headers['webhook-id'];

/** Whatever waits is due now. */
const skipWaits = (id: string) =>
  server.query(
    `with due as (update webhook_deliveries set next_attempt_at = now() where webhook_id = $1 and status = 'pending')
     update webhooks set due_at = now(), calls = calls + 1, paused_until = null where id = $1`,
    [id],
  );

const settled = (token: string, id: string) =>
  waitFor(async () => {
    const deliveries = await listDeliveries(token, id);
    return deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending') && deliveries;
  });

it('a webhook is sent what happens, signed as Standard Webhooks asks, as it is in the log', async () => {
  const { user, token } = await server.register('Ada');
  const { id, secret } = await create(token, { events: ['security.token_created'], description: 'mine' });
  await happen(user.id);
  await waitFor(() => receiver.received.length === 1);
  const [received] = receiver.received as [Received];
  const verified = new Webhook(secret).verify(received.body, received.headers as Record<string, string>);
  const log = await server.request('GET', '/v1/my/events/log?types=security.token_created', { token });
  expect(verified).toEqual((log.body.data as UserEvent[]).at(-1));
  expect(() =>
    new Webhook(secret).verify(received.body.replace('n', 'm'), received.headers as Record<string, string>),
  ).toThrow();
  const [delivery] = await settled(token, id);
  expect(delivery).toMatchObject({
    id: toId(received),
    event_id: toEvent(received).id,
    event_type: 'security.token_created',
    status: 'succeeded',
    attempts: [{ response_status: 204, error: null }],
    next_attempt_at: null,
  });
});

it('a webhook shows its secret once, and seals it', async () => {
  const { token } = await server.register('Secret');
  const { id, secret } = await create(token);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const list = await call(token, 'GET', '');
  const one = await call(token, 'GET', `/${id}`);
  const rows = await server.query('select * from webhooks where id = $1', [id]);
  expect(JSON.stringify([list.body, one.body, rows])).not.toContain(secret.slice(6, 40));
  expect(one.body.data).toMatchObject({ id, url: receiver.url, events: ['*'], status: 'active', project_id: null });
});

it('a webhook is sent events of its types and its project only', async () => {
  const { token } = await server.register('Filter');
  const host = await TestHost.enrol(server);
  const { body } = await server.request('POST', '/v1/my/projects', { token, body: { name: 'Metals' } });
  const projectId = body.data.id as string;
  await create(token, { events: ['terminal.*'], project_id: projectId });
  const createTerminal = (extra: object) =>
    server.request('POST', '/v1/my/trading/terminals', {
      token,
      body: { server_name: 'Demo', login: '1', password: 'secret-password', region: 0, ...extra },
    });
  await createTerminal({});
  const inside = await createTerminal({ project_id: projectId });
  await host.installAll();
  const isActive = (one: Received) => (toEvent(one).data as { to?: number }).to === TerminalStatus.ACTIVE;
  await waitFor(() => receiver.received.some(isActive));
  expect(new Set(receiver.received.map((one) => toEvent(one).terminal_id))).toEqual(new Set([inside.body.data.id]));
  expect(new Set(receiver.received.map((one) => toEvent(one).type))).toEqual(new Set(['terminal.status_changed']));
});

it('a webhook tries again what failed, under the same id, and keeps what was answered', async () => {
  const { user, token } = await server.register('Retry');
  const { id } = await create(token, { events: ['security.token_created'] });
  receiver.answer = () => ({ status: 500, body: 'no <b>luck</b>\u0000 today' });
  await happen(user.id);
  await waitFor(async () => (await listDeliveries(token, id))[0]?.attempts.length === 1);
  const [failed] = await listDeliveries(token, id);
  expect(failed).toMatchObject({
    status: 'pending',
    attempts: [{ response_status: 500, response_excerpt: 'no <b>luck</b> today', error: 'The endpoint answered 500.' }],
  });
  expect(Date.parse(failed!.next_attempt_at!)).toBeGreaterThan(Date.parse(failed!.attempts[0]!.at));
  receiver.answer = () => ({ status: 200 });
  await skipWaits(id);
  const [delivery] = await settled(token, id);
  expect(delivery).toMatchObject({
    status: 'succeeded',
    attempts: [{ response_status: 500 }, { response_status: 200 }],
  });
  expect(new Set(receiver.received.map(toId))).toEqual(new Set([delivery!.id]));
});

it('a webhook gives a delivery up after the eighth try, and sends it again when asked', async () => {
  const { user, token } = await server.register('Given up');
  const { id } = await create(token, { events: ['security.token_created'] });
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '1' } });
  await happen(user.id);
  for (let tries = 1; tries <= 8; tries += 1) {
    await waitFor(async () => (await listDeliveries(token, id))[0]?.attempts.length === tries, {
      what: `try ${tries}`,
    });
    await skipWaits(id);
  }
  const [failed] = await settled(token, id);
  expect([failed!.status, failed!.attempts.length, failed!.next_attempt_at]).toEqual(['failed', 8, null]);
  receiver.answer = () => ({ status: 200 });
  const { body } = await call(token, 'POST', `/${id}/deliveries/${failed!.id}/resend`);
  expect(body.data).toMatchObject({ id: failed!.id, status: 'pending' });
  expect((await settled(token, id))[0]!.status).toBe('succeeded');
  expect(new Set(receiver.received.map(toId)).size).toBe(1);
});

it('a webhook takes a redirect for a failure, and follows none', async () => {
  const { user, token } = await server.register('Redirect');
  const { id } = await create(token, { events: ['security.token_created'] });
  receiver.answer = ({ path }) =>
    path === '/hook' ? { status: 302, headers: { location: '/elsewhere' } } : { status: 200 };
  await happen(user.id);
  await waitFor(async () => (await listDeliveries(token, id))[0]?.attempts.length === 1);
  expect((await listDeliveries(token, id))[0]).toMatchObject({
    status: 'pending',
    attempts: [{ response_status: 302, error: expect.stringContaining('redirect') as unknown }],
  });
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
});

it('a webhook is disabled by 410, sends nothing then, and goes on from there when it is enabled again', async () => {
  const { user, token } = await server.register('Gone');
  const { id } = await create(token, { events: ['security.token_created'] });
  receiver.answer = () => ({ status: 410 });
  await happen(user.id);
  await waitFor(async () => (await call(token, 'GET', `/${id}`)).body.data.status === 'disabled');
  const { body } = await call(token, 'GET', `/${id}`);
  expect(body.data).toMatchObject({ status: 'disabled', disabled_reason: 'The endpoint answered 410 (Gone).' });
  const log = await server.request('GET', '/v1/my/events/log?types=security.webhook_disabled', { token });
  expect((log.body.data as UserEvent[])[0]).toMatchObject({ data: { webhook_id: id } });
  for (const path of [`/${id}/test`, `/${id}/deliveries/${(await listDeliveries(token, id))[0]!.id}/resend`]) {
    const refused = await call(token, 'POST', path);
    expect([refused.body.ok, refused.headers.get('x-error-code')]).toEqual([false, 'webhook_disabled']);
  }
  await happen(user.id, 3);
  receiver.answer = () => ({ status: 200 });
  const before = receiver.received.length;
  await call(token, 'PATCH', `/${id}`, { status: 'active' });
  await happen(user.id, 2);
  await waitFor(() => receiver.received.length === before + 2);
  expect((await call(token, 'POST', `/${id}/resend-failed`, { since: '2020-01-01T00:00:00Z' })).body.data).toEqual({
    count: 1,
  });
  await waitFor(() => receiver.received.length === before + 3);
  expect((await settled(token, id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

it('a webhook is disabled when nothing has succeeded for five days', async () => {
  const { user, token } = await server.register('Dead');
  const { id } = await create(token, { events: ['security.token_created'] });
  receiver.answer = () => ({ status: 500 });
  await happen(user.id);
  await waitFor(async () => (await call(token, 'GET', `/${id}`)).body.data.failing_since !== null);
  await server.query(`update webhooks set failing_since = now() - interval '5 days 1 minute' where id = $1`, [id]);
  // Nobody sent anything meanwhile: days without a server are no failures.
  await server.query('update scheduler set downtime_ended_at = now()');
  const before = receiver.received.length;
  await skipWaits(id);
  await waitFor(async () => (await listDeliveries(token, id))[0]!.attempts.length > 1);
  expect(receiver.received).toHaveLength(before + 1);
  expect((await call(token, 'GET', `/${id}`)).body.data.status).toBe('active');
  await server.query(`update scheduler set downtime_ended_at = now() - interval '1 day'`);
  await skipWaits(id);
  await waitFor(async () => (await call(token, 'GET', `/${id}`)).body.data.status === 'disabled');
  expect((await listDeliveries(token, id))[0]!.status).toBe('failed');
});

it('a webhook signs with both secrets for a day after a rotation', async () => {
  const { user, token } = await server.register('Rotating');
  const { id, secret: old } = await create(token, { events: ['security.token_created'] });
  const { body } = await call(token, 'POST', `/${id}/rotate-secret`);
  const { secret } = body.data as { secret: string };
  expect(secret).not.toBe(old);
  const verifies = ({ body: text, headers }: Received, with_: string) => {
    try {
      return Boolean(new Webhook(with_).verify(text, headers as Record<string, string>));
    } catch {
      return false;
    }
  };
  await happen(user.id);
  await waitFor(() => receiver.received.length === 1);
  expect([secret, old].map((one) => verifies(receiver.received[0]!, one))).toEqual([true, true]);
  await waitFor(async () => (await server.query('select lease from webhooks where id = $1', [id]))[0]!.lease === null);
  await server.query(`update webhooks set secret_rotated_at = now() - interval '24 hours 1 second' where id = $1`, [
    id,
  ]);
  await happen(user.id);
  await waitFor(() => receiver.received.length === 2);
  expect([secret, old].map((one) => verifies(receiver.received[1]!, one))).toEqual([true, false]);
});

it('a webhook keeps the order of a terminal where it is asked to, and holds up no other terminal', async () => {
  const { user, token } = await server.register('Ordered');
  const { id } = await create(token, { events: ['security.token_created'], is_ordered: true });
  const [one, other] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
  let isFailing = true;
  receiver.answer = (request) => ({ status: isFailing && toEvent(request).terminal_id === one ? 500 : 200 });
  await happen(user.id, 3, { terminalId: one });
  await happen(user.id, 3, { terminalId: other });
  await waitFor(async () => (await listDeliveries(token, id, 'status=succeeded')).length === 3);
  const of = (terminalId: string) => receiver.received.filter((request) => toEvent(request).terminal_id === terminalId);
  expect(numbersOf(of(other))).toEqual([1, 2, 3]);
  expect(new Set(numbersOf(of(one)))).toEqual(new Set([1]));
  isFailing = false;
  await skipWaits(id);
  await settled(token, id);
  expect(numbersOf(of(one)).filter((number, index, all) => number !== all[index - 1])).toEqual([1, 2, 3]);
});

it('a webhook whose endpoint fails is asked with one delivery at a time, and holds up no other one', async () => {
  const { user, token } = await server.register('Circuit');
  const other = await startWebhookReceiver();
  const { id } = await create(token, { events: ['security.token_created'] });
  await create(token, { events: ['security.token_created'], url: other.url });
  receiver.answer = () => ({ status: 500 });
  await happen(user.id, 1_500);
  await waitFor(() => other.received.length === 1_500, { what: 'all deliveries to the one that answers' });
  await waitFor(async () => {
    const [row] = await server.query('select paused_until > now() as is_paused from webhooks where id = $1', [id]);
    return row!.is_paused;
  });
  // What waits in the window was tried once at the most; the rest waits in the log.
  const [count] = await server.query(
    'select count(*)::int as made, max(attempt_count) as tries from webhook_deliveries where webhook_id = $1',
    [id],
  );
  expect(count!.made).toBeLessThanOrEqual(1_000);
  receiver.answer = () => ({ status: 200 });
  receiver.received = [];
  await waitFor(
    async () => {
      await skipWaits(id);
      const [row] = await server.query(
        `select count(*)::int as done from webhook_deliveries where webhook_id = $1 and status = 'succeeded'`,
        [id],
      );
      return row!.done === 1_500;
    },
    { what: 'all deliveries once it answers' },
  );
  expect(new Set(receiver.received.map(toId)).size).toBe(receiver.received.length);
  await other.close();
});

it('a webhook is not left waiting by a call that comes while its server puts it away', async () => {
  const { token } = await server.register('Called');
  const { id } = await create(token, { events: ['host.lost'] });
  for (let count = 1; count <= 10; count += 1) {
    await call(token, 'POST', `/${id}/test`);
    await waitFor(() => receiver.received.length === count, { what: `test ${count}` });
  }
  expect((await settled(token, id)).length).toBe(10);
});

it('a webhook can be tested', async () => {
  const { token } = await server.register('Test');
  const { id, secret } = await create(token, { events: ['host.lost'] });
  const { body } = await call(token, 'POST', `/${id}/test`);
  expect(body.data).toMatchObject({ event_id: null, event_type: 'webhook.test', status: 'pending' });
  await waitFor(() => receiver.received.length === 1);
  const [received] = receiver.received as [Received];
  expect(new Webhook(secret).verify(received.body, received.headers as Record<string, string>)).toMatchObject({
    ...{ id: null, type: 'webhook.test', terminal_id: null, project_id: null, data: {} },
  });
  expect((await settled(token, id))[0]!.id).toBe(toId(received));
});

it('a webhook is one user’s only, and of a number', async () => {
  const [{ token }, { token: other }] = [await server.register('Mine'), await server.register('Other')];
  const { id } = await create(token);
  const since = { since: '2020-01-01T00:00:00Z' };
  const asked: [string, string, Record<string, unknown>?][] = [
    ['GET', `/${id}`],
    ['PATCH', `/${id}`, { status: 'disabled' }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/test`],
    ['POST', `/${id}/rotate-secret`],
    ['GET', `/${id}/deliveries`],
    ['POST', `/${id}/resend-failed`, since],
    ['POST', `/${id}/deliveries/${id}/resend`],
  ];
  for (const [method, path, body] of asked)
    expect([path, (await call(other, method, path, body)).status]).toEqual([path, 404]);
  expect((await call(other, 'GET', '')).body.data).toEqual([]);
  for (let count = 1; count < MAX_WEBHOOKS; count += 1) await create(token);
  const refused = await call(token, 'POST', '', { url: receiver.url, events: ['*'] });
  expect([refused.body.ok, refused.headers.get('x-error-code')]).toEqual([false, 'webhook_limit']);
  const pages: string[] = [];
  for (let after: string | null = 'start'; after !== null;) {
    const { body } = await call(token, 'GET', `?after=${after}&per_page=20`);
    pages.push(...(body.data as { id: string }[]).map((webhook) => webhook.id));
    after = body.pagination.next_cursor as string | null;
  }
  expect([pages[0], new Set(pages).size]).toEqual([id, MAX_WEBHOOKS]);
  expect((await call(token, 'DELETE', `/${id}`)).status).toBe(200);
  expect((await call(token, 'GET', `/${id}`)).status).toBe(404);
});

it('a webhook refuses what is wrong by its field, and changes nothing', async () => {
  const { token } = await server.register('Refused');
  const { id } = await create(token);
  const good = { url: receiver.url, events: ['*'] };
  const cases: [Record<string, unknown>, string][] = [
    [{ ...good, url: 'http://10.0.0.1/' }, 'url'],
    [{ ...good, url: 'http://169.254.169.254/latest/meta-data' }, 'url'],
    [{ ...good, url: 'ftp://example.com/' }, 'url'],
    [{ ...good, url: 'http://127.0.0.1:22/' }, 'url'],
    [{ ...good, events: [] }, 'events'],
    [{ ...good, events: ['terminal'] }, 'events.0'],
    [{ ...good, events: ['x.*'] }, 'events.0'],
    [{ ...good, project_id: '00000000-0000-0000-0000-000000000000' }, 'project_id'],
    [{ ...good, event: ['*'] }, 'event'],
    [{ url: receiver.url }, 'events'],
  ];
  const digest = async () =>
    createHash('sha256')
      .update(JSON.stringify(await server.query('select id, url, events, updated_at from webhooks order by id')))
      .digest('hex');
  const before = await digest();
  for (const [body, field] of cases) {
    const answer = await call(token, 'POST', '', body);
    expect([field, answer.status, Object.keys((answer.body.errors ?? {}) as object)]).toEqual([field, 422, [field]]);
  }
  for (const body of [{ url: null }, { events: [] }, { events: null }, { status: 'paused' }, { secret: 'x' }])
    expect([body, (await call(token, 'PATCH', `/${id}`, body)).status]).toEqual([body, 422]);
  expect(await digest()).toBe(before);
});
