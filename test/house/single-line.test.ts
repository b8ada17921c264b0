import { CONTROL_CHARACTERS } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

/** The set of characters as a source writes it. */
const findSets = (path: string): string[] =>
  [...readText(path).matchAll(/CONTROL_CHARACTERS = '([^']+)'/g)].map(([, set = '']) => set.replaceAll('\\\\', '\\'));

describe('what ends a line', () => {
  it('is the same set of characters for the sandbox as for all others', () => {
    expect(findSets('packages/contract/src/text.ts')).toEqual([CONTROL_CHARACTERS]);
    expect(findSets('apps/sandbox/src/wire/fields.ts')).toEqual([CONTROL_CHARACTERS]);
  });

  it('is written down nowhere else', () => {
    const sources = listTrackedFiles().filter((path) => /^(apps|packages)\/[^/]+\/src\/.+\.ts$/.test(path));
    const own = ['packages/contract/src/text.ts', 'apps/sandbox/src/wire/fields.ts'];
    // Lines of logs keep their tabs: the one set that differs on purpose.
    const others = sources.filter((path) => !own.includes(path) && !path.endsWith('/known-facts.ts'));
    expect(others.filter((path) => /\[[^\]\n]*\\u2028/.test(readText(path)))).toEqual([]);
  });
});
