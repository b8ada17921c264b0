/** Words of the pages and of the dashboard are those of a British dictionary, or stand in `words.txt`. */
import dictionary from 'dictionary-en-gb';
import nspell from 'nspell';
import { describe, expect, it } from 'vitest';
import { toProse } from './page-blocks.ts';
import { listTrackedFiles, readText } from './repository.ts';

const speller = nspell({ aff: Buffer.from(dictionary.aff), dic: Buffer.from(dictionary.dic) });
const own = readText('test/house/words.txt').trim().split('\n');
const ownWords = new Set(own);

/** What a page of the dashboard says stands in literals, with code in between. */
const toTexts = (source: string): string =>
  [...source.matchAll(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g)].map(([text]) => text.replace(/\$\{[^}]*\}/g, ' ')).join('\n');

/** Names with a capital inside are names of things. */
const isName = (word: string): boolean => /.[A-Z]/.test(word);

const listUnknown = (prose: string): string[] => {
  // An address is not made of words, and the end of a file's name is none.
  const text = prose.replace(/https?:\S+/g, '').replaceAll('’', "'");
  const words = text.match(/(?<![.\w])[A-Za-z]+(?:'[a-z]+)?/g) ?? [];
  const isKnown = (word: string): boolean => [word, word.toLowerCase()].some((one) => speller.correct(one));
  return words
    .map((word) => word.replace(/'s$/, ''))
    .filter((word) => word.length > 1 && !isName(word) && !ownWords.has(word.toLowerCase()) && !isKnown(word));
};

const texts = listTrackedFiles()
  .filter((path) => /\.md$|^apps\/dashboard\/src\/texts\/en\/.*\.ts$/.test(path))
  .map((path) => ({ path, prose: (path.endsWith('.md') ? toProse : toTexts)(readText(path)) }));

describe('spelling', () => {
  it.each(texts)('of $path is right', ({ prose }) => {
    expect([...new Set(listUnknown(prose))]).toEqual([]);
  });

  it('is looked at: in paragraphs, tables and literals, not in code and addresses', () => {
    expect(listUnknown(toProse('You recieve | colour | the color.'))).toEqual(['recieve', 'color']);
    expect(listUnknown(toTexts("const recieve = 'You recieve it.'"))).toEqual(['recieve']);
    expect(listUnknown(toProse('`recieve` [it](https://recieve.example)\n```sh\nrecieve\n```'))).toEqual([]);
  });

  it('has a list of words without one that nobody uses, in the order of the alphabet', () => {
    const used = new Set(texts.flatMap(({ prose }) => prose.toLowerCase().match(/[a-z]+/g) ?? []));
    expect(own.filter((word) => !used.has(word))).toEqual([]);
    expect(own).toEqual([...ownWords].sort());
  });
});
