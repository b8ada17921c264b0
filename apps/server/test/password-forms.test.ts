import { hash } from '@node-rs/argon2';
import { useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { isPasswordOf } from '../src/accounts/passwords.ts';

const server = useTestServer();

/** One password as three keyboards send it: letters of one character, of two, and those of full width. */
const COMPOSED = 'gr\u00f6\u00dferes caf\u00e9';
const DECOMPOSED = COMPOSED.normalize('NFD');
const WIDE = 'gr\u00f6\u00dferes\u3000\uff43\uff41\uff46\u00e9';

const login = async (email: string, password: string): Promise<number> =>
  (await server.request('POST', '/v1/auth/login', { body: { email, password } })).status;

test('a password of letters with accents is the same one in every form, from the registration on', async () => {
  for (const [place, password] of [COMPOSED, DECOMPOSED].entries()) {
    const email = `form-${place}@example.com`;
    await server.request('POST', '/v1/auth/register', { body: { name: 'Former', email, password } });
    for (const form of [COMPOSED, DECOMPOSED, WIDE]) expect(await login(email, form)).toBe(200);
    expect(await login(email, `${COMPOSED}.`)).toBe(422);
  }
});

test('a password is changed with any form of the current one, and to no other form of it', async () => {
  const email = 'changer@example.com';
  const body = { name: 'Changer', email, password: COMPOSED };
  const { token } = (await server.request('POST', '/v1/auth/register', { body })).body.data;
  const change = (passwords: object) =>
    server.request('POST', '/v1/my/account/security/change-password', { token, body: passwords });
  const same = { current_password: COMPOSED, new_password: DECOMPOSED, new_password_confirmation: DECOMPOSED };
  expect((await change(same)).body.errors).toEqual({ new_password: [expect.stringContaining('must be different')] });
  const [wanted, confirmed] = ['\u00fcbermorgen', 'u\u0308bermorgen'];
  const other = { current_password: DECOMPOSED, new_password: wanted, new_password_confirmation: confirmed };
  expect((await change(other)).status).toBe(200);
  expect(await login(email, confirmed)).toBe(200);
});

test('a password that was stored as it was typed is still taken in that form', async () => {
  const stored = await hash(DECOMPOSED, { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 });
  expect(await isPasswordOf(DECOMPOSED, stored)).toBe(true);
  expect(await isPasswordOf(`${DECOMPOSED}.`, stored)).toBe(false);
  expect(await isPasswordOf(DECOMPOSED, undefined)).toBe(false);
});
