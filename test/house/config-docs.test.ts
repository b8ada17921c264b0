/** Settings: that each is on the page of configuration, that no page names one which nobody reads, and that defaults are those of the programs. */
import { ConfigError } from '@berth/kit';
import { expect, it } from 'vitest';
import { readAgentConfig, readServerConfig } from '@berth/testing/config';
import { listTrackedFiles, readText } from './repository.ts';

const KEY = /\bBERTH_[A-Z][A-Z_]*[A-Z]\b/g;
const files = listTrackedFiles();
const page = readText('docs/configuration.md');

const findKeys = (texts: readonly string[]): Set<string> => new Set(texts.flatMap((text) => text.match(KEY) ?? []));

const sources = files.filter((path) => /^(apps|packages)\/[^/]+\/src\/.+\.ts$/.test(path));
const pages = files.filter((path) => path.endsWith('.md'));

const toMissing = (wanted: Set<string>, present: Set<string>) => [...wanted].filter((key) => !present.has(key)).sort();

const inCode = findKeys(sources.map(readText));

it('every variable of the environment that the programs read is explained in docs/configuration.md', () => {
  expect(inCode.size).toBeGreaterThan(20);
  expect(toMissing(inCode, findKeys([page]))).toEqual([]);
});

it('every variable of the environment that a page mentions is read by a program, or by the suite', () => {
  const inSuite = findKeys(files.filter((path) => /^test\/.+\.ts$/.test(path)).map(readText));
  expect(toMissing(findKeys(pages.map(readText)), new Set([...inCode, ...inSuite]))).toEqual([]);
});

const folders = { directory: '/agent', sandboxDist: '/sandbox', windowsDist: '/windows' };
const needed = { BERTH_SERVER_URL: 'https://berth.example.com', BERTH_SANDBOX_NETWORK: '/network' };
const onWine = { ...needed, BERTH_AGENT_PLATFORMS: 'mt5:wine' };

const programs: Record<string, (environment: Record<string, string>) => unknown> = {
  server: (environment) => readServerConfig(environment, '/data'),
  agent: (environment) => readAgentConfig({ ...needed, ...environment }, folders),
  'agent under Wine': (environment) => readAgentConfig({ ...onWine, ...environment }, folders),
};

/** Rows whose default is one value, and is said to be what the program does anyway. */
const findDefaults = (section: RegExp): { name: string; value: string }[] => {
  const text = section.exec(page)?.[0] ?? '';
  return [...text.matchAll(/^\| `(BERTH_\w+)` \| `([^`|]+)` \|/gm)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
};

const cases = [
  ...findDefaults(/\n## The server\n[^]*?(?=\n## )/).map((row) => ({ ...row, program: 'server' })),
  ...findDefaults(/\n## The agent\n[^]*?(?=\n### Terminals under Wine)/).map((row) => ({ ...row, program: 'agent' })),
  ...findDefaults(/\n### Terminals under Wine\n[^]*?(?=\n### )/).map((row) => ({
    ...row,
    program: 'agent under Wine',
  })),
];

it('the defaults in docs/configuration.md are looked at in all three tables', () =>
  expect(cases.length).toBeGreaterThan(20));

it.each(cases)('$name of the $program is $value', ({ name, value, program }) => {
  const read = programs[program]!;
  expect(read({ [name]: value })).toEqual(read({}));
});

it('the defaults in docs/configuration.md are not taken for what a program does not read: another value makes another configuration', () => {
  const unread = cases.filter(({ name, value, program }) => {
    const read = programs[program]!;
    const others = /^\d+$/.test(value)
      ? [String(Number(value) + 1)]
      : ['off', 'on', 'none', 'warn', 'other', '[{"name":"b"}]'];
    return others.every((other) => {
      try {
        return JSON.stringify(read({ [name]: other })) === JSON.stringify(read({}));
      } catch (error) {
        return !(error instanceof ConfigError);
      }
    });
  });
  expect(unread).toEqual([]);
});
