import { TerminalStatus } from '@berth/contract';
import { createTestDatabase, startTestServer, waitFor, type TestDatabase, type TestServer } from '@berth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { toCall } from '../src/alerts/forms.ts';
import { hideSecrets } from '../src/alerts/secrets.ts';
import { toMessageText } from '../src/alerts/texts.ts';
import { toVerdict } from '../src/alerts/verdict.ts';
import {
  createScene,
  listAlerts,
  pass,
  report,
  request,
  settle,
  taken,
  titlesOf,
  toldTo,
} from './support/alert-scene.ts';
import { answers, startChat, toJson, type Chat } from './support/chats.ts';

const { ACTIVE, LOGIN_FAILED } = TerminalStatus;

let database: TestDatabase;
let servers: TestServer[] = [];
let server: TestServer;
let chat: Chat;

const start = async (): Promise<TestServer> => {
  const outbound = { allow: ['127.0.0.1/32'], proxyUrl: undefined };
  const started = await startTestServer({ database, config: { outbound, secretKey: 'a1'.repeat(32) } });
  servers.push(started);
  return started;
};
beforeAll(async () => {
  database = await createTestDatabase();
  server = await start();
});
afterAll(async () => {
  await Promise.all(servers.map((one) => one.close()));
  servers = [];
  await database.close();
});
beforeEach(async () => {
  chat = await startChat(taken);
});
afterEach(() => chat.close());

const messagesOf = async (token: string) => (await listAlerts(server, token)).flatMap(({ messages }) => messages);

it('a message is tried again when the service asks for a pause, as the same one, and not before', async () => {
  const { user, token, host, ids } = await createScene(server, chat, { when: 'login_failed' });
  chat.answer = () => ({ ...answers.ntfy.busy, headers: { 'retry-after': '600' } });
  await report(host, ids, LOGIN_FAILED);
  await waitFor(async () => typeof (await messagesOf(token))[0]?.error === 'string');
  const [waiting] = await messagesOf(token);
  expect(waiting).toMatchObject({
    kind: 'opened',
    ok: null,
    error: 'ntfy answered 429: limit reached: too many requests.',
  });
  expect(Date.parse(waiting!.at) - Date.now()).toBeGreaterThan(500_000);
  chat.answer = () => taken;
  await pass(server, user.id, 11);
  await waitFor(async () => (await messagesOf(token))[0]?.ok === true);
  expect((await messagesOf(token)).map(({ id }) => id)).toEqual([waiting!.id]);
  expect(chat.received).toHaveLength(2);
});

it('a message that is refused for good has failed, and its channel says why', async () => {
  const { token, host, ids, channel } = await createScene(server, chat, { when: 'login_failed' });
  chat.answer = () => answers.ntfy.forbidden;
  await report(host, ids, LOGIN_FAILED);
  await waitFor(async () => (await messagesOf(token))[0]?.ok === false);
  const { body } = await request(server, token, 'GET', `alert-channels/${channel.id}`);
  expect(body.data).toMatchObject({
    last_sent_at: null,
    last_error: expect.stringContaining('403: forbidden') as unknown,
  });
  const metrics = await server.services.metrics.toText();
  expect(metrics).toMatch(/berth_alert_messages_total\{channel="ntfy",outcome="failed"\} 1/);
  expect(metrics).toContain('berth_alert_messages_waiting ');
});

it('a message waits for the end of quiet hours, and is left out if the alert is over by then', async () => {
  const quiet_hours = { from: '00:00', to: '23:59', time_zone: 'UTC' };
  const { user, token, host, ids } = await createScene(server, chat, {
    when: 'login_failed',
    names: ['A', 'B'],
    quiet_hours,
  });
  await report(host, ids.slice(0, 1), LOGIN_FAILED);
  await waitFor(async () => (await messagesOf(token)).length === 1);
  const [held] = await messagesOf(token);
  expect(held).toMatchObject({ ok: null });
  expect(new Date(held!.at).toISOString()).toMatch(/T23:59:00\.000Z$/);
  await report(host, ids.slice(0, 1), ACTIVE);
  await settle(server, user.id);
  await pass(server, user.id, 1);
  await waitFor(async () => (await messagesOf(token))[0]?.ok === false);
  expect(await messagesOf(token)).toEqual([
    expect.objectContaining({ id: held!.id, error: 'The alert was over before this could be sent.' }),
  ]);
  await report(host, ids.slice(1), LOGIN_FAILED);
  await waitFor(async () => (await messagesOf(token)).length === 2);
  await pass(server, user.id, 24 * 60);
  await waitFor(() => chat.received.length === 1);
  expect(titlesOf(chat)).toEqual(['Terminal B cannot log in']);
});

