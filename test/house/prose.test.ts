/**
 * How pages are written: words that say nothing, a word twice in a row, and sentences that are too long to be read once. Code,
 * tables and addresses are not prose. The spelling has a test of its own.
 */
import { describe, expect, it } from 'vitest';
import { toProse } from './page-blocks.ts';
import { listTrackedFiles, readText } from './repository.ts';

/** What a reader does not need, or has to read twice. */
const phrases: [RegExp, string][] = [
  [/\b(obviously|of course|needless to say|please note)\b/i, 'leave it out'],
  [/\bin order to\b/i, 'to'],
  [/\butili[sz]e[sd]?\b/i, 'use'],
  [/\b(e\.g\.|i\.e\.|etc\.|resp\.)/i, 'write it out'],
  [/\bdependant\b/i, 'dependent; the dictionary knows the person'],
  [/\bis no error\b/i, 'say what it is'],
  [/\bwhoever\b/i, 'name the person or the program'],
  [/\bsaid again by itself\b/i, 'say who repeats it, and when'],
  [/\banswers what it answered\b/i, 'say what the answer is'],
  [/\banother request with it\b/i, 'say which request'],
  [/\bwhoever has not said who\b/i, 'name who sends it'],
  [/\bis told once, until another\b/i, 'say when it is told'],
  [/\b(is|are) told apart\b/i, 'say where it stands'],
  [/\bthe (former|latter)\b/i, 'name it again'],
  [/\b(hence|thus|thereby|moreover|whereby)\b/i, 'so, or a sentence of its own'],
  [/\b(vice versa|respectively)\b/i, 'write both out'],
];

const MAX_WORDS = 30;

/** Paragraphs and items of lists as one line each, without code, tables, headings and addresses. */
const toParagraphs = (markdown: string): string[] =>
  toProse(markdown)
    .replace(/^\s*\|.*\|\s*$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)/)
    .map((part) =>
      part
        .replace(/^\s*([-*>]|\d+\.)\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part !== '' && !part.startsWith('#'));

/** A sentence may begin with a figure or with code, and end in bold. */
const toSentences = (paragraph: string): string[] =>
  paragraph.split(/(?<=[.!?:;]\**)\s+(?=["“*A-Z(\d]|code\b)|\s+·\s+/);

const listMistakes = (path: string, markdown: string): string[] => {
  return toParagraphs(markdown).flatMap((paragraph) => {
    const empty = phrases.flatMap(([pattern, advice]) => {
      const found = pattern.exec(paragraph);
      return found ? [`"${found[0]}": ${advice}`] : [];
    });
    const twice = /\b(the|a|an|of|to|is|in|and|for|it|or|with) \1\b/i.exec(paragraph);
    const long = toSentences(paragraph).filter((sentence) => sentence.split(/\s+/).length > MAX_WORDS);
    return [
      ...empty,
      ...(twice ? [`"${twice[0]}"`] : []),
      ...long.map((text) => `over ${MAX_WORDS} words: ${text}`),
    ].map((mistake) => `${path}: ${mistake}`);
  });
};

describe('prose', () => {
  it('says something, and can be read once', () => {
    const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));
    expect(pages).toContain('docs/quickstart.md');
    expect(pages.flatMap((path) => listMistakes(path, readText(path)))).toEqual([]);
  });

  it('is read as it stands: mistakes are found in paragraphs and lists, and not in code, tables and links', () => {
    const long = `${'word '.repeat(33)}end.`;
    const found = ['It is dependant.', 'Look at the the page.', '- Do this, e.g. now.', long, 'A refusal is no error.'];
    const none = ['`the the`', '| the the |', '```\nthe the\n```', 'One. '.repeat(40), '[it](https://the.the.example)'];
    expect(found.filter((text) => listMistakes('docs/faq.md', text).length !== 1)).toEqual([]);
    expect(none.filter((text) => listMistakes('docs/faq.md', text).length > 0)).toEqual([]);
  });
});
