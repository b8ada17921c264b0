/** What a form says of a new password. */
import { expect, test } from 'vitest';
import { toStrength } from '../src/data/password-strength.ts';

test.each([
  ['PassWord1', 'common'],
  ['\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44', 'common'],
  ['x7!q', 'short'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['23456789abcdefgh', 'weak'],
  ['seagulls', 'weak'],
  ['Harbour-9', 'fair'],
  ['correct horse', 'strong'],
  ['пароль на каждый день', 'strong'],
])('the password %s is %s', (password, strength) => {
  expect(toStrength(password)).toBe(strength);
});
