/** What its owner, or the operator, changes about a webhook counts for the very next call, however many are due. */
import { AccountStatus, eventData } from '@berth/contract';
import { startWebhookReceiver, waitFor, useTestServer, LOOPBACK, type WebhookReceiver } from '@berth/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';

const EVENTS = 150;
/** Calls of a first round that are under way at once. */
const UNDER_WAY = 4;

const server = useTestServer({ config: { outbound: LOOPBACK } });
let receiver: WebhookReceiver;
let other: WebhookReceiver;

beforeEach(async () => {
  [receiver, other] = [await startWebhookReceiver(), await startWebhookReceiver()];
});
afterEach(async () => {
  await receiver.close();
  await other.close();
});

interface Scene {
  token: string;
  userId: string;
  id: string;
  secret: string;
  /** Lets the calls that hang be answered, and all later ones at once. */
  answer: () => void;
}

/** A webhook in the middle of a round: its first calls hang, and many more are due. */
const begin = async (): Promise<Scene> => {
  const { user, token } = await server.register('Changing');
  const body = { url: receiver.url, events: ['security.token_created'] };
  const { data } = (await server.request('POST', '/v1/my/webhooks', { token, body })).body;
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  receiver.answer = () => held.then(() => ({ status: 204 }));
  await server.query(
    `insert into events (user_id, type, data)
     select $1, 'security.token_created', jsonb_build_object('token_id', n, 'name', 'n') from generate_series(1, ${EVENTS}) n`,
    [user.id],
  );
  await waitFor(() => receiver.received.length === UNDER_WAY, { what: 'the first calls' });
  return { token, userId: user.id, id: data.id, secret: data.secret, answer };
};

const change = async ({ token, id }: Scene, method: string, path: string, body?: Record<string, unknown>) => {
  const answer = await server.request(method, `/v1/my/webhooks/${id}${path}`, { token, ...(body ? { body } : {}) });
  expect(answer.status).toBe(200);
  return answer.body.data;
};

it('after a change, no call goes out that would not be right: none where the webhook was deleted', async () => {
  const scene = await begin();
  await change(scene, 'DELETE', '');
  scene.answer();
  // Another one of the same user is served: so the first one's round is over, too.
  const body = { url: other.url, events: ['security.token_created'] };
  await server.request('POST', '/v1/my/webhooks', { token: scene.token, body });
  await server.request('POST', '/v1/my/account/tokens', { token: scene.token, body: { name: 'new' } });
  await waitFor(() => other.received.length === 1);
  expect(receiver.received).toHaveLength(UNDER_WAY);
});

it('after a change, no call goes out that would not be right: none where it was disabled', async () => {
  const scene = await begin();
  await change(scene, 'PATCH', '', { status: 'disabled' });
  scene.answer();
  await change(scene, 'PATCH', '', { status: 'active', url: other.url });
  await server.request('POST', '/v1/my/account/tokens', { token: scene.token, body: { name: 'new' } });
  await waitFor(() => other.received.length === 1);
  expect(receiver.received).toHaveLength(UNDER_WAY);
});

it('after a change, no call goes out that would not be right: none to its old address where it has another one', async () => {
  const scene = await begin();
  await change(scene, 'PATCH', '', { url: other.url });
  scene.answer();
  await waitFor(() => other.received.length >= EVENTS - UNDER_WAY, { what: 'the rest at the new address' });
  expect(receiver.received).toHaveLength(UNDER_WAY);
});

it('after a change, no call goes out that would not be right: none that its first secret signs where it was rotated twice', async () => {
  const scene = await begin();
  await change(scene, 'POST', '/rotate-secret');
  const { secret } = await change(scene, 'POST', '/rotate-secret');
  scene.answer();
  await waitFor(() => receiver.received.length >= EVENTS, { what: 'every event' });
  const isSignedBy = (key: string) => (received: (typeof receiver.received)[number]) => {
    try {
      return Boolean(new Webhook(key).verify(received.body, received.headers as Record<string, string>));
    } catch {
      return false;
    }
  };
  expect(receiver.received.slice(UNDER_WAY).filter(isSignedBy(scene.secret))).toEqual([]);
  expect(receiver.received.slice(UNDER_WAY).every(isSignedBy(secret))).toBe(true);
});

it('after a change, no call goes out that would not be right: none where its owner was suspended', async () => {
  const scene = await begin();
  await server.query('update users set status = $2 where id = $1', [scene.userId, AccountStatus.SUSPENDED]);
  scene.answer();
  await waitFor(async () => {
    const [row] = await server.query(
      `select count(*)::int as total from webhook_deliveries where webhook_id = $1 and status = 'succeeded'`,
      [scene.id],
    );
    return row!.total === UNDER_WAY;
  });
  expect(receiver.received).toHaveLength(UNDER_WAY);
});

it("an endpoint's address, which is often its secret, stands in no event and no notification", async () => {
  const { user, token } = await server.register('Addresses');
  const addressOf = (name: string) => `${receiver.url}/SECRET-${name}`;
  const body = { url: addressOf('first'), events: ['*'] };
  const { id } = (await server.request('POST', '/v1/my/webhooks', { token, body })).body.data;
  const channel = { kind: 'slack', name: 'Chat', settings: { webhook_url: addressOf('chat') } };
  const created = await server.request('POST', '/v1/my/alert-channels', { token, body: channel });
  expect(created.status).toBe(200);
  const scene = { token, userId: user.id, id, secret: '', answer: () => undefined };
  await change(scene, 'PATCH', '', { url: addressOf('second') });
  await change(scene, 'POST', '/rotate-secret');
  receiver.answer = () => ({ status: 410 });
  await change(scene, 'POST', '/test');
  const read = (table: string) =>
    server.query(`select row_to_json(t)::text as text from ${table} t where user_id = $1`, [user.id]);
  await waitFor(async () => (await read('events')).some(({ text }) => String(text).includes('webhook_disabled')));
  await change(scene, 'DELETE', '');
  const texts = [...(await read('events')), ...(await read('notifications'))].map(({ text }) => String(text));
  expect(texts.filter((text) => text.includes('security.webhook_'))).toHaveLength(5);
  expect(texts.filter((text) => text.includes('SECRET-'))).toEqual([]);
});

it('events of no type have a field for an address, a header or a secret', () => {
  const fields = Object.values(eventData).flatMap(({ properties }) => Object.keys(properties));
  // Where a sign-in came from is what its event is for.
  const suspect = fields.filter((name) => /url|address|header|secret|password|token/.test(name));
  expect(suspect.sort()).toEqual(['address', 'token_id']);
});
