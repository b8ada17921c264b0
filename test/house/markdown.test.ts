import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

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

describe('pages of Markdown', () => {
  it('name files and folders that exist', () => {
    const files = listTrackedFiles().map((path) => `/${path}`);
    const isThere = (name: string) => files.some((path) => path.endsWith(`/${name}`) || path.startsWith(`/${name}/`));
    const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));
    const named = pages.flatMap((page) => listNamedFiles(readText(page)).map((name) => ({ page, name })));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });

  it('fit into 120 columns, except for tables and lines that are one link', () => {
    // The reference is made from the contract; its line of an answer is as long as the answer.
    const pages = listTrackedFiles().filter((path) => path.endsWith('.md') && path !== 'docs/reference.md');
    expect(pages).toContain('docs/architecture.md');
    expect(pages.flatMap((path) => listLongLines(path, readText(path)))).toEqual([]);
  });

  it('are read as they stand: prose, lists and code count, tables and single links do not', () => {
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
});
