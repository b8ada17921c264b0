/** Readers and writers on files in the form of real terminals' ones (corpus/): nothing is lost, nothing of a user's is overwritten. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mt4Dialect, mt5Dialect, type Dialect } from '../src/platforms/metatrader/dialect.ts';
import { findChartBlock, listUnknownLines, toChartText } from '../src/platforms/metatrader/files/chart-text.ts';
import { createChartBlock, putExpert, toChart } from '../src/platforms/metatrader/files/charts.ts';
import { IniText } from '../src/platforms/metatrader/files/ini.ts';
import { splitLines } from '../src/platforms/metatrader/files/lines.ts';
import { Options } from '../src/platforms/metatrader/files/options.ts';
import { OrderText } from '../src/platforms/metatrader/files/order-file.ts';
import { Profile } from '../src/platforms/metatrader/files/profile.ts';
import { decodeText, encodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { getCorpusFile, listCorpus, corpus } from './corpus/corpus.ts';
import type { CorpusFile } from './corpus/corpus-file.ts';
import { useFolder } from './support/use-folder.ts';

const dialects: Record<CorpusFile['platform'], Dialect> = { mt5: mt5Dialect, mt4: mt4Dialect };

/** What the writers of this kind of file make of it when nothing is asked to change; undefined where it is not understood. */
const rewrite = ({ kind }: Pick<CorpusFile, 'kind'>, bytes: Buffer): Buffer | undefined => {
  const content = decodeText(bytes);
  const chart = kind === 'chart' ? findChartBlock(content.text) : undefined;
  if (kind === 'chart') return chart && encodeText({ ...content, text: toChartText(chart) });
  const text = kind === 'order' ? new OrderText(content.text) : new IniText(content.text);
  return encodeText({ ...content, text: String(text) });
};

const readJournal = (platform: CorpusFile['platform'], bytes: Buffer) => {
  const form = dialects[platform].journal;
  return form.toLines(bytes).flatMap((text) => form.findLine(text) ?? []);
};

/** The lines of the one text that the other does not have, with those in their place. */
const listChanges = (before: Buffer, after: Buffer): [from: string, to: string][] => {
  const [old, now] = [before, after].map((bytes) => splitLines(decodeText(bytes).text));
  expect(now).toHaveLength(old!.length);
  return old!.flatMap((line, at) => (line === now![at] ? [] : [[line, now![at]!] satisfies [string, string]]));
};

const toExpert = (platform: CorpusFile['platform'], bytes: Buffer) => {
  const form = dialects[platform].charts;
  const content = decodeText(bytes);
  const block = findChartBlock(content.text)!;
  const { expert } = toChart(form, block);
  const write = (changes: Partial<NonNullable<typeof expert>>) => {
    putExpert(form, block, { ...expert!, ...changes });
    return encodeText({ ...content, text: toChartText(block) });
  };
  return { expert: expert!, write };
};

const files = corpus.filter(({ kind }) => kind !== 'journal');

test.each(files)('what a terminal wrote comes back byte for byte: $name', (file) => {
  expect(rewrite(file, file.bytes)).toEqual(file.bytes);
});

test.each(listCorpus('chart'))('what a terminal wrote has no line that is not understood: $name', ({ bytes }) => {
  expect(listUnknownLines(findChartBlock(decodeText(bytes).text)!)).toEqual([]);
});

test.each(listCorpus('settings'))(
  'what a terminal wrote has no line that is not understood: $name',
  ({ name, bytes }) => {
    const unknown = new IniText(decodeText(bytes).text).listUnknownLines();
    // Services are written as charts are, and the last profile is a name alone.
    if (!/services|lastprofile/.test(name)) expect(unknown).toEqual([]);
  },
);

test.each(listCorpus('journal'))('what a terminal wrote is read whole: $name', ({ platform, bytes }) => {
  const lines = readJournal(platform, bytes);
  expect(lines).toHaveLength(splitLines(decodeText(bytes).text).length);
  for (const line of lines) dialects[platform].journal.findEvent(line);
});

