/**
 * Errors that end an MQL program. Only the EAs' log has them; the journal says nothing of them, not even `removed`: the
 * program stays on its chart and never runs again. The terminal itself writes them, as warnings or errors. What a
 * program prints has level 0, whatever its text.
 */
import type { JournalLine } from './journal-line.ts';

/** `unresolved import function call` follows `cannot load 'x.dll'` and `cannot find 'f' in 'x.dll'`. */
const FATAL = new RegExp(
  [
    'zero divide',
    'array out of range',
    'invalid pointer access',
    'incorrect casting of pointers',
    'unresolved import function call',
    'stack overflow',
    '(?:out of|not enough) memory (?:in|for)',
    'not initialized',
    'access violation',
    'unhandled exception',
  ]
    .map((text) => `^${text}\\b`)
    .join('|'),
  'i',
);

/** @param text the line without the program's name and place */
export const isFatal = ({ level }: Pick<JournalLine, 'level'>, text: string): boolean => level > 0 && FATAL.test(text);
