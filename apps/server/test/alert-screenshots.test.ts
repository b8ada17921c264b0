/** Screenshots that messages of alerts carry, where a channel asks for them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalStatus } from '@berth/contract';
import { waitFor, withClient, LOOPBACK, useTestServer, type Received } from '@berth/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScene, listAlerts, pass, report, request, takeScreenshot, type Scene } from './support/alert-scene.ts';
import { answers, startChat, toJson, type Chat } from './support/chats.ts';
import { look, toPng } from './support/pngs.ts';

const { LOGIN_FAILED } = TerminalStatus;
const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

const server = useTestServer({ config: { outbound: LOOPBACK, publicUrl: 'https://berth.example' } });
let chat: Chat;
beforeEach(async () => {
  chat = await startChat(answers.telegram.taken);
});
afterEach(() => chat.close());

const toTelegram = (changes: object = {}) => ({
  kind: 'telegram',
  settings: { bot_token: BOT_TOKEN, chat_id: '42', api_url: chat.origin },
  with_screenshot: true,
  ...changes,
});

/** A user whose channel asks for screenshots, and alerts that follow a refused login. */
const createPictured = (scene: { names?: string[]; told?: object } = {}): Promise<Scene> =>
  createScene(server, chat, { when: 'login_failed', told: toTelegram(), ...scene });

const png = (width = 700) => toPng({ width, height: 350 });

/** The parts of a form, as somebody else's parser reads them. */
const readForm = ({ headers, bytes }: Received): Promise<FormData> =>
  new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type']! } }).formData();

const readField = async (received: Received, name: string): Promise<string> => {
  const value = (await readForm(received)).get(name);
  return typeof value === 'string' ? value : '';
};

const readPicture = async (received: Received, name: string) => {
  const file = (await readForm(received)).get(name) as File;
  return { name: file.name, type: file.type, ...look(Buffer.from(await file.arrayBuffer())) };
};

/** Which of Telegram's methods were called. */
const listMethods = (): string[] => chat.received.map(({ path }) => path.split('/').at(-1)!);

const messagesOf = async (token: string) => (await listAlerts(server, token)).flatMap(({ messages }) => messages);
const isSent = (token: string) => async () => (await messagesOf(token))[0]?.ok === true;

it('a message about one terminal carries its last screenshot to Telegram, with the text below it', async () => {
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  const [received] = chat.received;
  expect(received!.path).toBe(`/bot${BOT_TOKEN}/sendPhoto`);
  const picture = { name: 'screenshot.png', type: 'image/png', width: 700, height: 350, colours: [200] };
  expect(await readPicture(received!, 'photo')).toEqual(picture);
  expect(await readField(received!, 'chat_id')).toBe('42');
  expect(await readField(received!, 'parse_mode')).toBe('HTML');
  // Lines of a form end like this.
  const caption = (await readField(received!, 'caption')).split('\r\n');
  expect(caption[0]).toBe('<b>Terminal One cannot log in</b>');
  expect(caption).toContainEqual(expect.stringMatching(/^Screenshot: \d{4}-\d\d-\d\d \d\d:\d\d UTC$/));
  expect(caption.at(-1)).toMatch(/^<a href="https:\/\/berth\.example\/alert-links\/acknowledge\/.+">Acknowledge<\/a>$/);
});

it('a message about one terminal carries it to Discord, within the embed', async () => {
  chat.answer = () => answers.discord.taken;
  const told = { kind: 'discord', settings: { webhook_url: `${chat.origin}/api/webhooks/1/abcdefgh` } };
  const scene = await createPictured({ told: { ...told, with_screenshot: true } });
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  const [received] = chat.received;
  expect(await readPicture(received!, 'files[0]')).toMatchObject({ name: 'screenshot.png', width: 700 });
  const payload = JSON.parse(await readField(received!, 'payload_json')) as object;
  const [embed] = (payload as { embeds: object[] }).embeds;
  expect(embed).toMatchObject({
    title: 'Terminal One cannot log in',
    description: expect.stringContaining('Screenshot: ') as unknown,
    image: { url: 'attachment://screenshot.png' },
  });
  expect(payload).toMatchObject({ allowed_mentions: { parse: [] } });
});

