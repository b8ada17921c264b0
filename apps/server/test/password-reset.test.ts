import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor, useTestServer, type TestUser } from '@berth/testing';
import { expect, test, vi } from 'vitest';
import { takeResetCodeTry } from '../src/accounts/credentials.ts';
import { readNow } from '../src/db/clock.ts';
import { sql, type Transaction, type Statement } from '../src/db/database.ts';

const server = useTestServer({ config: { trustedProxies: ['127.0.0.1'] } });

const forgot = (email: string) => server.request('POST', '/v1/auth/forgot-password', { body: { email } });
const reset = (email: string, code: string, password: string, headers: Record<string, string> = {}) =>
  server.request('POST', '/v1/auth/reset-password', {
    headers,
    body: { email, code, password, password_confirmation: password },
  });
const login = async ({ email }: TestUser, password: string) =>
  (await server.request('POST', '/v1/auth/login', { body: { email, password } })).status;

const toAddressHash = (email: string): Buffer => createHash('sha256').update(email.toLowerCase()).digest();

const mailFolder = () => join(server.dataDir, 'mail');
const readMails = async (email: string): Promise<string[]> => {
  const names = (await readdir(mailFolder()).catch(() => [])).sort();
  const mails = await Promise.all(names.map((name) => readFile(join(mailFolder(), name), 'utf8')));
  return mails.filter((mail) => mail.includes(`To: ${email}`));
};

/** Asks for a code and reads it from the mail. */
const receiveCode = async ({ email }: TestUser): Promise<string> => {
  const before = (await readMails(email)).length;
  expect((await forgot(email)).status).toBe(200);
  const mails = await waitFor(async () => {
    const found = await readMails(email);
    return found.length > before && /\r?\n\r?\n/.test(found.at(-1)!) ? found : undefined;
  });
  return /^ {4}([A-Z2-9]{5}-[A-Z2-9]{5})$/m.exec(mails.at(-1)!)![1]!;
};

test('the mailed code sets a new password and revokes every token', async () => {
  const { user, token } = await server.register('Careless');
  const answer = await reset(user.email, await receiveCode(user), 'a new password');
  expect([answer.status, answer.body.ok, answer.body.data]).toEqual([200, true, null]);
  expect((await server.request('GET', '/v1/my/account/profile', { token })).status).toBe(401);
  expect(await login(user, user.password)).toBe(422);
  expect(await login(user, 'a new password')).toBe(200);
});

test('an unknown address gets the same answer and no mail', async () => {
  const { user } = await server.register('Known');
  const known = await forgot(user.email);
  const unknown = await forgot('unknown@example.com');
  expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
  await waitFor(async () => (await readMails(user.email)).length > 0);
  expect(await readMails('unknown@example.com')).toEqual([]);
});

test('a code that is mailed has a row in the audit log before it can be read, and an unknown address has none', async () => {
  const { user, token } = await server.register('Asked');
  const code = await receiveCode(user);
  await forgot('nobody-here@example.com');
  const own = await server.request('GET', '/v1/my/audit-log?action=password.request', { token });
  expect(own.body.data).toMatchObject([{ user_id: user.id, address: '127.0.0.1', before: null, after: null }]);
  const rows = await server.query(`select * from audit_log where action = 'password.request'`);
  expect(rows.filter(({ user_id: userId }) => userId === null)).toEqual([]);
  expect(JSON.stringify(rows)).not.toContain(code.replace('-', ''));
});

test('a code works once, and written by hand in small letters too', async () => {
  const { user } = await server.register('Twice');
  const code = (await receiveCode(user)).toLowerCase().replace('-', ' ');
  expect((await reset(user.email, code, 'first password')).status).toBe(200);
  const again = await reset(user.email, code, 'second password');
  expect([again.status, again.body.errors]).toEqual([422, { code: ['The code is invalid or has expired.'] }]);
  expect(await login(user, 'first password')).toBe(200);
});

