/** What is promised about Node.js is what is asked for, built for, and tested. */
import { expect, it } from 'vitest';
import { readJson, readText } from './repository.ts';

const { engines } = readJson<{ engines: { node: string } }>('package.json');
const [, oldest = ''] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
const [, tested = ''] = /NODE_VERSIONS=\(([^)]+)\)/.exec(readText('script/test')) ?? [];
const versions = tested.split(' ');

it('the oldest Node.js that is promised is one that is tested, and the one that is asked for', () => {
  const [major, minor] = oldest.split('.');
  expect(versions[0]).toBe(oldest);
  expect(readText('script/setup')).toContain(`major < ${major} || (major == ${major} && minor < ${minor})`);
  expect(readText('script/bundles.mjs')).toContain(`target: 'node${major}'`);
});

it.each(['README.md', 'CONTRIBUTING.md'])('%s names the versions that are tested', (path) => {
  const sentence = `${versions.slice(0, -1).join(', ')} and ${versions.at(-1)}`;
  expect(readText(path).replaceAll('\n', ' ')).toContain(sentence);
  expect(versions.length).toBeGreaterThan(1);
});
