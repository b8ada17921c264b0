import { toPlainSentence } from '@berth/contract/values';

const MAX_LINES = 20;
const MAX_CHARACTERS = 200;

/** A step's list of unknown files and lines, which were left as they are; nothing where there are none. */
export const toNotUnderstood = (lines: readonly string[]): { not_understood?: string[] } =>
  lines.length === 0
    ? {}
    : { not_understood: lines.slice(0, MAX_LINES).map((line) => toPlainSentence(line, MAX_CHARACTERS)) };

/** "1 chart", "2 charts". */
export const countWords = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