it('a message about one terminal carries it by mail, attached', async () => {
  const scene = await createPictured();
  await server.query('update users set email_verified_at = now() where id = $1', [scene.user.id]);
  const mail = { kind: 'email', name: 'mail', settings: { to: scene.user.email }, with_screenshot: true };
  const { body } = await request(server, scene.token, 'POST', 'alert-channels', mail);
  const channel_ids = [(body.data as { id: string }).id];
  await request(server, scene.token, 'PATCH', `alert-rules/${scene.rule.id}`, { channel_ids });
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  const folder = join(server.dataDir, 'mail');
  const mails = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const sent = mails.find((one) => one.includes(`To: ${scene.user.email}`) && one.includes('cannot log in'))!;
  expect(sent).toContain('Screenshot: ');
  const [, attached] = /Content-Type: image\/png; name=screenshot\.png\n[^]*?\n\n([A-Za-z0-9+/=\n]+)/.exec(sent)!;
  expect(look(Buffer.from(attached!, 'base64'))).toMatchObject({ width: 700, height: 350 });
});

it('a message about one terminal carries none unless its channel asks for it', async () => {
  const scene = await createPictured({ told: toTelegram({ with_screenshot: undefined }) });
  expect(scene.channel.with_screenshot).toBe(false);
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendMessage']);
  expect(toJson(chat.received[0]!).text).not.toContain('Screenshot: ');
});

it.each([
  ['is older than a quarter of an hour', `update terminal_screenshots set taken_at = now() - interval '16 minutes'`],
  ['was deleted', 'delete from files'],
  ['has expired', 'update files set expires_at = now()'],
  ['is of another user', 'update files set user_id = gen_random_uuid()'],
  ['is larger than 5 MiB', 'update files set size = 5242881'],
  ['is no picture', `update files set content = 'nothing'`],
])('a message about one terminal goes without a screenshot that %s', async (_title, change) => {
  const scene = await createPictured();
  const fileId = await takeScreenshot(server, scene, scene.ids[0]!, png());
  const key = change.includes('terminal_screenshots') ? 'file_id' : 'id';
  await server.query(`${change} where ${key} = $1`, [fileId]);
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendMessage']);
});

it('a message with a screenshot that cannot be read does not wait for it', async () => {
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await withClient(server.databaseUrl, async (db) => {
    await db.query('begin');
    await db.query('lock table files in access exclusive mode');
    await report(scene.host, scene.ids, LOGIN_FAILED);
    await waitFor(isSent(scene.token));
    await db.query('rollback');
  });
  expect(listMethods()).toEqual(['sendMessage']);
});

it('a message with a screenshot that is refused is sent at once without it, and is the same message', async () => {
  chat.answer = ({ path }) =>
    path.endsWith('/sendPhoto')
      ? { status: 400, body: '{"ok":false,"error_code":400,"description":"Bad Request: IMAGE_PROCESS_FAILED"}' }
      : answers.telegram.taken;
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendPhoto', 'sendMessage']);
  expect(await messagesOf(scene.token)).toHaveLength(1);
});

it('a message with a screenshot that is refused for another reason fails after that, and says why', async () => {
  chat.answer = () => answers.telegram.unknownChat;
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(async () => (await messagesOf(scene.token))[0]?.ok === false);
  expect(listMethods()).toEqual(['sendPhoto', 'sendMessage']);
  expect((await messagesOf(scene.token))[0]!.error).toContain('chat not found');
});

it('a message with a screenshot carries the same one after a pause that the service asked for, although there is a newer one', async () => {
  chat.answer = () => answers.telegram.busy;
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png(700));
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(async () => typeof (await messagesOf(scene.token))[0]?.error === 'string');
  const [waiting] = await messagesOf(scene.token);
  expect(Date.parse(waiting!.at) - Date.now()).toBeGreaterThan(10_000);
  await server.query(
    `with newer as (
         insert into files (id, user_id, name, type, size, sha256, content)
         select gen_random_uuid(), user_id, name, type, size, sha256, $2 from files where user_id = $1 returning id
       )
       update terminal_screenshots set file_id = newer.id from newer where terminal_id = $3`,
    [scene.user.id, png(600), scene.ids[0]],
  );
  chat.answer = () => answers.telegram.taken;
  await pass(server, scene.user.id, 1);
  await waitFor(isSent(scene.token));
  const widths = await Promise.all(chat.received.map(async (one) => (await readPicture(one, 'photo')).width));
  expect(widths).toEqual([700, 700]);
});

