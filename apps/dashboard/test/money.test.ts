/** Amounts are added, compared and written exactly; what is no amount has no sum. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare, minus, negate, round, sum, toPercent, toShare, toSign, toTyped } from '../src/data/decimal.ts';
import { formatDecimal } from '../src/parts/money/format.ts';
import { toCell, toCsv } from '../src/pages/terminal/trading/deals-csv.ts';

/** Cents as an amount. */
const toText = (cents: bigint): string => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

test('arithmetic is exact where floats are not', () => {
  expect(sum(['0.10', '0.20'])).toBe('0.30');
  expect(minus('100000000000000.01', '0.02')).toBe('99999999999999.99');
  expect(sum([])).toBe('0');
  expect(negate('-0.50')).toBe('0.50');
  expect(sum(['1.5', '-1.50'])).toBe('0.00');
});

test('arithmetic of any cents is the arithmetic of whole numbers', () => {
  const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 20 }), cents, (all, other) => {
      expect(sum(all.map(toText))).toBe(toText(all.reduce((total, one) => total + one, 0n)));
      const [first = 0n] = all;
      expect(Math.sign(compare(toText(first), toText(other)))).toBe(first > other ? 1 : first < other ? -1 : 0);
    }),
  );
});

test.each([undefined, null, '', 'NaN', '1e308', 'Infinity', '1.', '.5', '--1', '0x10', '1,5'])(
  'arithmetic: %s is no amount, and nothing is concluded from the others',
  (text) => {
    expect(sum(['1.00', text])).toBeUndefined();
    expect(minus(text, '1')).toBeUndefined();
    expect(toSign(text)).toBeUndefined();
    expect(formatDecimal(text)).toBeUndefined();
  },
);

test('arithmetic rounds half away from zero, and says nothing of a share of nothing', () => {
  expect([round('1.005', 2), round('-1.005', 2), round('1.0049', 2), round('2', 2)]).toEqual([
    '1.01',
    '-1.01',
    '1.00',
    '2.00',
  ]);
  expect(toPercent('-834.78', '103946.18')).toBe('-0.80');
  expect(toPercent('1', '0.00')).toBeUndefined();
  expect(toShare('3', '4')).toBe(0.75);
});

describe('what a person types', () => {
  test.each([
    ['250', '250'],
    [' 1 234,50 ', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1’000.5', '1000.5'],
    ['2,5', '2.5'],
  ])('%s is %s', (typed, amount) => expect(toTyped(typed)).toBe(amount));

  test.each(['', 'abc', '1,234', '1,2,3', '1.2.3', '12,34.5', '5 %', '1e3'])('%s is refused, not guessed', (typed) =>
    expect(toTyped(typed)).toBeUndefined(),
  );
});

test('an amount is shown with a real minus, a plus where it is a result, and all of its digits', () => {
  expect(formatDecimal('-1234567.80')).toMatch(/^−1\D?234\D?567\D80$/u);
  expect(formatDecimal('12.30', { isSigned: true })).toMatch(/^\+12\D30$/);
  expect(formatDecimal('-0.00', { isSigned: true })).toMatch(/^0\D00$/);
  expect(formatDecimal('9007199254740993.123456')?.replaceAll(/\D/g, '')).toBe('9007199254740993123456');
});

test.each(['=1+1', '+SUM(A1)', '-2+3', '@SUM', '\t=1', ' =1', '\ufeff=1', '＝1+1', '\r=1'])(
  'a file for a spreadsheet has no formula where a text was %j',
  (text) => expect(toCell(text).replace(/^"/, '')).toMatch(/^'/),
);

test.each(['-12.50', '+3', '0.10', '900719925474099312', 'EURUSD', 'Trend 2'])(
  'a file for a spreadsheet leaves %s as it is',
  (text) => expect(toCell(text)).toBe(text),
);

test('a file for a spreadsheet quotes what would begin another cell or line', () => {
  expect(
    toCsv(
      ['a', 'b'],
      [
        ['x, "y"', 'line\nbreak'],
        [null, 5],
      ],
    ),
  ).toBe('\ufeffa,b\r\n"x, ""y""","line\nbreak"\r\n,5\r\n');
});
