import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AlertChannel, AlertChannelTest } from '@berth/contract';
import { waitFor, LOOPBACK, useTestServer } from '@berth/testing';
import { afterEach, expect, it } from 'vitest';
import { answers, startChat, toJson, type Chat } from './support/chats.ts';

const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

const server = useTestServer({ config: { outbound: LOOPBACK, publicUrl: 'https://berth.example' } });
let chats: Chat[] = [];
afterEach(async () => {
  await Promise.all(chats.map((chat) => chat.close()));
  chats = [];
});

const chatOf = async (answer: Parameters<typeof startChat>[0]): Promise<Chat> => {
  const chat = await startChat(answer);
  chats.push(chat);
  return chat;
};

const call = (token: string, method: string, path: string, body?: Record<string, unknown>) =>
  server.request(method, `/v1/my/alert-channels${path}`, { token, ...(body ? { body } : {}) });

const create = async (token: string, kind: string, settings: Record<string, unknown>): Promise<AlertChannel> => {
  const { status, body } = await call(token, 'POST', '', { kind, name: `my ${kind}`, settings });
  expect([status, body.ok]).toEqual([200, true]);
  return body.data as AlertChannel;
};
const test = async (token: string, { id }: { id: string }): Promise<AlertChannelTest> =>
  (await call(token, 'POST', `/${id}/test`)).body.data as AlertChannelTest;

const readMails = async (): Promise<string[]> => {
  const folder = join(server.dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
};

it('a channel keeps its secrets sealed, shows ******** in their place, and keeps them when that is sent back', async () => {
  const { token } = await server.register('Ada');
  const chat = await chatOf(answers.telegram.taken);
  const settings = { bot_token: BOT_TOKEN, chat_id: '42', api_url: chat.origin };
  const channel = await create(token, 'telegram', settings);
  expect(channel.settings).toEqual({ ...settings, bot_token: '********' });
  const changed = await call(token, 'PATCH', `/${channel.id}`, {
    settings: { bot_token: '********', chat_id: '43' },
  });
  expect(changed.body.data.settings).toEqual({ ...channel.settings, chat_id: '43' });
  expect(await test(token, channel)).toMatchObject({ is_sent: true, response_status: 200, error: null });
  expect(chat.received[0]!.path).toBe(`/bot${BOT_TOKEN}/sendMessage`);
  expect(toJson(chat.received[0]!)).toMatchObject({ chat_id: '43', parse_mode: 'HTML' });
  const shown = [await call(token, 'GET', ''), await call(token, 'GET', `/${channel.id}`)].map(({ body }) => body);
  const rows = await server.query('select * from alert_channels where id = $1', [channel.id]);
  expect(JSON.stringify([shown, rows])).not.toContain(BOT_TOKEN.slice(10));
});

it('a channel sends no kept secret to another address', async () => {
  const { token } = await server.register('Moved');
  const [right, other] = [await chatOf(answers.telegram.taken), await chatOf(answers.telegram.taken)];
  const channel = await create(token, 'telegram', { bot_token: BOT_TOKEN, chat_id: '42', api_url: right.origin });
  for (const settings of [
    { api_url: other.origin },
    { api_url: other.origin, bot_token: '********' },
    { api_url: null },
  ]) {
    const refused = await call(token, 'PATCH', `/${channel.id}`, { settings });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['settings.bot_token']]);
  }
  const entered = { api_url: other.origin, bot_token: '77:another' };
  expect((await call(token, 'PATCH', `/${channel.id}`, { settings: entered })).status).toBe(200);
  await test(token, channel);
  expect([right.received.length, other.received[0]?.path]).toEqual([0, '/bot77:another/sendMessage']);
});

it.each([
  ['a setting of another kind', 'slack', { webhook_url: 'https://example.com/x', topic: 'a' }, 'settings.topic'],
  ['a setting that is missing', 'telegram', { chat_id: '1' }, 'settings.bot_token'],
  ['a name with a typo', 'ntfy', { topic: 'a', tokn: 'b' }, 'settings.tokn'],
  ['stars that stand for nothing', 'discord', { webhook_url: '********' }, 'settings.webhook_url'],
  ['a path in a token', 'telegram', { bot_token: '1:a/../b', chat_id: '1' }, 'settings.bot_token'],
  ['an address inside', 'discord', { webhook_url: 'http://169.254.169.254/x' }, 'settings.webhook_url'],
  ['a line break in a token', 'ntfy', { topic: 'a', token: 'a\r\nb: c' }, 'settings.token'],
])('a channel with %s is refused', async (_, kind, settings, field) => {
  const { token } = await server.register('Refused');
  const { status, body } = await call(token, 'POST', '', { kind, name: 'x', settings });
  expect([status, Object.keys((body.errors ?? {}) as object)]).toEqual([422, [field]]);
  expect((await call(token, 'GET', '')).body.data).toEqual([]);
});

