import { createTestDatabase, type TestDatabase } from '@berth/testing';
import { createLogger } from '@berth/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureOperator } from '../src/accounts/operator.ts';
import { isPasswordOf } from '../src/accounts/passwords.ts';
import { createAccount } from '../src/accounts/users.ts';
import { findLogin } from '../src/accounts/credentials.ts';
import { PostgresAddress } from '../src/db/address.ts';
import { Database, sql } from '../src/db/database.ts';

const silently = async (): Promise<void> => undefined;

let database: TestDatabase;
let db: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  const log = createLogger({ name: 'test', level: 'error' });
  db = new Database({ address: new PostgresAddress(database.url, log), log });
});
afterEach(async () => {
  await db.close();
  await database.close();
});

test('the first start creates the operator with a password that works; the next start shows no password', async () => {
  const announced: unknown[] = [];
  const first = await ensureOperator(db, 'operator@berth.local', async (made) => void announced.push(made));
  expect(announced).toEqual([{ email: first.email, password: first.password }]);
  expect(first).toEqual({
    email: 'operator@berth.local',
    password: expect.stringMatching(/^[\w-]{24}$/),
    signInCode: expect.stringMatching(/^[0-9a-f-]{36}\.[A-Za-z0-9]{48}$/),
  });
  const login = await findLogin(db, first.email);
  expect(await isPasswordOf(first.password!, login?.password_hash)).toBe(true);
  expect(await ensureOperator(db, 'other@berth.local', silently)).toEqual({
    email: first.email,
    password: undefined,
    signInCode: undefined,
  });
});

test('an operator whose password could not be shown is not created, and the next start shows another one', async () => {
  const lost = () => Promise.reject(new Error('nobody listens'));
  await expect(ensureOperator(db, 'operator@berth.local', lost)).rejects.toThrow('nobody listens');
  expect(await findLogin(db, 'operator@berth.local')).toBeUndefined();
  expect((await ensureOperator(db, 'operator@berth.local', silently)).password).toBeDefined();
});

test('one of several servers that start together creates the operator', async () => {
  const operators = await Promise.all(
    Array.from({ length: 5 }, () => ensureOperator(db, 'operator@berth.local', silently)),
  );
  expect(operators.filter(({ password }) => password !== undefined)).toHaveLength(1);
  expect(await db.query(sql('operators', 'select name, is_operator from users'))).toEqual([
    { name: 'Operator', is_operator: true },
  ]);
  expect(await db.query(sql('projects', 'select name from projects'))).toEqual([{ name: 'Default project' }]);
});

test('an ordinary account is not promoted by its address', async () => {
  await db.transaction((tx) => createAccount(tx, { name: 'Ordinary', email: 'a@example.com', passwordHash: '-' }));
  await expect(ensureOperator(db, 'A@example.com', silently)).rejects.toThrow('BERTH_OPERATOR_EMAIL');
});

test('a stored hash is argon2id with 19 MiB, two passes and one lane', async () => {
  await ensureOperator(db, 'operator@berth.local', silently);
  const login = await findLogin(db, 'operator@berth.local');
  expect(login?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
