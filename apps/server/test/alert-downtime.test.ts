/** Messages that waited while no server was up. */
import { waitFor, LOOPBACK, useTestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taken } from './support/alert-scene.ts';
import { startChat, type Chat } from './support/chats.ts';

const server = useTestServer({ config: { outbound: LOOPBACK }, without: ['the scheduler'] });
let chat: Chat;
beforeAll(async () => {
  chat = await startChat(taken);
});
afterAll(() => chat.close());

/** A message that was due two days ago. @returns what became of it */
const sendOld = async (): Promise<unknown> => {
  const { user, token } = await server.register('Away');
  const body = { kind: 'ntfy', name: 'x', settings: { server_url: chat.origin, topic: 'berth' } };
  await server.request('POST', '/v1/my/alert-channels', { token, body });
  const subject = { terminals: 1, with_positions: null, host: null, terminal_ids: [], names: ['One'], reason: null };
  await server.query(
    `with alert as (
       insert into alerts (id, user_id, rule_name, "when", subject, tells_at, told_at)
       values (gen_random_uuid(), $1, 'x', 'login_failed', $2, now(), now()) returning id
     )
     insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at)
     select gen_random_uuid(), alert.id, c.id, $1, 'opened', now() - interval '2 days' from alert, alert_channels c
     where c.user_id = $1`,
    [user.id, JSON.stringify(subject)],
  );
  return waitFor(async () => {
    const [message] = await server.query('select status from alert_messages where user_id = $1', [user.id]);
    return message!.status !== 'pending' && message!.status;
  });
};

it.each([
  ['sent when the servers are back for eleven hours', '11 hours', '0', 'sent'],
  ['sent when the first server that starts has not noted yet that none was up', '10 days', '2 days', 'sent'],
  ['given up when the servers are back for thirteen hours', '13 hours', '0', 'failed'],
])('a message that waited for two days is %s', async (_, backFor, silentFor, status) => {
  await server.query(
    `update scheduler set downtime_ended_at = now() - $1::interval, last_run_at = now() - $2::interval`,
    [backFor, silentFor],
  );
  expect(await sendOld()).toBe(status);
});
