/** What the dashboard advises after a failed step. */
import { expect, test } from 'vitest';
import { toStepAdvice } from '../src/parts/task/advice.ts';

test('advice about a failed step does not repeat what its message says', () => {
  const said = 'Harbour-Demo refused the login (Invalid account). Log in again with the correct login and password.';
  const rest = 'Failed logins are not retried automatically, so that the broker does not lock the account.';
  expect(toStepAdvice('E_AUTH', said)).toBe(rest);
  expect(toStepAdvice('E_AUTH', '')).toBe(`Log in again with the correct login and password. ${rest}`);
});
