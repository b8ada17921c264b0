/** That every command of the pages that a reader follows is run by the suite, or says why it cannot be. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listPagesToFollow, readBlocks, readRun, type PageBlock } from './page-blocks.ts';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

/** Who runs blocks → the test that does. */
const runners: Record<string, string> = {
  quickstart: 'test/e2e/pages.test.ts',
  guide: 'test/e2e/pages.slow.test.ts',
  operator: 'test/e2e/operator-pages.slow.test.ts',
  proxy: 'test/operations/proxies.ts',
  host: 'test/wine/host-page.slow.test.ts',
  machine: 'test/operations/installed-host.slow.test.ts',
};

const toPlace = ({ page, line }: PageBlock): string => `${page}:${line}`;
const listCommands = (pages: string[]): PageBlock[] =>
  pages.flatMap(readBlocks).filter(({ language }) => ['sh', 'bash', 'shell', 'sql', 'bat'].includes(language));
const commands = listCommands(listPagesToFollow());
/** Those of the pages about the insides too. */
const allCommands = listCommands(listTrackedFiles().filter((path) => path.endsWith('.md')));

/** What is wrong with how a block is marked; undefined for nothing. */
const findMistake = (block: PageBlock): string | undefined => {
  const run = readRun(block);
  if (run) return runners[run.by] === undefined ? `nobody runs "${run.by}"` : undefined;
  const [, reason] = /^not run: (.{20,})$/.exec(block.mark) ?? [];
  const [, test] = /^tested by: (\S+)$/.exec(block.mark) ?? [];
  if (reason !== undefined) return undefined;
  if (test !== undefined) return existsSync(join(rootDir, test)) ? undefined : `there is no ${test}`;
  return 'it has no mark that says how it is run';
};

it('commands in the pages are found', () => expect(commands.length).toBeGreaterThan(20));

it('commands in the pages are run, or say why they are not', () => {
  const wrong = allCommands.map((block) => [toPlace(block), findMistake(block)]).filter(([, mistake]) => mistake);
  expect(wrong).toEqual([]);
});

it('commands in the pages are run, most of them', () => {
  const left = commands.filter((block) => block.mark.startsWith('not run'));
  expect(left.map(toPlace).length).toBeLessThan(3);
});

it('commands in the pages have a test that runs them', () => {
  for (const test of new Set(Object.values(runners)))
    expect(readText(test)).toMatch(/readRun|listCommands|listOf|openPageVisit/);
});
