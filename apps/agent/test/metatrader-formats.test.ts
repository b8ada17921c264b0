import { periods } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBlock, findChartBlock, listPairs, toChartText } from '../src/platforms/metatrader/files/chart-text.ts';
import {
  createChartBlock,
  putExpert,
  toChart,
  type ChartExpert,
  toInputTexts,
} from '../src/platforms/metatrader/files/charts.ts';
import { mt4Charts } from '../src/platforms/metatrader/files/mt4-charts.ts';
import { mt5Charts } from '../src/platforms/metatrader/files/mt5-charts.ts';
import { IniText } from '../src/platforms/metatrader/files/ini.ts';
import { findPeriod, toCaption, toChartPeriod } from '../src/platforms/metatrader/files/period.ts';
import { mt4ServerFile } from '../src/platforms/metatrader/files/server-file.ts';
import { encodeStartFile, mt4StartFile, mt5StartFile } from '../src/platforms/metatrader/files/start-file.ts';
import { insertLines } from '../src/platforms/metatrader/files/lines.ts';
import { decodeText, encodeText, type TextEncoding } from '../src/platforms/metatrader/files/text-file.ts';

describe('text files', () => {
  test('text keeps its encoding and its characters', () => {
    const encodings = fc.constantFrom<TextEncoding>('utf16le', 'utf8-bom');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), encodings, (text, encoding) => {
        expect(decodeText(encodeText({ text, encoding }))).toEqual({ text, encoding });
      }),
    );
  });

  test('text that Latin-1 cannot hold is written as UTF-16', () => {
    expect(decodeText(encodeText({ text: 'Łódź', encoding: 'latin1' }))).toEqual({ text: 'Łódź', encoding: 'utf16le' });
  });
});

describe('ini texts', () => {
  test('a value is found without regard to case and changed in its place', () => {
    const ini = new IniText('; kept\r\n[Common]\r\nLogin=1\r\nServer = Old \r\n\r\n[Experts]\r\nEnabled=1\r\n');
    expect(ini.get('COMMON', 'server')).toBe('Old');
    ini.set('common', 'Server', 'New');
    ini.set('Common', 'Password', 'x=y');
    ini.remove('Experts', 'enabled');
    expect(ini.toString()).toBe('; kept\r\n[Common]\r\nLogin=1\r\nServer=New\r\nPassword=x=y\r\n\r\n[Experts]\r\n');
  });

  test('what is set already stays as it is written', () => {
    const text = '[Common]\r\nServer = Old \r\n';
    const ini = new IniText(text);
    ini.set('Common', 'server', 'Old');
    expect(ini.toString()).toBe(text);
  });

  test('a value that brings lines of its own is refused', () => {
    for (const ending of ['\n', '\r', '\0', '\u0085', '\u2028', '\u2029']) {
      const ini = new IniText('');
      expect(() => ini.set('Common', 'Password', `p${ending}[StartUp]`)).toThrow(/not one line/);
      expect(() => ini.set('Common', `Password${ending}`, 'p')).toThrow(/not one line/);
      expect(ini.toString()).toBe('');
      const credentials = { login: '1', password: `p${ending}[StartUp]${ending}Script=evil`, server: 'S' };
      expect(() => encodeStartFile(mt5StartFile, { credentials, allowsAlgoTrading: false })).toThrow(/not one line/);
      expect(() =>
        encodeStartFile(mt5StartFile, { allowsAlgoTrading: false, script: { name: `a${ending}b` } }),
      ).toThrow(/not one/);
    }
  });
});

describe('start files', () => {
  test('credentials and options are written as plain ASCII with CRLF', () => {
    const credentials = { login: '42', password: 'se=cr;et', server: 'Broker-Demo' };
    const bytes = encodeStartFile(mt5StartFile, {
      credentials,
      allowsAlgoTrading: false,
      script: { name: 'S', symbol: 'EURUSD' },
    });
    expect(bytes.toString('latin1')).toBe(
      '[Common]\r\nLogin=42\r\nPassword=se=cr;et\r\nServer=Broker-Demo\r\nKeepPrivate=1\r\n' +
        '[Experts]\r\nAllowLiveTrading=0\r\nEnabled=0\r\nAccount=0\r\nProfile=0\r\n' +
        '[StartUp]\r\nScript=S\r\nSymbol=EURUSD\r\n',
    );
  });

  test('a password beyond ASCII makes it UTF-16 with a mark', () => {
    const credentials = { login: '42', password: 'pässwörd', server: 'S' };
    const bytes = encodeStartFile(mt5StartFile, { credentials, allowsAlgoTrading: true });
    expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
    expect(decodeText(bytes).text).toContain('Password=pässwörd\r\n');
  });
});

