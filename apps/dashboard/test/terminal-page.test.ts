/** What the page of a terminal makes of samples, inputs, log lines, file names and its address. */
import { expect, test } from 'vitest';
import { toExpertName } from '../src/parts/expert/expert-name.ts';
import { findInputError, toChangedInputs, toRows } from '../src/parts/expert/inputs.ts';
import { toParts, toSeries, toSummary } from '../src/pages/terminal/figures/series.ts';
import { toLogLine, toMatching } from '../src/pages/terminal/logs/log-lines.ts';
import { toTerminalSearch } from '../src/pages/terminal/search.ts';
import { isolate } from '../src/texts/isolate.ts';

const UUID = '01a20231-e142-7245-8fd9-0e53efe0d347';

test('the address of a terminal keeps what is chosen', () => {
  const search = { tab: 'logs', source: 'journal', day: '2026-01-31', contains: 'error', task: UUID, page: 2 };
  expect(toTerminalSearch(search)).toEqual(search);
});

test('the address of a terminal takes a text of digits, which comes as a number', () => {
  expect(toTerminalSearch({ contains: 10_019 })).toEqual({ contains: '10019' });
});

test.each([
  { tab: 'danger' },
  { task: '../../v1/my' },
  { screenshot: 'javascript:alert(1)' },
  { day: '31.1.2026' },
  { page: 0 },
  { page: 1.5 },
  { range: ['day'] },
  { contains: { a: 1 } },
])('the address of a terminal leaves out what is not right: %j', (search) => {
  expect(toTerminalSearch(search)).toEqual({});
});

test('the address of a terminal is bounded, however long the text', () => {
  expect(toTerminalSearch({ contains: 'x'.repeat(10_000) }).contains).toHaveLength(255);
});

const samples = {
  step: 1 as const,
  columns: ['at' as const, 'ping_ms' as const, 'link' as const],
  rows: [
    [60, 5, 100],
    [120, 7, 50],
    [300, 9, null],
  ],
};

test('samples are a gap where nobody measured, never a line over it', () => {
  const { times, values } = toSeries(samples, 'ping', 30, 330);
  expect(times).toEqual([60, 120, 180, 240, 300]);
  expect(values).toEqual([5, 7, null, null, 9]);
});

test('samples that the host does not report are gaps', () => {
  expect(toSeries(samples, 'memory', 60, 120).values).toEqual([null, null]);
});

test('samples are summed up without the gaps', () => {
  expect(toSummary([5, 7, null, 9])).toEqual({ low: 5, mean: 7, high: 9 });
  expect(toSummary([null, null])).toBeUndefined();
});

test('samples of a month come in as many parts as are asked for', () => {
  const month = { ...samples, step: 15 as const };
  const parts = toParts(toSeries(month, 'link', 0, 30 * 86_400), 60);
  expect(parts.length).toBeLessThanOrEqual(60);
  expect(toParts({ times: [], values: [] }, 60)).toEqual([]);
});

const before = { Lots: '0.1', Comment: '<b>hi</b>' };

test('inputs of an expert that were not changed are not sent', () => {
  const rows = toRows(before);
  expect(toChangedInputs(rows, before)).toBeUndefined();
  rows[0]!.value = '0.2';
  expect(toChangedInputs(rows, before)).toEqual({ Lots: '0.2' });
});

test('inputs of an expert are sent where they are new, even by a name that every object has', () => {
  const rows = [{ key: 1, name: 'constructor', value: '1', isKnown: false }];
  expect(toChangedInputs(rows, {})).toEqual({ constructor: '1' });
});

test('inputs of an expert cannot be named twice, or as no input is named', () => {
  const toRow = (key: number, name: string) => ({ key, name, value: '', isKnown: false });
  const rows = [...toRows(before), toRow(1, 'Lots'), toRow(2, 'a=b'), toRow(3, 'Ünïcode_9'), toRow(4, '')];
  expect(rows.map((row) => findInputError(rows, row) !== undefined)).toEqual([false, false, true, true, false, false]);
});

test.each([
  ['Trend Follower.ex5', 'Trend Follower'],
  ['a.b.ex4', 'a.b'],
  ['<img src=x>.ex5', 'img src=x'],
  ['New [EA] Sniper.ex5', 'New [EA] Sniper'],
  ['..hidden.ex5', '..hidden'],
  [`${'long '.repeat(40)}.ex5`, 'long '.repeat(26).slice(0, 128).trim()],
  ['.ex5', ''],
])('the name of an expert follows its file: %s', (file, name) => {
  expect(toExpertName(file)).toBe(name);
});

test('lines of a log are time, source and text, whatever is in the text', () => {
  expect(toLogLine('07:39:18.429\tExperts\tload\tfailed <b>')).toMatchObject({
    time: '07:39:18.429',
    source: 'Experts',
    text: 'load\tfailed <b>',
    tone: 'bad',
  });
  expect(toLogLine('no columns')).toMatchObject({ time: '', source: '', text: 'no columns', tone: 'plain' });
});

test('lines of a log of a quarter of a million characters are shown as far as they can be read', () => {
  const { text, cut } = toLogLine(`1\t2\t${'x'.repeat(262_144)}`);
  expect([text.length, cut]).toEqual([2_000, 260_144]);
});

test('lines of a log are found by their text in any case', () => {
  expect(toMatching(['One ERROR', 'two'], 'error')).toEqual(['One ERROR']);
  expect(toMatching(['a.b', 'axb'], 'a.b')).toEqual(['a.b']);
});

test('a name in a sentence keeps its direction to itself, and leaves room for the sentence', () => {
  expect(isolate('\u202eevil\u2069')).toBe('\u2068\u202eevil\u2069');
  expect(Array.from(isolate('🙂'.repeat(10_000))).length).toBe(83);
});
