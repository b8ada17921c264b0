/** How hard a password is to guess, roughly. Pure. It brings the list of common ones with it: load it when it is needed. */
import { weakPasswords } from '@berth/contract/weak-passwords';

export type Strength = 'common' | 'short' | 'weak' | 'fair' | 'strong';

const MIN_LENGTH = 6;
/** In bits: below the first it is guessed by trying, from the second on by nobody. */
const [FAIR_BITS, STRONG_BITS] = [40, 60];

/** Kinds of characters, and how many there are of each. */
const alphabets: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^ -~]/, 100],
];

/** A character that repeats the one before it, or counts on from it, adds nothing: "aaaa", "4321". */
const countUnexpected = (text: string): number =>
  [...text].filter((letter, index, letters) => {
    const before = letters[index - 1];
    return before === undefined || Math.abs((letter.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0)) > 1;
  }).length;

export const toStrength = (password: string): Strength => {
  const text = password.normalize('NFKC');
  if (weakPasswords.has(text.toLowerCase())) return 'common';
  if (text.length < MIN_LENGTH) return 'short';
  const size = alphabets.reduce((sum, [kind, count]) => (kind.test(text) ? sum + count : sum), 0);
  const bits = countUnexpected(text) * Math.log2(size);
  if (bits < FAIR_BITS) return 'weak';
  return bits < STRONG_BITS ? 'fair' : 'strong';
};
