/** Whatever a file contains, its reader does not throw, and its writer preserves every other byte. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findBlock,
  findChartBlock,
  findValue,
  listUnknownLines,
  setValue,
  toChartText,
} from '../src/platforms/metatrader/files/chart-text.ts';
import { toChart } from '../src/platforms/metatrader/files/charts.ts';
import { IniText } from '../src/platforms/metatrader/files/ini.ts';
import { splitLines, toContent } from '../src/platforms/metatrader/files/lines.ts';
import { mt4Charts } from '../src/platforms/metatrader/files/mt4-charts.ts';
import { mt5Charts } from '../src/platforms/metatrader/files/mt5-charts.ts';
import { OrderText } from '../src/platforms/metatrader/files/order-file.ts';
import { decodeText, encodeText, type TextEncoding } from '../src/platforms/metatrader/files/text-file.ts';
import { mt4Journal, mt5Journal } from '../src/platforms/metatrader/journal/journal-form.ts';
import { applyEvent, createView } from '../src/platforms/metatrader/run/terminal-view.ts';

const end = fc.constantFrom('\r\n', '\n', '\r');
const encoding = fc.constantFrom<TextEncoding>('utf16le', 'utf8', 'utf8-bom', 'latin1');
const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,8}$/);
const value = fc.oneof(
  fc.stringMatching(/^[ -~]{0,12}$/),
  fc.constantFrom('', 'Volatility 75 (1s) Index', 'a=b', 'L\u00e4nge', '\t', '[x]', '<unnamed>='),
);
const pair = fc.tuple(word, value).map(([key, text]) => `${key}=${text}`);
/** What no reader knows, among it what looks like something else. */
const odd = fc.constantFrom('', '  ', '=', '=== a ===', '<unnamed>=', 'a word alone', '; a remark', '<a b>', '[', ']');
const line = fc.oneof({ weight: 3, arbitrary: pair }, odd);
const lines = fc.array(line, { maxLength: 6 });

const toBlock = (tag: string, items: string[]): string[] => [`<${tag}>`, ...items, `</${tag}>`];
const chartLines = fc
  .record({ before: lines, head: lines, inputs: lines, expert: lines, window: lines, tail: lines, after: lines })
  .map(({ before, head, inputs, expert, window, tail, after }) => [
    ...before,
    ...toBlock('chart', [
      ...head,
      ...toBlock('expert', [...expert, ...toBlock('inputs', inputs)]),
      ...toBlock('window', window),
      ...tail,
    ]),
    ...after,
  ]);

/** Ends may change within a file, and the last line may have none. */
const toText = (content: readonly string[], ends: readonly string[], isLastOpen: boolean): string =>
  content.map((each, at) => each + (isLastOpen && at === content.length - 1 ? '' : ends[at % ends.length]!)).join('');
const toFile = (content: fc.Arbitrary<string[]>) =>
  fc
    .record({ content, ends: fc.array(end, { minLength: 1, maxLength: 3 }), isLastOpen: fc.boolean(), encoding })
    .map(({ content: all, ends, isLastOpen, encoding: form }) => ({
      bytes: encodeText({ text: toText(all, ends, isLastOpen), encoding: form }),
    }));

test('a chart or a template comes back byte for byte, in every encoding and with all ends of lines', () => {
  fc.assert(
    fc.property(toFile(chartLines), ({ bytes }) => {
      const content = decodeText(bytes);
      const block = findChartBlock(content.text)!;
      expect(encodeText({ ...content, text: toChartText(block) }).equals(bytes)).toBe(true);
      for (const form of [mt5Charts, mt4Charts]) toChart(form, block);
      listUnknownLines(block);
    }),
  );
});

test('a chart or a template has one line changed, or one more, where one value is set', () => {
  fc.assert(
    fc.property(toFile(chartLines), ({ bytes }) => {
      const { text } = decodeText(bytes);
      const block = findChartBlock(text)!;
      const expert = findBlock(block, 'expert')!;
      const former = findValue(expert, 'expertmode');
      setValue(expert, 'expertmode', '37');
      const now = toChartText(block);
      expect(findValue(findBlock(findChartBlock(now)!, 'expert')!, 'expertmode')).toBe('37');
      if (former === undefined) {
        const added = splitLines(now).findIndex((each) => toContent(each) === 'expertmode=37');
        expect(splitLines(now).toSpliced(added, 1).join('')).toBe(text);
      }
    }),
  );
});

const section = word.map((name) => `[${name}]`);
const settings = toFile(fc.array(fc.oneof({ weight: 3, arbitrary: line }, section), { maxLength: 20 }));

test('settings come back byte for byte, and are as they were when a new value is taken out again', () => {
  fc.assert(
    fc.property(settings, ({ bytes }) => {
      const content = decodeText(bytes);
      const ini = new IniText(content.text);
      expect(encodeText({ ...content, text: ini.toString() }).equals(bytes)).toBe(true);
      ini.listUnknownLines();
      ini.set('Experts', '~Enabled', '1');
      expect(ini.get('Experts', '~Enabled')).toBe('1');
      const kept = splitLines(ini.toString()).map(toContent);
      const old = splitLines(content.text).map(toContent);
      expect(kept.filter((each) => !['~Enabled=1', '[Experts]'].includes(each))).toEqual(
        old.filter((each) => each !== '[Experts]'),
      );
    }),
  );
});

test('settings and the order of charts come back byte for byte', () => {
  fc.assert(
    fc.property(settings, ({ bytes }) => {
      const content = decodeText(bytes);
      const text = String(new OrderText(content.text));
      expect(encodeText({ ...content, text }).equals(bytes)).toBe(true);
    }),
  );
});

test('any bytes at all are read without an error, and decoded so that they can be given back', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map((rest) => new Uint8Array([0xff, 0xfe, ...rest])),
    fc.uint8Array({ maxLength: 200 }).map((rest) => new Uint8Array([0xef, 0xbb, 0xbf, ...rest])),
    fc.uint8Array({ maxLength: 200 }).map((rest) => new Uint8Array([0xfe, 0xff, ...rest])),
  );
  fc.assert(
    fc.property(bytes, (content) => {
      const file = Buffer.from(content);
      const decoded = decodeText(file);
      expect(encodeText(decoded).equals(file)).toBe(true);
      const block = findChartBlock(decoded.text);
      if (block) expect(toChartText(block)).toBe(decoded.text);
      expect(new IniText(decoded.text).toString()).toBe(decoded.text);
    }),
    { numRuns: 500 },
  );
});

test('no line of a journal breaks a reader, or what is made of it', () => {
  const login = fc.constantFrom('7', '70000011', 'a b');
  const text = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.tuple(
      login,
      fc.constantFrom('authorized on', 'login on', 'connect failed', 'ping failed', 'synchronization timeout'),
    ),
    fc.tuple(
      login,
      fc.constantFrom('master password must be changed', 'connection to A lost', 'terminal synchronized with A'),
    ),
  );
  const messages = fc.array(
    text.map((each) => (typeof each === 'string' ? each : `'${each[0]}': ${each[1]}`)),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(messages, (all) => {
      for (const form of [mt5Journal, mt4Journal]) {
        const events = all.flatMap((message) => form.findEvent({ level: 0, time: '', source: '', message }) ?? []);
        expect(events.reduce(applyEvent, createView({ state: 'none' })).login).toBeDefined();
      }
    }),
  );
});