test('what a terminal wrote, damaged in any way, throws no reader, and comes back where it is taken for a file at all', () => {
  const damage = fc.record({
    file: fc.constantFrom(...corpus),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    puts: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(damage, ({ file, cut, puts }) => {
      const bytes = Buffer.from(file.bytes.subarray(0, Math.round(file.bytes.length * cut)));
      for (const [at, byte] of puts) if (bytes.length > 0) bytes[Math.floor(at * (bytes.length - 1))] = byte;
      if (file.kind === 'journal') {
        for (const line of readJournal(file.platform, bytes)) dialects[file.platform].journal.findEvent(line);
        return;
      }
      expect(rewrite(file, bytes) ?? bytes).toEqual(bytes);
    }),
    { numRuns: 300 },
  );
});

test('a writer of settings changes the line that it means, and adds one where there is none', () => {
  const settings = listCorpus('settings').filter(({ name }) => name.includes('common') || name.includes('terminal'));
  fc.assert(
    fc.property(
      fc.constantFrom(...settings),
      fc.constantFrom('Charts', 'Common', 'Window', 'Experts', 'New'),
      fc.constantFrom('ProfileLast', 'Login', 'Type', 'Enabled', 'Key'),
      fc.constantFrom('Default', '1', 'a b'),
      (file, section, key, value) => {
        const { text } = decodeText(file.bytes);
        const ini = new IniText(text);
        const before = ini.get(section, key);
        ini.set(section, key, value);
        expect(ini.get(section, key)).toBe(value);
        const [old, now] = [splitLines(text), splitLines(ini.toString())];
        const left = now.filter((line) => !old.includes(line));
        expect(
          left.every(
            (line) =>
              [`${key}=${value}`, `[${section}]`].includes(line.trim()) ||
              old.some((each) => line === `${each}\r\n` || line === `${each}\n`),
          ),
        ).toBe(true);
        if (before !== undefined) expect(now).toHaveLength(old.length);
        // Taken out again it is the file that it was.
        if (before !== undefined) ini.set(section, key, before);
        else ini.remove(section, key);
        if (before !== undefined) expect(ini.toString()).toBe(text);
      },
    ),
  );
});

test('the expert of a chart has the inputs that have a name; what separates them is none, and stays', () => {
  const bytes = getCorpusFile('mt5-5430-separators.chr');
  const { expert, write } = toExpert('mt5', bytes);
  expect(Object.keys(expert.inputs)).toEqual(['InpBars', 'InpFactor', 'InpNote', 'InpMagic']);
  expect(listChanges(bytes, write({ inputs: { ...expert.inputs, InpBars: '21' } }))).toEqual([
    ['InpBars=20\r\n', 'InpBars=21\r\n'],
  ]);
});

test.each([1, 5, 33, 35])('the expert of a chart keeps the unknown bits of its expertmode %i', (mode) => {
  const bytes = getCorpusFile(`mt5-expertmode-${mode}.chr`);
  const { expert, write } = toExpert('mt5', bytes);
  expect(expert).toMatchObject({ allowsAlgoTrading: true, allowsDll: (mode & 2) !== 0 });
  expect(write({})).toEqual(bytes);
  expect(listChanges(bytes, write({ allowsAlgoTrading: false }))).toEqual([
    [`expertmode=${mode}\r\n`, `expertmode=${mode & ~1}\r\n`],
  ]);
  expect(listChanges(bytes, write({ allowsAlgoTrading: true, allowsDll: !expert.allowsDll }))).toEqual([
    [`expertmode=${mode}\r\n`, `expertmode=${mode ^ 2}\r\n`],
  ]);
});

test('the expert of a chart of MetaTrader 4 is the one of the chart, not one of an indicator, and changes in one line', () => {
  for (const [name, flags] of [
    ['mt4-1170-expert.chr', 343],
    ['mt4-1350-flags-279.chr', 279],
    ['mt4-1260-code-page.chr', 343],
  ] as const) {
    const bytes = getCorpusFile(name);
    const { expert, write } = toExpert('mt4', bytes);
    expect(expert).toMatchObject({ name: 'own\\rider_1_0', allowsAlgoTrading: true });
    expect(listChanges(bytes, write({ allowsAlgoTrading: false }))).toEqual([
      [`flags=${flags}\r\n`, `flags=${flags - 4}\r\n`],
    ]);
  }
});

test('the expert of a chart gets new inputs behind the others, and keeps every other byte, whatever they are called', () => {
  const name = fc.stringMatching(/^[A-Za-z]\w{0,12}$/).filter((text) => !text.startsWith('Inp'));
  const value = fc.string({ maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 4 }), (more) => {
      const bytes = getCorpusFile('mt5-5430-separators.chr');
      const { expert, write } = toExpert('mt5', bytes);
      const { text } = decodeText(write({ inputs: { ...expert.inputs, ...more } }));
      const added = Object.entries(more).map(([key, each]) => `${key}=${each}\r\n`);
      expect(text).toBe(
        decodeText(bytes).text.replace('</inputs>\r\n</expert>', () => `${added.join('')}</inputs>\r\n</expert>`),
      );
    }),
  );
});

