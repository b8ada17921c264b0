import { weakPasswords } from '@berth/contract/weak-passwords';
import { ValidationError } from '../errors.ts';
import { normalise } from './password-hash.ts';

/**
 * What a new password must fulfil besides its length: it is not what everybody tries first (NIST SP 800-63B). Case does
 * not count.
 * @param field that the refusal names
 */
export const assertUncommon = (field: string, password: string): void => {
  if (!weakPasswords.has(normalise(password).toLowerCase())) return;
  throw ValidationError.of(
    field,
    'This password is one of the most common ones, which are tried first. Choose another one.',
    'Several words in a row are easy to remember and hard to guess.',
  );
};
