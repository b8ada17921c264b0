import { findExpertFault, findSymbolFault } from '@berth/contract/values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findChartBlock, toChartText } from '../src/platforms/metatrader/files/chart-text.ts';
import { mt4Charts } from '../src/platforms/metatrader/files/mt4-charts.ts';
import { mt5Charts } from '../src/platforms/metatrader/files/mt5-charts.ts';
import { findJournalEvent, withoutFolder } from '../src/platforms/metatrader/journal/journal-events.ts';
import { findMt4Event } from '../src/platforms/metatrader/journal/mt4-events.ts';
import { isSamePlace } from '../src/platforms/metatrader/run/expert-roster.ts';
import { isExpertCalled } from '../src/platforms/metatrader/tasks/select-charts.ts';
import { createChartBlock, toChart, toInputTexts } from '../src/platforms/metatrader/files/charts.ts';

const toName = (isRight: (text: string) => boolean, pieces: readonly string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 4 })), {
      minLength: 1,
      maxLength: 5,
    })
    .map((parts) => parts.join(''))
    .filter(isRight);
/** What the service takes as names, with much of what files and journals use as separators. */
const symbols = toName(
  (text) => findSymbolFault(text) === undefined,
  ['EURUSD', ' (1s)', '.£', ',H1', '=', ';', '™', '[x]'],
);
const experts = toName(
  (text) => findExpertFault(text) === undefined,
  ['New [EA] Sniper', 'Mine\\', ' (EURUSD,H1)', "Trader's & Friends", '~', '='],
);

const period = 'H1' as const;
const toFiles = (form: typeof mt5Charts, name: string, symbol: string) => {
  const expert = {
    name: form.toExpertName(name),
    path: form.toExpertPath(name),
    allowsAlgoTrading: true,
    allowsDll: false,
    inputs: toInputTexts({ 'RSI.Price': 1, 'Risk %': '0.5' }),
  };
  return { expert, text: toChartText(createChartBlock(form, { id: '1', symbol, period, expert })) };
};

describe.each([
  ['MetaTrader 5', mt5Charts],
  ['MetaTrader 4', mt4Charts],
])('on %s, an expert and a symbol of any allowed name', (_program, form) => {
  test('an expert and a symbol of any allowed name are found again in the chart that was written for them', () => {
    fc.assert(
      fc.property(experts, symbols, (name, symbol) => {
        const { expert, text } = toFiles(form, name, symbol);
        const chart = toChart(form, findChartBlock(text)!);
        expect(chart).toMatchObject({ symbol, period, expert });
        expect(isExpertCalled(chart.expert!, name)).toBe(true);
      }),
    );
  });
});

test('an expert below a folder is called by its path, or by its name alone, and by no other path', () => {
  const chart = { ...toFiles(mt5Charts, 'Mine\\Trend', 'EURUSD').expert };
  expect(chart).toMatchObject({ name: 'Trend', path: 'Experts\\Mine\\Trend.ex5' });
  const called = ['Mine\\Trend', 'Trend', 'Yours\\Trend', 'Mine', 'ine\\Trend'].map((name) =>
    isExpertCalled(chart, name),
  );
  expect(called).toEqual([true, true, false, false, false]);
});

test('the lines that a journal writes of an expert and a symbol of any allowed name are those of its place', () => {
  fc.assert(
    fc.property(experts, symbols, (name, symbol) => {
      const place = { name, symbol, period };
      const alone = withoutFolder(name);
      const messages = [
        findJournalEvent({ message: `expert ${alone} (${symbol},H1) loaded successfully` }),
        findMt4Event({ message: `Expert ${name} ${symbol},H1: loaded successfully` }),
        findMt4Event({ message: `Expert ${alone} ${symbol},H1: removed` }),
      ];
      for (const event of messages) expect(event && 'name' in event && isSamePlace(event, place)).toBe(true);
    }),
  );
});

test('a number of an input is written with the digits that it has', () => {
  const inputs = { a: 1.5e-17, b: 123456789.125, c: -5e-324, d: 1e21, e: '123456789012345678' };
  expect(toInputTexts(inputs)).toMatchObject({
    a: '0.000000000000000015',
    b: '123456789.125',
    d: '1000000000000000000000',
    e: '123456789012345678',
  });
  expect(Number(toInputTexts(inputs).c)).toBe(-5e-324);
});

test('a number of an input that is read again is the same number, whatever it is, and has no exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = toInputTexts({ number }).number!;
      expect(text).not.toMatch(/e/i);
      expect(Number(text)).toBe(number === 0 ? 0 : number);
    }),
  );
});