it('a message waits where its channel has had thirty within an hour, and the thirtieth says so', async () => {
  const { user, token, host, ids, channel } = await createScene(server, chat, {
    when: 'login_failed',
    names: ['A', 'B'],
  });
  await report(host, ids.slice(0, 1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  await server.query(
    `insert into alert_messages (id, alert_id, channel_id, user_id, kind, status, due_at, tried_at)
       select gen_random_uuid(), id, $2, user_id, 'reminder', 'sent', now(), now() - interval '5 minutes'
       from alerts, generate_series(1, 28) where user_id = $1`,
    [user.id, channel.id],
  );
  await report(host, ids.slice(1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 2);
  expect(toldTo(chat)[1]!.message).toContain('This channel had 30 messages within an hour.');
  await report(host, ids, ACTIVE);
  await settle(server, user.id);
  await server.query(
    `update alert_subjects set ended_at = ended_at - interval '1 minute' where alert_id in (select id from alerts where user_id = $1)`,
    [user.id],
  );
  await settle(server, user.id);
  await waitFor(async () => (await messagesOf(token)).some(({ error }) => error?.includes('had 30 messages') === true));
  expect(chat.received).toHaveLength(2);
  await server.query(
    `update alert_messages set tried_at = tried_at - interval '1 hour', due_at = now() where user_id = $1`,
    [user.id],
  );
  await waitFor(() => chat.received.length === 4);
  expect(titlesOf(chat).slice(2).sort()).toEqual(['Over: Terminal A cannot log in', 'Over: Terminal B cannot log in']);
});

it('a message of the tenth alert of a rule within an hour says that further ones are told together', async () => {
  const { user, host, ids } = await createScene(server, chat, { when: 'login_failed', names: ['A', 'B'] });
  await report(host, ids.slice(0, 1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  await server.query(
    `insert into alerts (id, user_id, rule_id, rule_name, "when", subject, opened_at, tells_at, told_at, resolved_at)
       select gen_random_uuid(), user_id, rule_id, rule_name, "when", subject, t.at, t.at, t.at, t.at
       from alerts, (select now() - interval '5 minutes' as at) t, generate_series(1, 8) where user_id = $1`,
    [user.id],
  );
  await report(host, ids.slice(1), LOGIN_FAILED);
  await waitFor(() => chat.received.length === 2);
  const [first, tenth] = toldTo(chat);
  expect(first!.message).not.toContain('This rule opened');
  expect(tenth!.message).toContain('This rule opened 10 alerts within an hour. Further ones are told together');
});

it('a message that a dead server had in hand is sent by another one, under the same id', async () => {
  const { user, token, host, ids } = await createScene(server, chat, { when: 'login_failed' });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  chat.answer = () => held.then(() => taken);
  await report(host, ids, LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  const [before] = await messagesOf(token);
  // The one that has it is as good as dead: its lease ends while it waits for the answer.
  const other = await start();
  await server.query(
    `update alert_messages set leased_until = now() - interval '1 second', lease = $2 where user_id = $1`,
    [user.id, '00000000-0000-4000-8000-000000000000'],
  );
  await waitFor(() => chat.received.length === 2);
  release();
  await waitFor(async () => (await messagesOf(token))[0]?.ok === true);
  expect((await messagesOf(token)).map(({ id }) => id)).toEqual([before!.id]);
  const rows = await other.query('select attempts from alert_messages where user_id = $1', [user.id]);
  expect(rows).toEqual([{ attempts: 2 }]);
});

it('a message is one where two servers look at the same user at the same time', async () => {
  await start();
  const { user, token, host, ids } = await createScene(server, chat, {
    when: 'login_failed',
    names: ['A', 'B', 'C'],
  });
  await report(host, ids, LOGIN_FAILED);
  for (let count = 0; count < 20; count += 1)
    await server.query('insert into alert_wakes (user_id) values ($1)', [user.id]);
  await settle(server, user.id);
  await waitFor(async () => (await messagesOf(token))[0]?.ok === true);
  expect(await listAlerts(server, token)).toHaveLength(1);
  expect(titlesOf(chat)).toEqual(['3 terminals cannot log in']);
});

it('a message is sent, however many of another user wait for a service that does not answer', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const silent = await startChat(taken);
  silent.answer = () => held.then(() => taken);
  const crowd = await createScene(server, silent, { when: 'login_failed' });
  await report(crowd.host, crowd.ids, LOGIN_FAILED);
  await waitFor(() => silent.received.length === 1);
  await server.query(
    `with more as (
         insert into alerts (id, user_id, rule_id, rule_name, "when", subject, tells_at, told_at)
         select gen_random_uuid(), user_id, rule_id, rule_name, "when", subject, tells_at, told_at
         from alerts cross join generate_series(1, 2500) where user_id = $1 returning id, user_id
       )
       insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at)
       select gen_random_uuid(), more.id, $2, more.user_id, 'opened', now() - interval '1 hour' from more`,
    [crowd.user.id, crowd.channel.id],
  );
  const { host, ids } = await createScene(server, chat, { when: 'login_failed' });
  await report(host, ids, LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  await server.query('delete from alerts where user_id = $1', [crowd.user.id]);
  release();
  await silent.close();
});

it('a message of a suspended account waits until it is active again', async () => {
  const { user, host, ids } = await createScene(server, chat, { when: 'login_failed' });
  await server.query('update users set status = 1 where id = $1', [user.id]);
  await report(host, ids, LOGIN_FAILED);
  await settle(server, user.id);
  expect(await server.query('select 1 from alerts where user_id = $1', [user.id])).toEqual([]);
  await server.query('update users set status = 0 where id = $1', [user.id]);
  await settle(server, user.id);
  await waitFor(() => chat.received.length === 1);
});

const evil = '<b>x</b> & *bold* _it_ [click](https://evil.example) @everyone <!channel> <@U1> `code`\n# head';
const alert = {
  when: 'terminal_down' as const,
  rule_name: evil,
  subject: { terminals: 1, with_positions: null, host: evil, terminal_ids: [], names: [evil], reason: evil },
  opened_at: '2026-01-31T08:00:00.000000Z',
  resolved_at: null,
};
const quiet = { pageUrl: undefined, acknowledgeUrl: undefined, sentInHour: 0, openedInHour: 1 };
const links = { pageUrl: 'https://berth.example/alerts', acknowledgeUrl: 'https://berth.example/a?b=1&c' };
const text = toMessageText('opened', alert, { ...quiet, ...links });
const bodyOf = (kind: 'telegram' | 'discord' | 'slack' | 'ntfy', settings: object): string => {
  const { body } = toCall(kind, settings, text);
  return JSON.stringify(toJson({ body }));
};

it('what hosts and users say is no markup in any channel', () => {
  const webhook = { webhook_url: 'https://example.com/x' };
  const telegram = bodyOf('telegram', { bot_token: '1:a', chat_id: '1' });
  expect(telegram.match(/<\/?[a-z]+/g)).toEqual(['<b', '</b', '<a', '</a', '<a', '</a']);
  const discord = bodyOf('discord', webhook);
  expect(discord).toContain(String.raw`\\[click\\]\\(https://` + '\u200b');
  expect(discord).not.toMatch(/@everyone|[^\\]\*bold/);
  const slack = bodyOf('slack', webhook);
  expect(slack.match(/<[^>]*>/g)).toEqual([
    '<https://berth.example/alerts|Open in Berth>',
    '<https://berth.example/a?b=1&c|Acknowledge>',
  ]);
  expect(bodyOf('ntfy', { topic: 't' })).not.toContain('markdown');
});

it('what hosts and users say stands beside a link to the page and one that acknowledges, in the form of each channel', () => {
  const webhook = { webhook_url: 'https://example.com/x' };
  const { body } = toCall('telegram', { bot_token: '1:a', chat_id: '1' }, text);
  const { text: telegram } = JSON.parse(body) as { text: string };
  expect(telegram.split('\n').slice(-2)).toEqual([
    '<a href="https://berth.example/alerts">Open in Berth</a>',
    '<a href="https://berth.example/a?b=1&amp;c">Acknowledge</a>',
  ]);
  expect(bodyOf('discord', webhook)).toContain(
    String.raw`\n[Open in Berth](https://berth.example/alerts)\n[Acknowledge](https://berth.example/a?b=1&c)`,
  );
  const ntfy = JSON.parse(toCall('ntfy', { topic: 't' }, text).body) as { click: string; actions: { url: string }[] };
  expect([ntfy.click, ntfy.actions.map(({ url }) => url)]).toEqual([links.pageUrl, [links.acknowledgeUrl]]);
  const over = toMessageText('resolved', alert, { ...quiet, ...links });
  expect([over.pageUrl, over.acknowledgeUrl]).toEqual([links.pageUrl, undefined]);
});

it('what hosts and users say is cut between two characters, and never within one that is escaped', () => {
  const webhook = { webhook_url: 'https://example.com/x' };
  for (let shift = 0; shift < 6; shift += 1) {
    const [title, line] = ['a'.repeat(shift) + '<*'.repeat(200), 'b'.repeat(shift) + '>'.repeat(3_000)];
    const long = { ...text, title, lines: [line] };
    const slack = JSON.parse(toCall('slack', webhook, long).body) as { blocks: { text: { text: string } }[] };
    for (const { text: part } of slack.blocks.slice(0, 2)) expect(part.text).toMatch(/^(?:[^&]|&[lg]t;)+$/);
    const discord = JSON.parse(toCall('discord', webhook, long).body) as { embeds: { title: string }[] };
    expect(discord.embeds[0]!.title).toMatch(/^(?:[^\\]|\\.)+$/);
    expect(discord.embeds[0]!.title.length).toBeGreaterThan(250);
  }
});

it('what hosts and users say is neither a mention, nor an address, nor an encoded word of a mail', () => {
  const name = '@admin t.me/x https://evil.example =?utf-8?Q?=E2=80=AEgpj.exe_?=';
  const subject = { ...alert.subject, names: [name], reason: name };
  const told = toMessageText('opened', { ...alert, subject }, quiet);
  for (const line of [told.title, ...told.lines]) expect(line).not.toMatch(/@\w|:\/\/\w|\.\p{L}{2}|=\?/u);
});

it('a message hides the secrets of the channel, also cut, encoded, or at the edge of what is shown', () => {
  const [bot_token, token] = ['123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', `tk_${'s'.repeat(29)}`];
  const webhook_url = 'https://hooks.slack.com/services/T0001/B0002/XXXXsecretXXXX';
  expect(hideSecrets(`/bot${encodeURIComponent(bot_token)}/sendMessage`, 'telegram', { bot_token })).not.toMatch(
    /AAHd/,
  );
  expect(hideSecrets(`…${bot_token.slice(0, 30)}`, 'telegram', { bot_token })).not.toMatch(/AAHd/);
  expect(hideSecrets(`the token ${token.slice(0, 12)}`, 'ntfy', { token })).toBe('the token ********');
  expect(hideSecrets(`No such hook: ${webhook_url.slice(0, -4)}`, 'slack', { webhook_url })).not.toMatch(/B0002|XXXX/);
  expect(hideSecrets('chat not found', 'telegram', { bot_token })).toBe('chat not found');
  const answer = { status: 400, excerpt: `${'x'.repeat(180)}${token}`, headers: {}, ms: 1 };
  const excerpt = hideSecrets(answer.excerpt, 'ntfy', { token });
  expect(
    toVerdict('ntfy', { ...answer, excerpt, headers: { retryAfter: undefined, contentType: undefined } }).error,
  ).not.toMatch(/tk_/);
});

it('what hosts and users say says of positions what was seen last, and nothing where nothing was', () => {
  const linesWith = (with_positions: number | null, terminals = 1) =>
    toMessageText('opened', { ...alert, subject: { ...alert.subject, terminals, with_positions } }, quiet).lines.filter(
      (line) => line.includes('positions'),
    );
  expect([linesWith(null), linesWith(0), linesWith(1), linesWith(0, 3)]).toEqual([
    [],
    ['Had no open positions'],
    ['Had open positions'],
    ['With open positions: 0'],
  ]);
});

it('what hosts and users say is one line, and short', () => {
  const long = { ...alert, subject: { ...alert.subject, names: ['n'.repeat(1_000)], reason: 'r'.repeat(10_000) } };
  const told = toMessageText('opened', long, quiet);
  expect([told.title, ...told.lines].every((line) => line.length < 250 && !line.includes('\n'))).toBe(true);
});
