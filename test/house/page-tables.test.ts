/** Tables of the pages have a row for each code, type, reason and migration that there is. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  errorTable,
  findTaskRefusal,
  stepCodes,
  taskCatalogue,
  TaskType,
  TerminalStatus,
  tradingReasons,
} from '@berth/contract';
import { expect, it } from 'vitest';
import { readText, rootDir } from './repository.ts';

const rowOf = (cell: string): RegExp => new RegExp(`^\\| ${cell} +\\| \\S`, 'm');

it.each(stepCodes)('docs/troubleshooting.md has a cause and a remedy for %s', (code) =>
  expect(readText('docs/troubleshooting.md')).toMatch(
    new RegExp(`^\\| \`${code}\` +\\| [^|]{10,}\\| [^|]{10,}\\|$`, 'm'),
  ),
);

it('docs/troubleshooting.md has every text with which a task is refused', () => {
  const { ACTIVE, FAILED, DESTROYING } = TerminalStatus;
  for (const [status, type] of [
    [FAILED, TaskType.SCREENSHOT],
    [DESTROYING, TaskType.SCREENSHOT],
    [ACTIVE, TaskType.TERMINAL_INSTALL],
  ] as const) {
    expect(readText('docs/troubleshooting.md')).toContain(`| ${findTaskRefusal(status, type)} `);
  }
});

it.each(Object.keys(errorTable))('docs/errors.md has %s', (code) =>
  expect(readText('docs/errors.md')).toContain(`\`${code}\``),
);

it.each(tradingReasons)('docs/faq.md says what to do about %s', (reason) =>
  expect(readText('docs/faq.md')).toMatch(rowOf(`\`${reason}\``)),
);

it.each(Object.values(taskCatalogue))('docs/guides/restarts.md has a row for $name', ({ type, name }) =>
  expect(readText('docs/guides/restarts.md')).toMatch(rowOf(`${type} ${name}`)),
);

const migrations = readdirSync(join(rootDir, 'apps/server/migrations')).map((name) => name.slice(0, 6));
it.each(migrations)('docs/upgrade-notes.md has a row for the migration %s', (number) =>
  expect(readText('docs/upgrade-notes.md')).toMatch(rowOf(number)),
);