it('a channel of another user is not found, and an account has twenty at most', async () => {
  const [ada, eve] = [await server.register('Owner'), await server.register('Eve')];
  const channel = await create(ada.token, 'ntfy', { topic: 'mine' });
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const) {
    expect(
      (await call(eve.token, method, `/${channel.id}${path}`, method === 'PATCH' ? { name: 'x' } : undefined)).status,
    ).toBe(404);
  }
  for (let number = 1; number < 20; number += 1) await create(ada.token, 'ntfy', { topic: `t${number}` });
  const { body } = await call(ada.token, 'POST', '', { kind: 'ntfy', name: 'x', settings: { topic: 'x' } });
  expect(body).toMatchObject({ ok: false, msg: expect.stringContaining('at most 20') as unknown });
});

const cases = [
  [
    'telegram',
    answers.telegram.unknownChat,
    'Telegram answered 400: Bad Request: chat not found. Write to the bot first',
  ],
  ['telegram', answers.telegram.badToken, 'Telegram answered 401: Unauthorized. Check the bot token.'],
  ['telegram', answers.telegram.busy, 'Telegram answered 429: Too Many Requests: retry after 17.'],
  ['telegram', { status: 200, body: '{"ok":false}' }, 'Telegram answered 200'],
  ['discord', answers.discord.gone, 'Discord answered 404: Unknown Webhook. The webhook is gone.'],
  ['slack', answers.slack.badToken, 'Slack answered 403: invalid_token. The webhook is gone.'],
  ['slack', { status: 200, body: 'no' }, 'Slack answered 200: no.'],
  ['ntfy', answers.ntfy.forbidden, 'ntfy answered 403: forbidden. Check the access token'],
] as const;
const toSettings = (kind: string, { origin }: Chat) =>
  ({
    telegram: { bot_token: BOT_TOKEN, chat_id: '42', api_url: origin },
    discord: { webhook_url: `${origin}/api/webhooks/1/abcdefgh` },
    slack: { webhook_url: `${origin}/services/T0/B0/XXXX` },
    ntfy: { server_url: origin, topic: 'berth', token: 'tk_abcdefgh' },
  })[kind]!;

it.each(cases)('a test of a channel of %s says what is wrong: %j', async (kind, answer, error) => {
  const { token } = await server.register('Wrong');
  const chat = await chatOf(answer);
  const result = await test(token, await create(token, kind, toSettings(kind, chat)));
  expect(result).toMatchObject({ is_sent: false, response_status: answer.status });
  expect(result.error).toContain(error);
  expect(chat.received).toHaveLength(1);
});

it('a test of a channel is taken by each kind in its own form', async () => {
  const { token } = await server.register('Forms');
  for (const kind of ['discord', 'slack', 'ntfy'] as const) {
    const chat = await chatOf(answers[kind].taken);
    const channel = await create(token, kind, toSettings(kind, chat));
    expect([kind, await test(token, channel)]).toEqual([kind, expect.objectContaining({ is_sent: true, error: null })]);
    const [received] = chat.received;
    const forms = {
      discord: { embeds: [{ title: 'This is a test of Berth' }], allowed_mentions: { parse: [] } },
      slack: { text: 'This is a test of Berth', blocks: [{ type: 'header' }, { type: 'section' }] },
      ntfy: { topic: 'berth', title: 'This is a test of Berth', priority: 3 },
    };
    expect(toJson(received!)).toMatchObject(forms[kind]);
    expect(received!.headers.authorization).toBe(kind === 'ntfy' ? 'Bearer tk_abcdefgh' : undefined);
  }
});

it('a test of a channel shows no secret that comes back in an answer', async () => {
  const { token } = await server.register('Echo');
  const chat = await chatOf({ status: 400, body: `no: ${BOT_TOKEN}` });
  const channel = await create(token, 'telegram', { bot_token: BOT_TOKEN, chat_id: '42', api_url: chat.origin });
  const result = await test(token, channel);
  expect(JSON.stringify([result, (await call(token, 'GET', '')).body])).not.toContain('AAHdq');
  expect(result.answer).toBe('no: ********');
});