describe('a profile on a disk', () => {
  let root: string;
  useFolder((path) => (root = path));

  const put = (path: string, bytes: Buffer): void => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  };
  const openFiles = () => new ConfinedFiles({ anchor: root, home: root, root });
  const toProfile = ({ profiles, charts }: Dialect) => new Profile(openFiles(), profiles, charts);
  const readAll = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(root, folder)).map((name) => [name, readFileSync(join(root, folder, name), 'latin1')]),
    );
  const toNewChart = ({ charts }: Dialect) =>
    createChartBlock(charts, {
      id: '7',
      symbol: 'US 30#m',
      period: 'D1',
      expert: { name: 'New', path: charts.toExpertPath('New'), allowsAlgoTrading: true, allowsDll: false, inputs: {} },
    });

  const MT4 = 'profiles/default';
  const putMt4Profile = (): void => {
    put(`${MT4}/chart01.CHR`, getCorpusFile('mt4-1170-no-expert.CHR'));
    put(`${MT4}/chart02.chr`, getCorpusFile('mt4-1170-expert.chr'));
    put(`${MT4}/chart03.chr`, getCorpusFile('mt4-1350-flags-279.chr'));
    put(`${MT4}/chart05.chr`, getCorpusFile('mt4-1260-code-page.chr'));
    put(`${MT4}/order.wnd`, getCorpusFile('mt4-order.wnd'));
  };

  test('a profile on a disk of MetaTrader 4 has every chart file of the folder, in the order of the captions', async () => {
    putMt4Profile();
    const { charts, notUnderstood } = await toProfile(mt4Dialect).read();
    expect(charts.map(({ file, symbol, period, expert }) => [file, symbol, period, expert?.name])).toEqual([
      ['chart02.chr', 'EURUSD.x', 'H1', 'own\\rider_1_0'],
      ['chart01.CHR', 'US 30#m', 'D1', undefined],
      ['chart03.chr', 'EURUSD.x', 'H1', 'own\\rider_1_0'],
      ['chart05.chr', 'EURUSD.x', 'H1', 'own\\rider_1_0'],
    ]);
    expect(notUnderstood).toEqual(['order.wnd: S&P.fs,M15']);
  });

  test('a profile on a disk of MetaTrader 4 gets a new chart under a free name, and none of its files is touched', async () => {
    putMt4Profile();
    const before = readAll(MT4);
    const profile = toProfile(mt4Dialect);
    const undo = await profile.takeSnapshot();
    expect([await profile.add(toNewChart(mt4Dialect)), await profile.add(toNewChart(mt4Dialect))]).toEqual([
      'chart04.chr',
      'chart06.chr',
    ]);
    const { 'chart04.chr': _, 'chart06.chr': __, 'order.wnd': order, ...others } = readAll(MT4);
    expect({ ...others, 'order.wnd': before['order.wnd'] }).toEqual(before);
    expect(order).toBe(`${before['order.wnd']}US 30#m,Daily\r\nUS 30#m,Daily\r\n`);
    await undo();
    expect(readAll(MT4)).toEqual(before);
  });

  test('a profile on a disk of MetaTrader 4 loses the charts that are removed, with a caption each, and no other byte', async () => {
    putMt4Profile();
    const { 'chart02.chr': _, ...before } = readAll(MT4);
    const profile = toProfile(mt4Dialect);
    const [first] = await profile.listCharts();
    await profile.remove([first!]);
    expect(readAll(MT4)).toEqual({ ...before, 'order.wnd': 'S&P.fs,M15\r\nUS 30#m,Daily\r\nEURUSD.x,H1\r\n' });
  });

  test('a profile on a disk without a last end of line keeps its order so', async () => {
    put(`${MT4}/order.wnd`, getCorpusFile('mt4-order-no-last-end.wnd'));
    await toProfile(mt4Dialect).add(toNewChart(mt4Dialect));
    expect(readAll(MT4)['order.wnd']).toBe('EURUSD.x,H1\r\nUS 30#m,Daily\r\nUS 30#m,Daily');
  });

  test('a profile on a disk of MetaTrader 5 keeps leftover files that its order does not name', async () => {
    const folder = 'MQL5/Profiles/Charts/Default';
    put(`${folder}/chart01.chr`, getCorpusFile('mt5-1730-no-expert.chr'));
    put(`${folder}/Chart02.chr`, getCorpusFile('mt5-5430-separators.chr'));
    put(`${folder}/order.wnd`, encodeText({ text: 'chart01.chr\r\nwhat is this\r\n', encoding: 'utf16le' }));
    const before = readAll(folder);
    const profile = toProfile(mt5Dialect);
    expect(await profile.add(toNewChart(mt5Dialect))).toBe('chart03.chr');
    expect(readAll(folder)).toMatchObject({
      'chart01.chr': before['chart01.chr'],
      'Chart02.chr': before['Chart02.chr'],
    });
    const { charts, notUnderstood } = await profile.read();
    expect(charts.map(({ file }) => file)).toEqual(['chart01.chr', 'chart03.chr']);
    expect(notUnderstood).toEqual(['order.wnd: what is this']);
  });

  test('a profile on a disk is the one that was open last, if it lists charts; no name leads elsewhere', async () => {
    const folder = 'MQL5/Profiles/Charts';
    for (const name of ['Default', 'Euro']) put(`${folder}/${name}/order.wnd`, getCorpusFile('mt5-empty-order.wnd'));
    put('elsewhere/order.wnd', getCorpusFile('mt5-empty-order.wnd'));
    const addTo = async (last: string): Promise<string[]> => {
      const common = new IniText(decodeText(getCorpusFile('mt5-1730-common.ini')).text);
      common.set('Charts', 'ProfileLast', last);
      put('config/common.ini', encodeText({ text: common.toString(), encoding: 'utf16le' }));
      const count = (name: string) => readdirSync(join(root, folder, name)).length;
      const before = ['Default', 'Euro'].map(count);
      await toProfile(mt5Dialect).add(toNewChart(mt5Dialect));
      return ['Default', 'Euro'].filter((name, at) => count(name) !== before[at]);
    };
    expect(await addTo('Euro')).toEqual(['Euro']);
    for (const name of ['Default', 'Missing', '../../../elsewhere', '..', ''])
      expect(await addTo(name)).toEqual(['Default']);
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['order.wnd']);
  });

  test('a profile on a disk of MetaTrader 4 is named in a file of its own', async () => {
    put('profiles/lastprofile.ini', Buffer.from('Main\r\n'));
    put('profiles/Main/order.wnd', Buffer.from(''));
    await toProfile(mt4Dialect).add(toNewChart(mt4Dialect));
    expect(readdirSync(join(root, 'profiles/Main')).sort()).toEqual(['chart01.chr', 'order.wnd']);
    put('profiles/lastprofile.ini', getCorpusFile('mt4-lastprofile.ini'));
    putMt4Profile();
    expect(await toProfile(mt4Dialect).listCharts()).toHaveLength(4);
  });

  test('damaged says what is not understood, and keeps it', async () => {
    const folder = 'MQL5/Profiles/Charts/Default';
    const cut = getCorpusFile('mt5-expertmode-1.chr').subarray(0, 901);
    put(`${folder}/chart01.chr`, cut);
    const odd = decodeText(getCorpusFile('mt5-expertmode-33.chr')).text.replace('<window>', 'a word alone\r\n<window>');
    put(`${folder}/chart02.chr`, encodeText({ text: odd, encoding: 'utf16le' }));
    put(
      `${folder}/order.wnd`,
      encodeText({ text: 'chart01.chr\r\nchart02.chr\r\nchart09.chr\r\n', encoding: 'utf16le' }),
    );
    const profile = toProfile(mt5Dialect);
    expect((await profile.read()).notUnderstood).toEqual([
      'chart01.chr: no chart, or one that is cut short',
      'chart02.chr: a word alone',
      'chart09.chr: not there, or too large',
    ]);
    await profile.add(toNewChart(mt5Dialect));
    expect(readFileSync(join(root, folder, 'chart01.chr')).equals(cut)).toBe(true);
  });

  test('settings keep every byte but the lines that are meant', async () => {
    const common = getCorpusFile('mt5-common-no-last-end.ini');
    put('config/common.ini', common);
    await new Options(openFiles(), mt5Dialect.options).writeAlgoTrading(false);
    expect(listChanges(common, readFileSync(join(root, 'config/common.ini')))).toEqual([
      ['Enabled=1\r\n', 'Enabled=0\r\n'],
    ]);
  });

  test('the settings of MetaTrader 4 have no switch for algo trading: none is written, and none is read', async () => {
    const terminal = getCorpusFile('mt4-1170-terminal.ini');
    put('config/terminal.ini', terminal);
    const options = new Options(openFiles(), mt4Dialect.options);
    await options.writeAlgoTrading(true);
    await options.ensureAccountNamed({ login: '80000022', server: 'Example-Live16' });
    await options.forgetAccount();
    expect(readFileSync(join(root, 'config/terminal.ini')).equals(terminal)).toBe(true);
    expect(await options.findAlgoTrading()).toBe(null);
  });
});

test('the table of the corpus has a row for each of its files', () => {
  const page = readFileSync(new URL('corpus/README.md', import.meta.url), 'utf8');
  expect(corpus.filter(({ name }) => !page.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
});
