/** What pages state of the programs, held to the programs: numbers, codes, texts, types, migrations, and that no page is lost. */
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import {
  errorTable,
  findTaskRefusal,
  LEASE_MS,
  MAX_BULK_TERMINALS,
  MAX_FILE_BYTES,
  MAX_PROJECTS,
  MAX_TOKENS,
  QUEUED_DEADLINE_MS,
  stepCodes,
  taskCatalogue,
  TaskType,
  TerminalStatus,
  tradingReasons,
} from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

const toWords = (text: string): string => text.replace(/\s+/g, ' ');
const MEBIBYTE = 1024 * 1024;
const grouped = (value: number): string => value.toLocaleString('en-US');

describe('numbers in the pages are those of the contract', () => {
  it.each([
    ['docs/troubleshooting.md', `The account has ${grouped(MAX_TOKENS)} tokens`],
    ['docs/troubleshooting.md', `The account has ${grouped(MAX_PROJECTS)} projects`],
    ['docs/interface.md', `An account has at most ${grouped(MAX_TOKENS)} tokens`],
    ['docs/interface.md', `an account has at most ${grouped(MAX_PROJECTS)}`],
    ['docs/guides/experts.md', `up to ${MAX_BULK_TERMINALS} terminals`],
    ['docs/interface.md', `up to ${MAX_BULK_TERMINALS} terminals`],
    ['docs/guides/behind-a-proxy.md', `Take bodies of ${MAX_FILE_BYTES / MEBIBYTE} MiB`],
    ['docs/guides/behind-a-proxy.md', `client_max_body_size ${MAX_FILE_BYTES / MEBIBYTE}m;`],
    ['docs/concepts.md', `nothing is heard of the host for ${LEASE_MS / 1000} s`],
    ['docs/operating.md', `given up when their lease ends (${LEASE_MS / 1000} s)`],
    ['docs/interface.md', QUEUED_DEADLINE_MS === 3_600_000 ? 'not taken by a host within an hour' : 'another time'],
  ])('%s says: %s', (page, claim) => expect(toWords(readText(page))).toContain(claim));
});

describe('docs/troubleshooting.md', () => {
  const page = readText('docs/troubleshooting.md');

  it.each(stepCodes)('has a cause and a remedy for %s', (code) => {
    const cells = new RegExp(`^\\| \`${code}\` +\\| ([^|]+)\\| ([^|]+)\\|$`, 'm').exec(page)?.slice(1) ?? [];
    expect(cells.map((cell) => cell.trim().length > 10)).toEqual([true, true]);
  });

  it('has every text with which a task is refused', () => {
    const { FAILED, DESTROYING } = TerminalStatus;
    for (const [status, type] of [
      [FAILED, TaskType.SCREENSHOT],
      [DESTROYING, TaskType.SCREENSHOT],
      [TerminalStatus.ACTIVE, TaskType.TERMINAL_INSTALL],
    ] as const) {
      expect(page).toContain(`| ${findTaskRefusal(status, type)} `);
    }
  });

  it('leads to the page of errors, which has them all', () => {
    expect(page).toContain('(errors.md)');
    for (const code of Object.keys(errorTable)) expect(readText('docs/errors.md')).toContain(`\`${code}\``);
  });

  /** Where the reasons of terminals are written, and what stands before them. */
  const sources = [
    'apps/agent/src/platforms/metatrader/run/terminal-view.ts',
    'apps/agent/src/platforms/metatrader/run/observations.ts',
    'apps/agent/src/terminals/terminal-observations.ts',
    'apps/server/src/lifecycle/create-terminal.ts',
    'apps/server/src/lifecycle/waiting.ts',
    'apps/server/src/terminals/move-statements.ts',
  ];
  const REASON = /(?:[rR]eason|REASON|WIPED|toPassedPin|text)\b[^'"`;]{0,140}?['"`]((?:[A-Z]|\$\{)[^'"`]{15,})['"`]/g;
  const reasons = sources.flatMap((path) =>
    [...readText(path).matchAll(REASON)].map(([, text = '']) => {
      const [sentence = ''] = text.replace(/\$\{[^}]*\}/g, '…').split(/(?<=[.)])\s/);
      return sentence.trim();
    }),
  );

  it('is held to at least a dozen reasons', () => expect(reasons.length).toBeGreaterThan(11));
  it.each(reasons)('explains the reason: %s', (reason) => expect(toWords(page)).toContain(reason));
});

describe('docs/operating.md', () => {
  const sources = listTrackedFiles().filter((path) => /^apps\/server\/src\/.+\.ts$/.test(path));
  const count = (pattern: RegExp): number =>
    sources.reduce((sum, path) => sum + [...readText(path).matchAll(pattern)].length, 0);

  it.each(['operating', 'guides/two-servers'])(
    'docs/%s.md says how many connections to PostgreSQL a server takes',
    (page) => {
      const transactions = Number(/poolSize = (\d+)/.exec(readText('apps/server/src/db/database.ts'))?.[1]);
      const slow = Math.ceil(transactions / 2);
      const writes = count(/\.createLane\('/g);
      const reads = count(/this\.#createPipeline\((?:''|STATEMENT_TIMEOUT)\)/g);
      expect([transactions, reads]).toEqual([8, 2]);
      const all = transactions + slow + writes + reads + 1;
      expect(toWords(readText(`docs/${page}.md`))).toContain(`Each server takes up to ${all} connections`);
      const parts = `${transactions} for transactions, ${slow} for slow statements, ${writes} for streams of writes, ${reads} for reads`;
      expect(toWords(readText('docs/operating.md'))).toContain(parts);
    },
  );
});

describe('docs/faq.md', () => {
  it.each(tradingReasons)('says what to do about %s', (reason) =>
    expect(readText('docs/faq.md')).toMatch(new RegExp(`^\\| \`${reason}\` +\\| \\S`, 'm')),
  );
});

describe('docs/guides/restarts.md', () => {
  it.each(Object.values(taskCatalogue))('has a row for $name', ({ type, name }) =>
    expect(readText('docs/guides/restarts.md')).toMatch(new RegExp(`^\\| ${type} ${name} +\\| \\S`, 'm')),
  );
});

describe('docs/upgrade-notes.md', () => {
  const migrations = readdirSync(join(rootDir, 'apps/server/migrations')).map((name) => name.slice(0, 6));
  it.each(migrations)('has a row for the migration %s', (number) =>
    expect(readText('docs/upgrade-notes.md')).toMatch(new RegExp(`^\\| ${number} +\\| \\S`, 'm')),
  );
});

describe('docs/README.md', () => {
  it('leads to every page', () => {
    const index = readText('docs/README.md');
    const linked = [...index.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => posix.join('docs', link));
    const pages = listTrackedFiles().filter(
      (path) => /^docs\/.*\.md$/.test(path) && !path.startsWith('docs/decisions/'),
    );
    expect(pages.filter((path) => path !== 'docs/README.md' && !linked.includes(path))).toEqual([]);
  });
});

describe('links to a part of a page', () => {
  const toAnchor = (heading: string): string =>
    heading
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');

  it('lead to a heading', () => {
    const pages = listTrackedFiles().filter((path) => path.endsWith('.md'));
    const anchors = new Map(
      pages.map((path) => [
        path,
        [...readText(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading)),
      ]),
    );
    const broken = pages.flatMap((path) =>
      [...toWords(readText(path)).matchAll(/\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)/g)]
        .filter(([, target = '', anchor = '']) => {
          const page = target === '' ? path : posix.join(posix.dirname(path), target);
          return !(anchors.get(page) ?? []).includes(anchor);
        })
        .map(([link]) => `${path}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});