it('a message with a screenshot that got no proper answer is tried again without it', async () => {
  chat.answer = () => ({ status: 502, body: 'bad gateway' });
  const scene = await createPictured();
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(async () => typeof (await messagesOf(scene.token))[0]?.error === 'string');
  chat.answer = () => answers.telegram.taken;
  await pass(server, scene.user.id, 1);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendPhoto', 'sendMessage']);
});

it('a message with a screenshot is about one terminal: one about two has none', async () => {
  const scene = await createPictured({ names: ['A', 'B'] });
  for (const id of scene.ids) await takeScreenshot(server, scene, id, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendMessage']);
  expect(toJson(chat.received[0]!).text).toContain('2 terminals cannot log in');
});

it('a channel takes screenshots only if its kind does', async () => {
  const { token } = await server.register('Kinds');
  const slack = { kind: 'slack', name: 's', settings: { webhook_url: `${chat.origin}/services/T0/B0/XXXX` } };
  const refused = await request(server, token, 'POST', 'alert-channels', { ...slack, with_screenshot: true });
  expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['with_screenshot']]);
  const { body } = await request(server, token, 'POST', 'alert-channels', slack);
  const { id } = body.data as { id: string };
  const changed = await request(server, token, 'PATCH', `alert-channels/${id}`, { with_screenshot: true });
  expect([changed.status, Object.keys(changed.body.errors as object)]).toEqual([422, ['with_screenshot']]);
});

it('a channel with screenshots is made, and changed, only by a token that can read', async () => {
  const { token } = await server.register('Writer');
  const toToken = async (abilities: string[]): Promise<string> => {
    const { body } = await request(server, token, 'POST', 'account/tokens', { name: 'n', abilities });
    return body.data.token as string;
  };
  const [writer, both] = [await toToken(['write']), await toToken(['read', 'write'])];
  const mine = { ...toTelegram(), name: 'Mine' };
  const outcomeOf = async (by: string, method: string, path: string, body: object) => {
    const answer = await request(server, by, method, path, body);
    const channel = answer.body.data as { with_screenshot: boolean } | null;
    return [answer.status, channel?.with_screenshot ?? answer.headers.get('x-error-code')];
  };
  const refused = [403, 'missing_ability'];
  expect(await outcomeOf(writer, 'POST', 'alert-channels', mine)).toEqual(refused);
  expect((await request(server, token, 'GET', 'alert-channels')).body.data).toEqual([]);
  expect(await outcomeOf(both, 'POST', 'alert-channels', mine)).toEqual([200, true]);
  const [channel] = (await request(server, token, 'GET', 'alert-channels')).body.data as { id: string }[];
  const path = `alert-channels/${channel!.id}`;
  // Where they go, too: somebody who cannot read would have them sent to himself.
  for (const body of [{ with_screenshot: true }, { settings: { chat_id: '43' } }])
    expect([body, await outcomeOf(writer, 'PATCH', path, body)]).toEqual([body, refused]);
  expect(await outcomeOf(writer, 'PATCH', path, { name: 'x' })).toEqual([200, true]);
  const changed = { with_screenshot: false, settings: { chat_id: '43' } };
  expect(await outcomeOf(writer, 'PATCH', path, changed)).toEqual([200, false]);
  expect(await outcomeOf(writer, 'PATCH', path, { with_screenshot: true })).toEqual(refused);
  expect(await outcomeOf(both, 'PATCH', path, { with_screenshot: true })).toEqual([200, true]);
  expect(await outcomeOf(writer, 'POST', 'alert-channels', toTelegram({ name: 'n', with_screenshot: false }))).toEqual([
    200,
    false,
  ]);
});

it('a channel that asks for screenshots no longer gets none, and keeps the choice where it is left out', async () => {
  const scene = await createPictured();
  const path = `alert-channels/${scene.channel.id}`;
  const renamed = await request(server, scene.token, 'PATCH', path, { name: 'new' });
  expect(renamed.body.data).toMatchObject({ name: 'new', with_screenshot: true });
  const changed = await request(server, scene.token, 'PATCH', path, { with_screenshot: false });
  expect(changed.body.data).toMatchObject({ name: 'new', with_screenshot: false });
  await takeScreenshot(server, scene, scene.ids[0]!, png());
  await report(scene.host, scene.ids, LOGIN_FAILED);
  await waitFor(isSent(scene.token));
  expect(listMethods()).toEqual(['sendMessage']);
});