test('after five wrong tries the right code is refused, also when they come at once', async () => {
  const { user } = await server.register('Guessed');
  const code = await receiveCode(user);
  const tries = await Promise.all(
    ['A', 'B', 'C', 'D', 'E'].map((guess) => reset(user.email, guess, 'guessed password')),
  );
  expect(tries.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect((await reset(user.email, code, 'right password')).status).toBe(422);
  expect(await login(user, user.password)).toBe(200);
});

test('a try that began before the five that used them up, and waited, does not begin anew', async () => {
  const { user } = await server.register('Raced');
  await receiveCode(user);
  const request = { email: user.email, caller: 'one', maxTries: 5, triesMs: 900_000 };
  const { db } = server.services;
  const late = await db.transaction(async (earlier) => {
    await readNow(earlier);
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await db.transaction((tx) => takeResetCodeTry(tx, request))).toHaveLength(1);
    }
    return takeResetCodeTry(earlier, request);
  });
  expect(late).toEqual([]);
});

test('an expired code is refused', async () => {
  const { user } = await server.register('Slow');
  const code = await receiveCode(user);
  const expire = sql('expire', `update reset_codes set expires_at = now() - interval '1 s' where address_hash = $1`);
  await server.services.db.query(expire, [toAddressHash(user.email)]);
  expect((await reset(user.email, code, 'late password')).status).toBe(422);
});

test('asking again and again voids no code and mails no more than three; one that is used ends the others', async () => {
  const { user } = await server.register('Harassed');
  const first = await receiveCode(user);
  const second = await receiveCode(user);
  const asked = Array.from({ length: 20 }, () => forgot(user.email.toUpperCase()));
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  await waitFor(async () => (await readMails(user.email)).length === 3);
  expect((await reset(user.email, first, 'some password')).status).toBe(200);
  expect((await reset(user.email, second, 'other password')).status).toBe(422);
  expect(await login(user, 'some password')).toBe(200);
});

test('an hour after the first of three mails there are others', async () => {
  const { user } = await server.register('Patient');
  const sent = vi.spyOn(server.services.mailer, 'send');
  for (let count = 0; count < 3; count += 1) await receiveCode(user);
  await forgot(user.email);
  expect(sent).toHaveBeenCalledTimes(3);
  sent.mockRestore();
  const hash = toAddressHash(user.email);
  await server.query(`update reset_mails set ends_at = ends_at - interval '1 hour' where address_hash = $1`, [hash]);
  expect((await reset(user.email, await receiveCode(user), 'right password')).status).toBe(200);
});

test('strangers who use up their tries leave those of the owner', async () => {
  const { user } = await server.register('Burnt');
  const code = await receiveCode(user);
  for (let guess = 0; guess < 6; guess += 1) await reset(user.email, 'WRONG', 'guessed password');
  expect((await reset(user.email, code, 'right password')).status).toBe(422);
  const elsewhere = { 'x-forwarded-for': '192.0.2.7' };
  expect((await reset(user.email, code, 'right password', elsewhere)).status).toBe(200);
});

test('a code that could not be mailed does not count', async () => {
  const { user } = await server.register('Unmailed');
  const send = vi.spyOn(server.services.mailer, 'send');
  for (let count = 0; count < 3; count += 1) {
    send.mockRejectedValueOnce(new Error('the mail server is away'));
    await forgot(user.email);
    const hash = toAddressHash(user.email);
    const rows = sql('codes', 'select id from reset_codes where address_hash = $1');
    await waitFor(async () => (await server.services.db.slow.query(rows, [hash])).length === 0);
  }
  send.mockRestore();
  expect((await reset(user.email, await receiveCode(user), 'right password')).status).toBe(200);
});

