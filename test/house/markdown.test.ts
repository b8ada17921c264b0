import { expect, it } from 'vitest';
import { toProse } from './page-blocks.ts';
import { listTrackedFiles, readText } from './repository.ts';

/** Words that readers stumble over, and what to say instead. */
const banned: readonly [RegExp, string][] = [
  [/\bheed(s|ed|ing)?\b/i, 'follow, honour'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair, correct'],
  [/\bshall\b/i, 'must, should, is to'],
  [/\bin vain\b/i, 'say what failed'],
  [/\bbelongs? into\b/i, 'belong in'],
  [/\bin earnest\b/i, 'for real'],
  [/\b(tells?|told|telling) of\b/i, 'report, say, notify'],
  [/\bpolitely\b/i, 'cleanly'],
  [/\bmodel of threats\b/i, 'threat model'],
  [/\b(falls?|fell|fallen) silent\b/i, 'go offline'],
  [/\bwhat came of (it|them)\b/i, 'result'],
  [/\bputs? away\b/i, 'dismiss'],
];

const MAX_COLUMNS = 120;

const isTableRow = (line: string): boolean => /^\s*\|.*\|\s*$/.test(line);

/** One link, image or bare address with nothing beside it but the mark of a list: it cannot be wrapped. */
const isOneLink = (line: string): boolean => /^\s*([-*] )?(!?\[[^\]]*\]\(\S+\)|<?https?:\/\/\S+)[.,;:]?$/.test(line);

/** One text of JSON, or one event of a stream: neither can be wrapped. */
const isOneValue = (line: string): boolean => /^\s*"\w+": "[^"]*",?$|^data: \{\S+\}$/.test(line);

/** Examples and drawings in blocks of code count like all other lines: nobody scrolls sideways to read. */
const listLongLines = (path: string, text: string): string[] =>
  text.split('\n').flatMap((line, index) => {
    const columns = [...line].length;
    const isWhole = isTableRow(line) || isOneLink(line) || isOneValue(line);
    return columns <= MAX_COLUMNS || isWhole ? [] : [`${path}:${index + 1}: ${columns}`];
  });

/** Sources that a page names: by their path from the root, or by its end. */
const listNamedFiles = (text: string): string[] =>
  [...text.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9.-]+)+)\/?`/g)]
    .map(([, name = '']) => name)
    .filter((name) => /^(apps|packages|test|bench|docs|script)\/|\.ts$/.test(name));

it('pages of Markdown name files and folders that exist', () => {
  const files = listTrackedFiles().map((path) => `/${path}`);
  const isThere = (name: string) => files.some((path) => path.endsWith(`/${name}`) || path.startsWith(`/${name}/`));
  const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));
  const named = pages.flatMap((page) => listNamedFiles(readText(page)).map((name) => ({ page, name })));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
});

it('pages of Markdown use the words that a reader knows, as the texts of the dashboard do', () => {
  const files = listTrackedFiles().filter((path) => /\.md$|^apps\/dashboard\/src\/texts\//.test(path));
  const found = files.flatMap((path) => {
    const text = readText(path);
    const prose = (path.endsWith('.md') ? toProse(text) : text).replaceAll(/\s+/g, ' ');
    return banned.flatMap(([word, better]) => {
      const [match] = word.exec(prose) ?? [];
      return match === undefined ? [] : [`${path}: "${match}": ${better}`];
    });
  });
  expect(files).toContain('apps/dashboard/src/texts/en/terminals.ts');
  expect(found).toEqual([]);
});

it('pages of Markdown fit into 120 columns, except for tables and lines that are one link', () => {
  const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));
  expect(pages).toContain('docs/architecture.md');
  expect(pages.flatMap((path) => listLongLines(path, readText(path)))).toEqual([]);
});

it('pages of Markdown are read as they stand: prose, lists and code count, tables and single links do not', () => {
  const word = 'x'.repeat(118);
  const counted = [
    `${word}  y`,
    `- ${word} `,
    `${word} | y`,
    `see https://a.example/${word}`,
    `"a": "b", "c": "${word}"`,
    `    ${word}`,
  ];
  const exempt = [
    `| ${word} | y |`,
    `- [${word}](https://a.example/)`,
    `https://a.example/${word}`,
    'é'.repeat(120),
    `  "msg": "${word}",`,
  ];
  expect(counted.filter((line) => listLongLines('page.md', line).length === 0)).toEqual([]);
  expect(exempt.filter((line) => listLongLines('page.md', line).length > 0)).toEqual([]);
});
