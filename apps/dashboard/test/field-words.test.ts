/** What a form says about its fields. */
import { expect, test } from 'vitest';
import { toFieldWords } from '../src/data/field-words.ts';

test.each([
  ['Trading server', 'The server name field is required.', 'Trading server is required.'],
  ['Region', 'The selected region is invalid.', 'Region is invalid.'],
  ['Symbol', 'The payload.symbol field must be a string.', 'Symbol must be a string.'],
  ['Name', 'Use at least 3 characters.', 'Use at least 3 characters.'],
])('an error speaks of the field %s by its label, and of nothing else differently: %s', (label, error, words) => {
  expect(toFieldWords(label, error)).toBe(words);
});
