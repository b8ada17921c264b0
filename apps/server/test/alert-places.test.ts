/** Services that do not answer hold the places of their user, and nobody else's. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalStatus } from '@berth/contract';
import { waitFor, LOOPBACK, useTestServer } from '@berth/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScene, report, taken, titlesOf, type Scene } from './support/alert-scene.ts';
import { startChat, type Chat } from './support/chats.ts';

const server = useTestServer({ config: { outbound: LOOPBACK } });
let chat: Chat;
let silent: Chat;
let answer = (): void => undefined;
beforeEach(async () => {
  chat = await startChat(taken);
  silent = await startChat(taken);
  const held = new Promise<void>((resolve) => (answer = resolve));
  silent.answer = () => held.then(() => taken);
});
afterEach(async () => {
  answer();
  await Promise.all([chat.close(), silent.close()]);
});

/** Gives a user's alert a message in each of so many more channels, all of them due, the mails last. */
const crowd = ({ user, channel }: Scene, chats: number, mails: number): Promise<unknown> =>
  server.query(
    `with made as (
       insert into alert_channels (id, user_id, kind, name, settings, secrets, is_confirmed)
       select gen_random_uuid(), $1, k.kind, 'x', case k.kind when 'ntfy' then c.settings else '{"to": "a@example.org"}' end, null, true
       from alert_channels c, (
         select 'ntfy' as kind from generate_series(1, $3::int) union all select 'email' from generate_series(1, $4::int)
       ) k
       where c.id = $2 returning id, kind
     )
     insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at)
     select gen_random_uuid(), a.id, made.id, $1, 'opened', now() - case made.kind when 'ntfy' then interval '1 hour' else '0' end
     from made, alerts a where a.user_id = $1`,
    [user.id, channel.id, chats, mails],
  );

it('a user’s chats that do not answer have eight places, and hold up neither the user’s mails nor another’s chats', async () => {
  const slow = await createScene(server, silent, { when: 'login_failed' });
  await report(slow.host, slow.ids, TerminalStatus.LOGIN_FAILED);
  await waitFor(() => silent.received.length === 1);
  await crowd(slow, 80, 3);
  const mails = () => readdir(join(server.dataDir, 'mail')).catch(() => []);
  await waitFor(async () => (await mails()).length === 3);
  const { host, ids } = await createScene(server, chat, { when: 'login_failed' });
  await report(host, ids, TerminalStatus.LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  expect(titlesOf(chat)).toEqual(['Terminal One cannot log in']);
  const [held] = await server.query(
    `select count(*)::int as total from alert_messages where user_id = $1 and leased_until > now()`,
    [slow.user.id],
  );
  expect(held).toEqual({ total: 8 });
});
