import { expect, it, describe } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

const KEY = /\bBERTH_[A-Z][A-Z_]*[A-Z]\b/g;
const files = listTrackedFiles();

const findKeys = (paths: readonly string[]): Set<string> =>
  new Set(paths.flatMap((path) => readText(path).match(KEY) ?? []));

const sources = files.filter((path) => /^(apps|packages)\/[^/]+\/src\/.+\.ts$/.test(path));
const manuals = files.filter(
  (path) => path === 'README.md' || /^docs\/(hosts|operating|platforms\/.+)\.md$/.test(path),
);
const pages = files.filter((path) => path.endsWith('.md'));

const toMissing = (wanted: Set<string>, present: Set<string>) => [...wanted].filter((key) => !present.has(key)).sort();

describe('every variable of the environment', () => {
  const inCode = findKeys(sources);

  it('that the programs read is explained in the README, in docs/operating.md, docs/hosts.md or on the page of its platform', () => {
    expect(inCode.size).toBeGreaterThan(20);
    expect(toMissing(inCode, findKeys(manuals))).toEqual([]);
  });

  it('that a page mentions is read by a program, or by the suite', () => {
    const inSuite = findKeys(files.filter((path) => /^test\/.+\.ts$/.test(path)));
    expect(toMissing(findKeys(pages), new Set([...inCode, ...inSuite]))).toEqual([]);
  });
});
