/** To whose addresses mails of alerts go: to those whose owners agreed, that of the account included. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AlertChannel } from '@berth/contract';
import { startTestServer, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { createTerminals, enrolAlone, request } from './support/alert-scene.ts';

const FROM = 'Berth <berth@example.com>';

const server = useTestServer({ config: { publicUrl: 'https://berth.example' } });

const findMail = (to: string, subject: string): Promise<string> =>
  waitFor(async () => {
    const folder = join(server.dataDir, 'mail');
    const names = await readdir(folder).catch(() => []);
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const found = mails.find(
      (mail) => new RegExp(`^To: ${to}`, 'im').test(mail) && mail.includes(`Subject: ${subject}`),
    );
    return found?.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  });

const create = async (token: string, to: string, on = server) =>
  request(on, token, 'POST', 'alert-channels', { kind: 'email', name: 'x', settings: { to } });
const createChannel = async (token: string, to: string): Promise<AlertChannel> =>
  (await create(token, to)).body.data as AlertChannel;
const isVerified = async (token: string): Promise<boolean> =>
  (await request(server, token, 'GET', 'account/profile')).body.data.email_verified_at !== null;

it('the address of an account gets no alerts before somebody opens the link that is mailed there, which verifies it', async () => {
  const { user, token } = await server.register('Typed');
  const channel = await createChannel(token, user.email.toUpperCase());
  expect([channel.is_confirmed, await isVerified(token)]).toEqual([false, false]);
  const tested = await request(server, token, 'POST', `alert-channels/${channel.id}/test`);
  expect(tested.headers.get('x-error-code')).toBe('alert_channel_unconfirmed');
  const mail = await findMail(user.email.toUpperCase(), 'May Berth send alerts to this address?');
  const path = /https:\/\/berth\.example(\/alert-links\/confirm\/[^\s]+)/.exec(mail)![1]!;
  expect((await server.request('POST', path, {})).status).toBe(200);
  expect(await isVerified(token)).toBe(true);
  expect((await createChannel(token, user.email)).is_confirmed).toBe(true);
  expect((await createChannel(token, 'another@example.org')).is_confirmed).toBe(false);
});

it('the address of an account is verified by a new password that a mailed code set, and by no other', async () => {
  const { user, token } = await server.register('Forgetful');
  const [current_password, password] = [user.password, 'a new password'];
  const change = { current_password, new_password: password, new_password_confirmation: password };
  await request(server, token, 'POST', 'account/security/change-password', change);
  const login = async (word: string) =>
    (await server.request('POST', '/v1/auth/login', { body: { email: user.email, password: word } })).body.data.token;
  expect(await isVerified(await login(password))).toBe(false);
  await server.request('POST', '/v1/auth/forgot-password', { body: { email: user.email } });
  const mail = await findMail(user.email, 'Your code for a new Berth password');
  const code = /[A-Z2-9]{5}-[A-Z2-9]{5}/.exec(mail)![0];
  const body = { email: user.email, code, password: 'a third one', password_confirmation: 'a third one' };
  expect((await server.request('POST', '/v1/auth/reset-password', { body })).status).toBe(200);
  const later = await login('a third one');
  expect(await isVerified(later)).toBe(true);
  expect((await createChannel(later, user.email)).is_confirmed).toBe(true);
});

it('the address of an account is verified by the link of no other address', async () => {
  const { token } = await server.register('Other');
  const [{ id }] = [await createChannel(token, 'friend@example.org')];
  const mail = await findMail('friend@example.org', 'May Berth');
  await server.request('POST', /(\/alert-links\/confirm\/[^\s]+)/.exec(mail)![1]!, {});
  expect((await request(server, token, 'GET', `alert-channels/${id}`)).body.data.is_confirmed).toBe(true);
  expect(await isVerified(token)).toBe(false);
});

const begin = async (changes: { publicUrl?: string; host?: string }, isVerifiedBefore: boolean) => {
  const mail = { smtpUrl: 'smtp://127.0.0.1:1', from: FROM };
  const other = await startTestServer({ config: { mail, ...changes } });
  try {
    const { user, token } = await other.register('Begins');
    if (isVerifiedBefore) await other.query('update users set email_verified_at = now()');
    await enrolAlone(other);
    await createTerminals(other, token, ['One']);
    await waitFor(async () => (await request(other, token, 'GET', 'alert-rules')).body.data.length === 3);
    const asked = `select mails::int from reset_mails where address_hash = sha256(convert_to('confirm ' || $1, 'UTF8'))`;
    const { data } = (await request(other, token, 'GET', 'alert-channels')).body as { data: AlertChannel[] };
    // The mail is asked for after the commit.
    const isAsked = data[0]?.is_confirmed === false;
    if (isAsked) await waitFor(async () => (await other.query(asked, [user.email])).length > 0);
    const { status } = await create(token, user.email, other);
    return { confirmed: data.map((one) => one.is_confirmed), status };
  } finally {
    await other.close();
  }
};

it('the channel that every account begins with asks the address of the account first', async () => {
  expect(await begin({ publicUrl: 'https://berth.example' }, false)).toEqual({ confirmed: [false], status: 200 });
});

it('the channel that every account begins with needs nobody to agree where the address is verified, also on a server that does not know its own', async () => {
  expect(await begin({ host: '0.0.0.0' }, true)).toEqual({ confirmed: [true], status: 200 });
});

it('the channel that every account begins with is none where the address is not verified, and a server that does not know its own cannot ask', async () => {
  expect(await begin({ host: '0.0.0.0' }, false)).toEqual({ confirmed: [], status: 422 });
});

it('a message that waits is not mailed to an address that a channel got in the meantime', async () => {
  const { user, token } = await server.register('Moves');
  await server.query('update users set email_verified_at = now() where id = $1', [user.id]);
  const { id } = await createChannel(token, user.email);
  await request(server, token, 'PATCH', `alert-channels/${id}`, { settings: { to: 'victim@example.org' } });
  const subject = { terminals: 1, with_positions: null, host: null, terminal_ids: [], names: ['One'], reason: null };
  const queue = (channel: string) =>
    server.query(
      `with alert as (
         insert into alerts (id, user_id, rule_name, "when", subject, tells_at, told_at)
         values (gen_random_uuid(), $1, 'x', 'login_failed', $2, now(), now()) returning id
       )
       insert into alert_messages (id, alert_id, channel_id, user_id, kind, due_at)
       select gen_random_uuid(), id, $3, $1, 'opened', now() from alert`,
      [user.id, JSON.stringify(subject), channel],
    );
  await queue(id);
  const statusOf = async (channel: string) =>
    (await server.query('select status from alert_messages where channel_id = $1', [channel]))[0]?.status;
  const right = await createChannel(token, user.email);
  await queue(right.id);
  await waitFor(async () => (await statusOf(right.id)) === 'sent');
  expect(await statusOf(id)).toBe('pending');
});
