import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weakPasswords } from '@berth/contract/weak-passwords';
import { waitFor, useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';

const server = useTestServer();

const TEXT = 'This password is one of the most common ones, which are tried first. Choose another one.';
const refusal = (field: string) => ({
  message: TEXT,
  errors: { [field]: [TEXT] },
  code: 'validation',
  hint: expect.any(String),
});

/** As they are on the list, in capitals, and in letters of full width. */
const COMMON = ['password', '123456', 'PassWord1', '\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44'];

const register = (email: string, password: string) =>
  server.request('POST', '/v1/auth/register', { body: { name: 'Common', email, password } });

test.each(COMMON)(
  'a registration with the common password %s is refused on its field, and takes no address',
  async (password) => {
    const email = `${Buffer.from(password).toString('hex')}@example.com`;
    const answer = await register(email, password);
    expect([answer.status, answer.body]).toEqual([422, refusal('password')]);
    expect((await register(email, `${password} of my own`)).status).toBe(200);
  },
);

test.each(COMMON)('a password is not changed to the common one %s, and no token is revoked', async (password) => {
  const { user, token } = await server.register('Changer');
  const body = { current_password: user.password, new_password: password, new_password_confirmation: password };
  const answer = await server.request('POST', '/v1/my/account/security/change-password', { token, body });
  expect([answer.status, answer.body]).toEqual([422, refusal('new_password')]);
  expect((await server.request('GET', '/v1/my/account/profile', { token })).status).toBe(200);
});

test('a reset to a common password is refused, uses up no try, and its code works with another password', async () => {
  const { user } = await server.register('Resetter');
  await server.request('POST', '/v1/auth/forgot-password', { body: { email: user.email } });
  const folder = join(server.dataDir, 'mail');
  const [name = ''] = await waitFor(async () => {
    const names = await readdir(folder).catch(() => []);
    return names.length > 0 ? names : undefined;
  });
  const code = await waitFor(
    async () => /[A-Z2-9]{5}-[A-Z2-9]{5}/.exec(await readFile(join(folder, name), 'utf8'))?.[0],
  );
  const reset = (password: string) =>
    server.request('POST', '/v1/auth/reset-password', {
      body: { email: user.email, code, password, password_confirmation: password },
    });
  // A code has five tries.
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const answer = await reset('letmein');
    expect([answer.status, answer.body]).toEqual([422, refusal('password')]);
  }
  expect((await reset('quite another one')).status).toBe(200);
});

test('somebody whose password is common since before the rule still signs in', async () => {
  const { user } = await server.register('Earlier');
  const hash = await server.services.passwords.hash('password');
  await server.query('update users set password_hash = $2 where email = $1', [user.email, hash]);
  const body = { email: user.email, password: 'password' };
  expect((await server.request('POST', '/v1/auth/login', { body })).status).toBe(200);
});

test('the list has only what the rule would compare: lower case, at least six characters', () => {
  expect(weakPasswords.size).toBe(3000);
  expect([...weakPasswords].filter((word) => word.length < 6 || word !== word.normalize('NFKC').toLowerCase())).toEqual(
    [],
  );
});
