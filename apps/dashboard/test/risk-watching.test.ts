/** From when on the page Risk says that a terminal is not watched. */
import { expect, test } from 'vitest';
import { isStarting } from '../src/pages/risk/reasons.ts';

const AT = '2026-11-30T12:00:00.000Z';
const after = (seconds: number): number => Date.parse(AT) + seconds * 1000;
const unreported = { is_watched: false, blind: null, used: null };

test.each([
  ['just after the rule was created', unreported, 2, true],
  ['a minute later', unreported, 60, false],
  ['when its host says why it cannot', { ...unreported, blind: 'no_numbers' as const }, 2, false],
  ['when its host is silent after it had reported', { ...unreported, used: '1.00' }, 2, false],
  ['when it is watched', { ...unreported, is_watched: true }, 2, false],
])('a terminal is starting to be watched only while its host has the rule anew: %s', (_, state, seconds, expected) => {
  expect(isStarting(state, { updated_at: AT }, after(seconds))).toBe(expected);
});
