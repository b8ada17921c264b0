/** What the form that installs an expert offers: files of earlier uploads, and inputs of a preset. */
import type { StoredFile } from '@berth/client';
import { expect, test } from 'vitest';
import { withInputs } from '../src/parts/expert/inputs.ts';
import { toExperts } from '../src/parts/expert/expert-choice.ts';

const toFile = (id: string, name: string, sha256: string): StoredFile => ({
  id,
  name,
  sha256,
  size: 1,
  type: 'application/octet-stream',
  created_at: '2026-11-29T12:00:00.000000Z',
});

test('the same expert uploaded four times is one file in the choice, and what is no expert is none', () => {
  const files = [
    toFile('4', 'Trend.ex5', 'aa'),
    toFile('3', 'Trend (1).ex5', 'aa'),
    toFile('2', 'screenshot.png', 'bb'),
    toFile('1', 'Trend.EX4', 'cc'),
    toFile('0', 'Trend.ex5', 'aa'),
  ];
  expect(toExperts(files).map(({ id }) => id)).toEqual(['4', '1']);
});

test('a preset changes the inputs that are there and adds the others, each with a key of its own', () => {
  const rows = [
    { key: -1, name: 'Lots', value: '0.10', isKnown: true },
    { key: 7, name: 'Magic', value: '1', isKnown: false },
  ];
  const taken = withInputs(rows, { Lots: '0.25', Note: 'a=b' });
  expect(taken.map(({ name, value }) => [name, value])).toEqual([
    ['Lots', '0.25'],
    ['Magic', '1'],
    ['Note', 'a=b'],
  ]);
  expect(new Set(taken.map(({ key }) => key)).size).toBe(3);
});
