import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

/** Applied migrations never change, not even their comments. */
const isWritten = (path: string): boolean =>
  /\.(ts|mjs|md)$/.test(path) && path !== 'test/house/rates.test.ts' && !path.includes('/fixtures/');

const RATE =
  /\b(?:\d+|once|twice|times|requests|tasks|bytes|[kMG]B|[mµ]s) an? (?:second|minute|hour|day|page|task|host)\b/gi;
const CONSTANT = /\b[A-Z][A-Z0-9]*_(?:[A-Z0-9]+_)*AN?_[A-Z0-9_]+\b/g;

const listRates = (text: string): string[] =>
  [...text.matchAll(RATE), ...text.matchAll(CONSTANT)].map(([rate]) => rate);

describe('rates', () => {
  it('are "per" something, in prose and in names of constants', () => {
    const found = listTrackedFiles()
      .filter(isWritten)
      .flatMap((path) => listRates(readText(path)).map((rate) => `${path}: ${rate}`));
    expect(found).toEqual([]);
  });

  it('are told from what only looks like one', () => {
    expect(
      ['60 a minute', 'once a second', '15 kB a host', 'MAX_HOSTS_A_BATCH', 'KEYS_AN_HOUR'].map(listRates),
    ).toEqual([['60 a minute'], ['once a second'], ['kB a host'], ['MAX_HOSTS_A_BATCH'], ['KEYS_AN_HOUR']]);
    expect(['placed once a terminal ends', 'half a second', 'A_LONG_NAME', 'HALF_AS_A'].flatMap(listRates)).toEqual([]);
  });
});