describe('the files of MetaTrader 4', () => {
  test('a start file has no sections and says true and false; its path comes first', () => {
    const credentials = { login: '42', password: 'p', server: 'Broker-Demo' };
    const script = { name: 'S', symbol: 'EURUSD' };
    expect(encodeStartFile(mt4StartFile, { credentials, allowsAlgoTrading: true, script }).toString()).toBe(
      'Login=42\r\nPassword=p\r\nServer=Broker-Demo\r\nExpertsEnable=true\r\nExpertsTrades=true\r\n' +
        'Script=S\r\nSymbol=EURUSD\r\n',
    );
    expect(
      encodeStartFile(mt4StartFile, { credentials: { login: '42', server: 'S' }, allowsAlgoTrading: false }).toString(),
    ).toBe('Login=42\r\nServer=S\r\nExpertsEnable=false\r\nExpertsTrades=false\r\n');
    expect(mt4StartFile.toArguments('C:\\berth.ini')).toEqual(['C:\\berth.ini', '/portable']);
    expect(mt4StartFile.toArguments(undefined)).toEqual(['/portable']);
  });

  const rider: ChartExpert = {
    name: 'Rider',
    path: 'Experts\\Rider.ex4',
    allowsAlgoTrading: true,
    allowsDll: false,
    inputs: { Lots: '0.1' },
  };

  test('a chart counts its period in minutes, and its expert stands behind the window', () => {
    const block = createChartBlock(mt4Charts, { id: '7', symbol: 'EURUSD', period: 'H4', expert: rider });
    expect(toChart(mt4Charts, findChartBlock(toChartText(block))!)).toEqual({
      id: '7',
      symbol: 'EURUSD',
      period: 'H4',
      expert: rider,
    });
    expect(toChartText(block)).toMatch(/period=240\r\n[\s\S]*<\/window>\r\n<expert>\r\nname=Rider\r\nflags=343\r\n/);
  });

  test('only the bit for trading is changed in the flags that the terminal wrote', () => {
    const block = findChartBlock('<chart>\n<expert>\nname=Rider\nflags=347\n</expert>\n</chart>')!;
    expect(toChart(mt4Charts, block).expert?.allowsAlgoTrading).toBe(false);
    putExpert(mt4Charts, block, rider);
    expect(toChartText(block)).toContain('flags=351\n');
    putExpert(mt4Charts, block, { ...rider, allowsAlgoTrading: false });
    expect(toChartText(block)).toContain('flags=347\n');
  });

  test('it has nine periods, each by its minutes', () => {
    const read = (minutes: string) =>
      toChart(mt4Charts, findChartBlock(`<chart>\nperiod=${minutes}\n</chart>`)!).period;
    expect(['1', '5', '15', '30', '60', '240', '1440', '10080', '43200'].map(read)).toEqual(mt4Charts.periods);
    expect(['2', '', '1e0', 'x'].map(read)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('a server file is placed by the name that it holds, and only one that can be a file', () => {
    const header = (name: string, bytes = 400) => {
      const content = Buffer.alloc(bytes);
      content.write(name, 'latin1');
      return content;
    };
    const place = mt4ServerFile.findPlace(header('Old Broker-Live 3'));
    expect(place).toEqual({ path: 'config/Old Broker-Live 3.srv', name: 'Old Broker-Live 3' });
    for (const name of ['', '..', '../x', 'a/b', 'a\\b', '.hidden', 'con\n', 'ends.']) {
      expect(mt4ServerFile.findPlace(header(name))).toBeUndefined();
    }
    expect(mt4ServerFile.findPlace(header('Short', 100))).toBeUndefined();
  });
});

describe('periods', () => {
  test('captions name the long ones', () => {
    const toCaptions = (period: 'H1' | 'D1' | 'W1' | 'MN1' | undefined) => toCaption({ symbol: 'US 30', period });
    expect((['H1', 'D1', 'W1', 'MN1', undefined] as const).map(toCaptions)).toEqual([
      'US 30,H1',
      'US 30,Daily',
      'US 30,Weekly',
      'US 30,Monthly',
      'US 30,',
    ]);
  });

  test('every period has its own pair, and the pair leads back', () => {
    for (const period of periods) expect(findPeriod(toChartPeriod(period))).toBe(period);
    expect(toChartPeriod('H4')).toEqual({ type: 1, size: 4 });
    expect(toChartPeriod('D1')).toEqual({ type: 1, size: 24 });
    expect(toChartPeriod('MN1')).toEqual({ type: 3, size: 1 });
    expect(findPeriod({ type: 1, size: 5 })).toBeUndefined();
  });
});

const expert: ChartExpert = {
  name: 'My EA',
  path: 'Experts\\My EA.ex5',
  allowsAlgoTrading: true,
  allowsDll: false,
  inputs: { Lots: '0.1', Comment: 'a=b <c>' },
};

describe('charts', () => {
  test('a new chart reads back as it was asked for', () => {
    const block = createChartBlock(mt5Charts, { id: '131', symbol: 'EURUSD', period: 'W1', expert });
    const read = findChartBlock(toChartText(block));
    expect(read && toChart(mt5Charts, read)).toEqual({ id: '131', symbol: 'EURUSD', period: 'W1', expert });
    expect(toChartText(block)).toContain('expertmode=33\r\n');
  });

  test.each([
    [0, false, false],
    [1, true, false],
    [5, true, false],
    [33, true, false],
    [35, true, true],
  ])('expertmode %i: may trade %s, may call DLLs %s', (mode, trades, calls) => {
    const text = `<chart>\n<expert>\nname=E\npath=Experts\\E.ex5\nexpertmode=${mode}\n</expert>\n</chart>`;
    const block = findChartBlock(text);
    expect(block && toChart(mt5Charts, block).expert).toMatchObject({ allowsAlgoTrading: trades, allowsDll: calls });
  });

  test('an expert takes the place of the former one and leaves the rest of the chart alone', () => {
    const text =
      '<chart>\r\nid=1\r\nsymbol=X\r\n<window>\r\nheight=1\r\n<indicator>\r\nname=Main\r\n</indicator>\r\n</window>\r\n</chart>\r\n';
    const block = findChartBlock(text)!;
    putExpert(mt5Charts, block, expert);
    putExpert(mt5Charts, block, { ...expert, name: 'Other' });
    expect(block.items.map((item) => (typeof item === 'string' ? item.trim() : item.tag))).toEqual([
      'id=1',
      'symbol=X',
      'expert',
      'window',
    ]);
    expect(toChart(mt5Charts, block).expert?.name).toBe('Other');
    expect(toChartText(block)).toContain('<indicator>\r\nname=Main\r\n</indicator>\r\n');
  });

  test('a chart that is cut short is no chart', () => {
    const text = toChartText(createChartBlock(mt5Charts, { id: '1', symbol: 'X', period: 'M1', expert }));
    fc.assert(
      fc.property(fc.nat(text.length - '</chart>\r\n'.length), (length) => {
        expect(findChartBlock(text.slice(0, length))).toBeUndefined();
      }),
    );
  });
});

test('values are written as the terminal reads them', () => {
  expect(toInputTexts({ a: 0.1, b: 1e21, c: 1e-7, d: true, e: 'x y', f: -3 })).toEqual({
    a: '0.1',
    b: '1000000000000000000000',
    c: '0.0000001',
    d: 'true',
    e: 'x y',
    f: '-3',
  });
});

test('inputs of a chart are found in their order', () => {
  const block = createChartBlock(mt5Charts, { id: '1', symbol: 'X', period: 'M1', expert });
  const inputs = findBlock(findBlock(block, 'expert')!, 'inputs')!;
  expect(listPairs(inputs)).toEqual(Object.entries(expert.inputs));
});

test('no chart and no order file is written with a text that brings lines of its own', () => {
  const expert = { name: 'E', path: 'Experts\\E.ex5', allowsAlgoTrading: false, allowsDll: false };
  for (const text of ['x\n</inputs>', 'x\r']) {
    const inputs = { Text: text };
    const chart = { id: '1', symbol: 'EURUSD', period: 'H1' as const, expert: { ...expert, inputs } };
    expect(() => createChartBlock(mt5Charts, chart)).toThrow(/end of a line/);
    const block = createChartBlock(mt5Charts, { ...chart, expert: { ...expert, inputs: { Text: '' } } });
    expect(() => putExpert(mt5Charts, block, { ...expert, inputs })).toThrow(/end of a line/);
    expect(() => insertLines([], 0, ['chart01.chr', text])).toThrow(/end of a line/);
  }
});