test('a known and an unknown address cost the same: statements, computed hashes and stored rows', async () => {
  const { user } = await server.register('Measured');
  const unknown = 'measured.nobody@example.com';
  const { db, passwords } = server.services;
  const work: string[] = [];
  const note = ({ name }: Statement): void => {
    if (/reset|login|user/.test(name)) work.push(name);
  };
  const query = db.query.bind(db);
  const transaction = db.transaction.bind(db);
  const watch = (tx: Transaction): Transaction => ({
    ...tx,
    query: (statement, values) => {
      note(statement);
      return tx.query(statement, values);
    },
  });
  const spies = [
    vi.spyOn(db, 'query').mockImplementation((statement, values) => {
      note(statement);
      return query(statement, values);
    }),
    vi.spyOn(db, 'transaction').mockImplementation((callback) => transaction((tx) => callback(watch(tx)))),
    ...(['hash', 'isMatch'] as const).map((name) => {
      const compute = passwords[name].bind(passwords) as (...values: unknown[]) => Promise<never>;
      return vi.spyOn(passwords, name).mockImplementation((...values: unknown[]) => {
        work.push(name);
        return compute(...values);
      });
    }),
  ];
  const measure = async (call: () => Promise<unknown>): Promise<string[]> => {
    work.length = 0;
    await call();
    return [...work];
  };
  const attempt = (email: string) =>
    server.request('POST', '/v1/auth/login', { body: { email, password: 'wrong password' } });
  for (const ask of [forgot, (email: string) => reset(email, 'WRONG', 'guessed password'), attempt]) {
    const known = await measure(() => ask(user.email));
    expect(known.length).toBeGreaterThan(0);
    expect(await measure(() => ask(unknown))).toEqual(known);
  }
  for (const spy of spies) spy.mockRestore();
  const rows = sql('tries', 'select tries_left from reset_codes where address_hash = $1');
  for (const email of [user.email, unknown]) {
    expect(await db.slow.query(rows, [toAddressHash(email)])).toEqual([{ tries_left: 9_999 }]);
  }
});

test('a change of the password ends every code', async () => {
  const { user, token } = await server.register('Impatient');
  const second = await receiveCode(user);
  const change = {
    current_password: user.password,
    new_password: 'changed password',
    new_password_confirmation: 'changed password',
  };
  await server.request('POST', '/v1/my/account/security/change-password', { token, body: change });
  expect((await reset(user.email, second, 'other password')).status).toBe(422);
  expect(await login(user, 'changed password')).toBe(200);
});

test('the user is notified of the new password', async () => {
  const { user } = await server.register('Notified');
  await reset(user.email, await receiveCode(user), 'noted password');
  const body = { email: user.email, password: 'noted password' };
  const { token } = (await server.request('POST', '/v1/auth/login', { body })).body.data;
  const { data } = (await server.request('GET', '/v1/my/account/notifications', { token })).body;
  expect(data).toMatchObject([
    { type: 'App\\Notifications\\PasswordChanged', data: { id: user.id, name: user.name }, read_at: null },
  ]);
});

test('a confirmation that differs is refused without using up a try', async () => {
  const { user } = await server.register('Typist');
  const code = await receiveCode(user);
  const body = { email: user.email, code, password: 'one password', password_confirmation: 'another' };
  for (let count = 0; count < 6; count += 1) {
    const answer = await server.request('POST', '/v1/auth/reset-password', { body });
    expect(answer.body.errors).toEqual({
      password_confirmation: ['The password confirmation field must match password.'],
    });
  }
  expect((await reset(user.email, code, 'one password')).status).toBe(200);
});

test.each([
  ['Ada', 'Hello Ada,'],
  ['J. R. Harbour', 'Hello J. R. Harbour,'],
  ['Visit http://evil', 'Hello,'],
  ['See evil.example', 'Hello,'],
  ['Ada,\n\nYour account is closed.\u2028Bye', 'Hello Ada, Your account is closed. Bye,'],
  ['Write to us, or your account will be closed by the end of this day', 'Hello,'],
])('a mail to %j begins with %j', async (name, greeting) => {
  const { user } = await server.register('Greeted');
  await server.query('update users set name = $2 where id = $1', [user.id, name]);
  await receiveCode(user);
  const [mail] = await readMails(user.email);
  expect(mail!.split('\n\n')[1]).toBe(greeting);
});

test('mails can be read by the account of the server only', async () => {
  const { user } = await server.register('Private');
  await receiveCode(user);
  expect((await stat(mailFolder())).mode & 0o777).toBe(0o700);
  for (const name of await readdir(mailFolder())) {
    expect((await stat(join(mailFolder(), name))).mode & 0o777).toBe(0o600);
  }
});
