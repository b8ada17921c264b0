import { expect, it } from 'vitest';
import { listTrackedFiles, readJson, readText } from './repository.ts';

const files = listTrackedFiles();
const countLines = (path: string): number => readText(path).split('\n').length - 1;

/** Made by a program, or legal text: they are not read from top to bottom. */
const unlimited = new Set([
  'package-lock.json',
  'bench/package-lock.json',
  'LICENSE',
  'apps/server/schema.sql',
  'docs/errors.md',
  'apps/server/src/api/docs/examples.json',
  // The whole schema: one table after another, none of which is long.
  'apps/server/migrations/000001_initial.sql',
]);

/** Limits of what the linter does not see, in lines. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/\.sql$/, 300],
  [/\.md$/, 500],
  [/\.(?:[ch](?:pp)?|mqh|mq[45])$/, 300],
  [/^(script|\.ci)\/[a-z-]+$/, 80],
  [/\.(json|css|html|yml|yaml)$/, 300],
];

const FORBIDDEN_NAME = /^(utils?|helpers?|common|misc|lib|managers?)$/;
const toWords = (path: string): string[] => path.split('/').flatMap((part) => part.toLowerCase().split(/[-_.]/));

it('files keep to their size, also where the linter does not look', () => {
  const large = files.flatMap((path) => {
    const limit = unlimited.has(path) ? undefined : limits.find(([pattern]) => pattern.test(path))?.[1];
    return limit !== undefined && countLines(path) > limit ? [`${path}: over ${limit} lines`] : [];
  });
  expect(large).toEqual([]);
});

it('files never switch the size rules of the linter off', () => {
  const sources = files.filter((path) => /\.(ts|tsx|js|mjs)$/.test(path));
  expect(sources.filter((path) => /eslint-disable[^\n]*\bmax-lines/.test(readText(path)))).toEqual([]);
});

it('files have names that say what is in them', () => {
  expect(files.filter((path) => toWords(path).some((word) => FORBIDDEN_NAME.test(word)))).toEqual([]);
});

it('files have names in kebab case', () => {
  const sources = files.filter((path) => /^(apps|packages|test|script|bench)\/.+\.(ts|tsx|mjs|c|h)$/.test(path));
  const odd = sources.filter((path) => path.split('/').some((part) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(part)));
  expect(odd).toEqual([]);
});

it('files leave nothing for later without saying what', () => {
  const sources = files.filter((path) => /\.(ts|tsx|mjs|sql|c|h)$/.test(path));
  const marks = new RegExp(`\\b(${['TO', 'DO|FIX', 'ME|XX', 'X'].join('')})\\b`);
  expect(sources.filter((path) => marks.test(readText(path)))).toEqual([]);
});

it('the list of packages names no registry but the public one', () => {
  const { packages } = readJson<{ packages: Record<string, { resolved?: string }> }>('package-lock.json');
  const urls = Object.values(packages).flatMap(({ resolved }) => (resolved?.includes('://') ? resolved : []));
  expect(urls.filter((url) => !url.startsWith('https://registry.npmjs.org/'))).toEqual([]);
  expect(files.filter((path) => path.endsWith('.npmrc'))).toEqual([]);
});
