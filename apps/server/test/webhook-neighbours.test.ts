/** What an endpoint that never answers, one that always fails and one that is dead cost the others: nothing. */
import type { UserEvent } from '@berth/contract';
import {
  startWebhookReceiver,
  waitFor,
  waitForAll,
  useTestServer,
  LOOPBACK,
  type Received,
  type WebhookReceiver,
} from '@berth/testing';
import { afterEach, expect, it } from 'vitest';

const server = useTestServer({ config: { outbound: LOOPBACK } });
const receivers: WebhookReceiver[] = [];

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const startReceiver = async (answer: WebhookReceiver['answer'] = () => ({ status: 204 })) => {
  const receiver = await startWebhookReceiver();
  receiver.answer = answer;
  receivers.push(receiver);
  return receiver;
};

const create = async (token: string, { url }: WebhookReceiver): Promise<string> => {
  const body = { url, events: ['security.token_created'] };
  const answer = await server.request('POST', '/v1/my/webhooks', { token, body });
  return (answer.body as { data: { id: string } }).data.id;
};

const happen = (userId: string, count = 1) =>
  server.query(
    `insert into events (user_id, type, data)
     select $1, 'security.token_created', jsonb_build_object('token_id', n, 'name', 'n') from generate_series(1, $2::int) n`,
    [userId, count],
  );

const toEventId = ({ body }: Received) => (JSON.parse(body) as UserEvent).id;
const countEvents = ({ received }: WebhookReceiver) => new Set(received.map(toEventId)).size;

const readCounts = async (id: string) => {
  const [row] = await server.query(
    `select (select count(*) from webhook_deliveries d where d.webhook_id = w.id)::int as made,
       (select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.attempt_count > 0)::int as tried,
       (select coalesce(sum(d.attempt_count), 0) from webhook_deliveries d where d.webhook_id = w.id)::int as calls,
       paused_until > now() as is_paused, is_full
     from webhooks w where w.id = $1`,
    [id],
  );
  return row as { made: number; tried: number; calls: number; is_paused: boolean | null; is_full: boolean };
};

it('an endpoint that never answers and one that always fails hold up no other one, of their user or another', async () => {
  const EVENTS = 400;
  const [{ user, token }, { user: neighbour, token: neighbours }] = [
    await server.register('Stuck'),
    await server.register('Neighbour'),
  ];
  // Until the receiver closes its connections.
  const silent = await startReceiver(() => new Promise(() => undefined));
  const failing = await startReceiver(() => ({ status: 500 }));
  const [quick, other] = [await startReceiver(), await startReceiver()];
  const [silentId, failingId] = [await create(token, silent), await create(token, failing)];
  await happen(user.id);
  await waitFor(() => silent.received.length === 1 && failing.received.length === 1, { what: 'both being asked' });
  await create(token, quick);
  await create(neighbours, other);
  await happen(user.id, EVENTS);
  await happen(neighbour.id, EVENTS);
  await waitForAll(() => countEvents(quick), EVENTS, { what: 'events of the same user' });
  await waitForAll(() => countEvents(other), EVENTS, { what: 'events of another user' });
  for (const { received } of [quick, other]) expect(received.length).toBe(EVENTS);
  let [sent, isOvertaken] = [EVENTS, false];
  while (!isOvertaken) {
    const { calls } = await waitFor(
      async () => {
        const counts = await readCounts(silentId);
        return silent.received.length > counts.calls && counts;
      },
      { what: 'a call that is not answered' },
    );
    sent += 1;
    for (const { id } of [user, neighbour]) await happen(id);
    for (const receiver of [quick, other])
      await waitForAll(() => countEvents(receiver), sent, { what: 'an event beside' });
    isOvertaken = (await readCounts(silentId)).calls === calls;
  }
  await waitFor(async () => (await readCounts(failingId)).is_paused === true, {
    what: 'a pause of the one that fails',
  });
  // Five in a row, what was under way beside the last of them, and then one after each pause: no round of 200.
  const MOST_TRIED = 40;
  expect((await readCounts(failingId)).tried).toBeLessThanOrEqual(MOST_TRIED);
  expect(silent.received.length).toBeLessThanOrEqual(MOST_TRIED);
  expect((await readCounts(silentId)).made).toBeLessThanOrEqual(1_000);
});

it('a dead endpoint of somebody to whom very much happens costs a window of rows, and another user no wait', async () => {
  const EVENTS = 20_000;
  const { user, token } = await server.register('Dead');
  const { user: neighbour, token: neighbours } = await server.register('Beside the dead');
  const dead = await startReceiver();
  const id = await create(token, dead);
  await dead.close();
  receivers.splice(receivers.indexOf(dead), 1);
  const other = await startReceiver();
  await create(neighbours, other);
  await happen(user.id, EVENTS);
  await waitFor(async () => (await readCounts(id)).is_paused === true, { what: 'a pause' });
  await happen(neighbour.id);
  await waitForAll(() => countEvents(other), 1, { what: 'the event of another user' });
  // However often it is taken up: until its window is full.
  const isFull = async () => {
    await server.query(`update webhooks set paused_until = null, due_at = now() where id = $1 and lease is null`, [id]);
    return (await readCounts(id)).is_full;
  };
  await waitFor(isFull, { what: 'a full window' });
  for (let looks = 0; looks < 3; looks += 1) {
    const { tried } = await readCounts(id);
    await waitFor(async () => (await isFull()) && (await readCounts(id)).tried > tried, { what: 'another try' });
  }
  expect((await readCounts(id)).made).toBe(1_000);
  await happen(neighbour.id);
  await waitForAll(() => countEvents(other), 2, { what: 'another event of another user' });
  expect(other.received.length).toBe(2);
});
