/** Figures with their unit are written the same everywhere. */
import { expect, test } from 'vitest';
import { toPercentText, withUnit } from '../src/parts/figure.tsx';
import { toBytesText } from '../src/parts/bytes.ts';

test('a percent sign follows its figure, any other unit a space that does not break', () => {
  expect(withUnit('−0.81', '%')).toBe('−0.81%');
  expect(withUnit('12', 'ms')).toBe('12\u00a0ms');
});

test('a percentage has no more decimals than are asked for, and none that are zero', () => {
  expect(toPercentText(26.6)).toBe('27%');
  expect(toPercentText(99.84, 1)).toBe('99.8%');
  expect(toPercentText(3, 2)).toBe('3%');
});

test('a size is written in the largest unit of which there is one, in steps of 1,024', () => {
  expect([0, 1023, 1536, 32 * 1024 ** 2].map(toBytesText)).toEqual(['0 B', '1,023 B', '1.5 kB', '32 MB']);
});
