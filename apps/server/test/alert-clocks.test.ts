/** Alerts where the database's clock was ahead and was set back, and where the clocks of servers differ. */
import { TerminalStatus } from '@berth/contract';
import { waitFor, useTestServer, LOOPBACK } from '@berth/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScene, pass, report, settle, taken, titlesOf } from './support/alert-scene.ts';
import { startChat, type Chat } from './support/chats.ts';

const { ACTIVE, LOGIN_FAILED } = TerminalStatus;
const FORTY_DAYS = 40 * 24 * 60;
const [LOW, HIGH] = ['00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'];

const server = useTestServer({ config: { outbound: LOOPBACK } });
let chat: Chat;

beforeEach(async () => {
  chat = await startChat(taken);
});
afterEach(() => chat.close());

it('a clock that was set back by forty days lets alerts begin and end as before', async () => {
  const { user, host, ids } = await createScene(server, chat, { when: 'login_failed', names: ['A', 'B'] });
  await report(host, ids.slice(0, 1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  await report(host, ids.slice(0, 1), ACTIVE);
  await settle(server, user.id);
  await pass(server, user.id, -FORTY_DAYS);
  await report(host, ids.slice(1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 2, { what: 'the alert of what began since' });
  await settle(server, user.id);
  await pass(server, user.id, 1);
  await waitFor(() => chat.received.length === 3, { what: 'the end of what was over before' });
  const name = 'cannot log in';
  expect(titlesOf(chat)).toEqual([`Terminal A ${name}`, `Terminal B ${name}`, `Over: Terminal A ${name}`]);
});

it('a clock that was set back by forty days lets a rule tell of what happens, though the rule was changed before', async () => {
  const { user, ids, rule } = await createScene(server, chat, { when: 'risk_breached' });
  await server.query(`update alert_rules set updated_at = now() + interval '40 days' where id = $1`, [rule.id]);
  await server.query(
    `insert into events (user_id, type, terminal_id, data) values ($1, 'risk.breached', $2, '{"kind":"daily_loss"}')`,
    [user.id, ids[0]],
  );
  await waitFor(() => chat.received.length === 1, { what: 'the message' });
});

it('a clock that was set back by forty days puts off what a full channel has to send by an hour at the most', async () => {
  const { user, host, ids, channel } = await createScene(server, chat, { when: 'login_failed', names: ['A', 'B'] });
  await report(host, ids.slice(0, 1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  await server.query(
    `insert into alert_messages (id, alert_id, channel_id, user_id, kind, status, due_at, tried_at)
       select gen_random_uuid(), id, $2, user_id, 'reminder', 'sent', now(), now() + ahead
       from alerts, generate_series(1, 30), unnest(array[interval '5 minutes', interval '40 days']) as ahead where user_id = $1`,
    [user.id, channel.id],
  );
  await report(host, ids.slice(1), LOGIN_FAILED);
  const findHeld = async () =>
    (
      await server.query(
        `select due_at <= now() + interval '1 hour' as is_soon from alert_messages
           where user_id = $1 and status = 'pending' and is_held`,
        [user.id],
      )
    )[0];
  expect(await waitFor(findHeld, { what: 'a message that waits' })).toEqual({ is_soon: true });
});

it('the end of an alert is told after its beginning, though the server that ended it has a clock that is behind', async () => {
  const { user, channel, rule } = await createScene(server, chat, { when: 'login_failed' });
  await server.query(
    `with alert as (
       insert into alerts (id, user_id, rule_id, rule_name, "when", subject, tells_at, told_at, resolved_at)
       values (gen_random_uuid(), $1, $2, 'Rule', 'login_failed', '{"terminals": 1, "names": ["One"], "terminal_ids": [],
           "host": null, "reason": null, "with_positions": null}', now(), now(), now()) returning id
     )
     insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at)
     select m.id::uuid, alert.id, $3, $1, m.kind, now() from alert, (values ($4, 'resolved'), ($5, 'opened')) as m (id, kind)`,
    [user.id, rule.id, channel.id, LOW, HIGH],
  );
  await waitFor(() => chat.received.length === 2);
  expect(titlesOf(chat)).toEqual(['Terminal One cannot log in', 'Over: Terminal One cannot log in']);
});