it('a channel by mail to the verified address of the account needs nobody to agree', async () => {
  const { user, token } = await server.register('Mail');
  await server.query('update users set email_verified_at = now() where id = $1', [user.id]);
  const channel = await create(token, 'email', { to: user.email });
  expect(channel.is_confirmed).toBe(true);
  expect(await test(token, channel)).toEqual({ is_sent: true, response_status: null, answer: null, error: null });
  expect((await readMails()).at(-1)).toContain('Subject: This is a test of Berth');
});

it('a channel by mail to the address of the account needs nobody to agree where an operator named it, and else the one who reads it', async () => {
  const operator = await server.registerOperator();
  const send = async (path: string, body: object, by: { token?: string } = {}): Promise<any> => {
    const answer = await server.request('POST', path, { ...by, body });
    expect([answer.status, answer.body.ok]).toEqual([200, true]);
    return answer.body.data;
  };
  const password = 'correct horse battery staple';
  const codeOf = ({ url }: { url: string }) => new URL(url).hash.replace(/^#\w+=/, '');
  const tokenOf = async (email: string) => (await send('/v1/auth/login', { email, password })).token as string;
  const agreed = async (email: string) => (await create(await tokenOf(email), 'email', { to: email })).is_confirmed;

  const made = await send('/v1/operator/users', { name: 'Made', email: 'made@example.com' }, operator);
  await send('/v1/auth/set-password', { code: codeOf(made.password_link), password });
  expect(await agreed('made@example.com')).toBe(true);
  for (const [email, named] of [
    ['invited@example.com', { email: 'invited@example.com' }],
    ['chosen@example.com', {}],
  ] as const) {
    const { url } = await send('/v1/operator/invitations', named, operator);
    await send('/v1/auth/accept-invitation', { code: codeOf({ url }), name: 'Guest', password, email });
    expect([email, await agreed(email)]).toEqual([email, email === 'invited@example.com']);
  }
  const { user, token } = await server.register('Own');
  const own = await create(token, 'email', { to: user.email });
  const { body } = await call(token, 'POST', `/${own.id}/test`);
  expect([body.ok, body.msg]).toEqual([false, expect.stringContaining('Your address is not verified yet.')]);
});

it('a channel by mail to somebody else sends nothing until he agrees by the link, which a program that opens links does not', async () => {
  const { token } = await server.register('Asks');
  const to = 'somebody@example.org';
  const channel = await create(token, 'email', { to });
  expect(channel.is_confirmed).toBe(false);
  const mail = await waitFor(async () => (await readMails()).find((one) => one.includes(`To: ${to}`)));
  const joined = mail.replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '=');
  const path = /https:\/\/berth\.example(\/alert-links\/confirm\/[^\s]+)/.exec(joined)![1]!;
  const page = await server.request('GET', path, {});
  expect(page.bytes.toString()).toContain(`alerts about its trading terminals to ${to}`);
  expect((await call(token, 'GET', `/${channel.id}`)).body.data.is_confirmed).toBe(false);
  expect((await call(token, 'POST', `/${channel.id}/test`)).body).toMatchObject({ ok: false });
  // The link of one address does not agree for another.
  await call(token, 'PATCH', `/${channel.id}`, { settings: { to: 'victim@example.org' } });
  expect((await server.request('POST', path, {})).status).toBe(404);
  await call(token, 'PATCH', `/${channel.id}`, { settings: { to } });
  expect((await server.request('POST', path, {})).status).toBe(200);
  expect((await call(token, 'GET', `/${channel.id}`)).body.data.is_confirmed).toBe(true);
});

it('a channel by mail to an address sends three mails an hour that ask, and ten that test, from all accounts together', async () => {
  const to = 'Flooded@example.org';
  const mailsTo = async () =>
    (await readMails()).filter((mail) => mail.toLowerCase().includes(`to: ${to.toLowerCase()}`));
  for (const name of ['One', 'Two']) {
    const { token } = await server.register(name);
    const channel = await create(token, 'email', { to: name === 'One' ? to : to.toLowerCase() });
    for (let tries = 0; tries < 5; tries += 1) await call(token, 'POST', `/${channel.id}/test`);
  }
  expect(await mailsTo()).toHaveLength(3);
  const { user, token } = await server.register('Tests');
  await server.query('update users set email_verified_at = now() where id = $1', [user.id]);
  const own = await create(token, 'email', { to: user.email });
  const statuses: number[] = [];
  for (let tries = 0; tries < 11; tries += 1) {
    statuses.push((await call(token, 'POST', `/${own.id}/test`)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
});
