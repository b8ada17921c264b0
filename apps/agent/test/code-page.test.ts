/** Files of MetaTrader 4 in the code page of their box. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import { expect, it } from 'vitest';
import { toBoxPaths } from '../src/launchers/wine/box-paths.ts';
import { mt4Dialect } from '../src/platforms/metatrader/dialect.ts';
import { createChartBlock, putExpert } from '../src/platforms/metatrader/files/charts.ts';
import { findCodePage } from '../src/platforms/metatrader/code-page.ts';
import { toTerminalHome } from '../src/platforms/metatrader/home.ts';
import { Profile } from '../src/platforms/metatrader/files/profile.ts';
import { decodeText, encodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { mt4Journal, withCodePage } from '../src/platforms/metatrader/journal/journal-form.ts';
import { findPrefixCodePage } from '../src/launchers/wine/prefix.ts';
import { useFolder } from './support/use-folder.ts';

const PAGES = [874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258];
const cyrillic = findCodePage(1251)!;
/** `Советник` as a Russian Windows writes it. */
const ADVISER = Buffer.from('d1eee2e5f2ede8ea', 'hex');

let folder: string;
useFolder((path) => (folder = path));

it.each<[number, string, string]>([
  [1250, 'Łódź', 'a3f3649f'],
  [1251, 'Советник', ADVISER.toString('hex')],
  [1252, '€ “Größe”', '8020934772f6df6594'],
  [932, '移動平均 ｱ', '88da93ae95bd8bcf20b1'],
  [936, '均线', 'bef9cfdf'],
  [949, '이동', 'c0ccb5bf'],
  [950, '均線', 'a7a1bd75'],
])('a code page: %i holds %s', (id, text, hex) => {
  const page = findCodePage(id)!;
  expect([page.encode(text).toString('hex'), page.decode(Buffer.from(hex, 'hex'))]).toEqual([hex, text]);
});

it.each(PAGES)('a code page: %i restores all bytes, whatever they mean', (id) => {
  const page = findCodePage(id)!;
  const pairs = Array.from({ length: 0x10000 }, (_, pair) => [pair >> 8, pair & 0xff]).flat();
  const bytes = Buffer.from([...pairs, 0xff, 0x81]);
  expect(page.encode(page.decode(bytes)).equals(bytes)).toBe(true);
});

it('a code page says which letter it has not', () => {
  expect(cyrillic.findMissing('Łódź')).toBe('Ł');
  expect(() => encodeText({ text: 'a😀', encoding: cyrillic })).toThrowError(
    expect.objectContaining({
      code: 'E_UNSUPPORTED',
      message: `The terminal's files are in code page 1251 of Windows, which has no "😀".`,
    }) as Error,
  );
});

it('a code page does not apply to a file that says that it is Unicode', () => {
  for (const encoding of ['utf16le', 'utf8-bom'] as const)
    expect(decodeText(encodeText({ text: 'Łódź', encoding }), cyrillic)).toEqual({ text: 'Łódź', encoding });
});

it('a code page is not known where it is UTF-8, or nobody says which one it is', () => {
  expect([findCodePage(65001), findCodePage(undefined), findCodePage(1252)?.id]).toEqual([undefined, undefined, 1252]);
});

const createProfile = () => {
  const files = new ConfinedFiles({ anchor: folder, home: folder, root: folder });
  return new Profile(files, mt4Dialect.profiles, mt4Dialect.charts, async () => cyrillic);
};
const read = (path: string) => readFileSync(join(folder, 'profiles', path));
const put = (path: string, ...parts: (string | Buffer)[]) => {
  mkdirSync(join(folder, 'profiles', path, '..'), { recursive: true });
  writeFileSync(join(folder, 'profiles', path), Buffer.concat(parts.map((part) => Buffer.from(part))));
};
const expert = {
  name: 'Советник',
  path: 'Experts\\Советник.ex4',
  allowsAlgoTrading: true,
  allowsDll: false,
  inputs: { Имя: 'Ёж' },
};
const createChart = (symbol: string) => createChartBlock(mt4Dialect.charts, { id: '7', symbol, period: 'H1', expert });

it('a profile in a code page writes a new chart and its caption in it, and reads them back', async () => {
  const profile = createProfile();
  await profile.add(createChart('Золото'));
  const name = Buffer.from('c7eeebeef2ee', 'hex');
  const chart = read('default/chart01.chr');
  for (const text of [Buffer.from('name='), Buffer.from('symbol=')])
    expect(chart.includes(Buffer.concat([text, text.includes('name') ? ADVISER : name]))).toBe(true);
  expect(chart.includes(Buffer.from('c8ecff3da8e6', 'hex'))).toBe(true);
  expect(read('default/order.wnd')).toEqual(Buffer.concat([name, Buffer.from(',H1\r\n')]));
  const { charts, notUnderstood } = await profile.read();
  expect([notUnderstood, charts.map(({ symbol }) => symbol)]).toEqual([[], ['Золото']]);
  expect(charts[0]!.expert).toMatchObject({ name: 'Советник', inputs: { Имя: 'Ёж' } });
});

it('a profile in a code page changes the lines that differ in a chart of the terminal, and no other byte', async () => {
  const head = ['<chart>\r\nsymbol=EURUSD\r\nperiod=60\r\ncomment=', ADVISER, '\x98\r\n<expert>\r\nname='];
  const tail = ['\r\nflags=339\r\nwindow_num=0\r\n<inputs>\r\nA=1\r\n</inputs>\r\n</expert>\r\n</chart>\r\n'];
  put('default/order.wnd', 'EURUSD,H1\r\n');
  put('default/chart01.chr', ...head, ADVISER, ...tail);
  const before = read('default/chart01.chr');
  const profile = createProfile();
  const [chart] = await profile.listCharts();
  expect(chart!.expert!.name).toBe('Советник');
  putExpert(mt4Dialect.charts, chart!.block, { ...chart!.expert!, inputs: { A: 'Ё' } });
  await profile.write(chart!);
  const wanted = before.toString('latin1').replace('A=1', 'A=\xa8');
  expect(read('default/chart01.chr').toString('latin1')).toBe(wanted);
});

it('a profile in a code page is the one that lastprofile.ini names in the code page', async () => {
  put('lastprofile.ini', ADVISER, '\r\n');
  put('Советник/order.wnd', 'EURUSD,H1\r\n');
  await createProfile().add(createChart('EURUSD'));
  expect(read('Советник/order.wnd').toString()).toBe('EURUSD,H1\r\nEURUSD,H1\r\n');
});

it('a profile in a code page is left as it is by a text that the code page cannot hold', async () => {
  put('default/order.wnd', 'EURUSD,H1\r\n');
  const profile = createProfile();
  await expect(profile.add(createChart('Łódź'))).rejects.toMatchObject({ code: 'E_UNSUPPORTED' });
  expect(read('default/order.wnd').toString()).toBe('EURUSD,H1\r\n');
  expect(await profile.listCharts()).toEqual([]);
});

it('a journal in a code page names experts as they are called', () => {
  const line = Buffer.concat([
    Buffer.from('0\t10:00:00.000\tExpert '),
    ADVISER,
    Buffer.from(' EURUSD,H1: loaded successfully\r\n'),
  ]);
  const form = withCodePage(mt4Journal, cyrillic);
  const events = form.toLines(line).flatMap((text) => {
    const found = form.findLine(text);
    return (found && form.findEvent(found)) ?? [];
  });
  expect(events).toMatchObject([{ kind: 'expert_loaded', name: 'Советник', symbol: 'EURUSD' }]);
});

const REGISTRY = String.raw`WINE REGISTRY Version 2

[System\\CurrentControlSet\\Control\\Nls\\Codepage] 1795883097
#time=1dc5f6a2b3c4d5e
"1250"="c_1250.nls"
"ACP"="1251"
"OEMCP"="866"

[System\\CurrentControlSet\\Control\\Nls\\Language] 1795883097
"Default"="0419"
`;

it('the code page of a box is read from the registry of its prefix', async () => {
  const paths = toBoxPaths(folder);
  expect(await findPrefixCodePage(paths)).toBeUndefined();
  mkdirSync(paths.prefix);
  writeFileSync(join(paths.prefix, 'system.reg'), REGISTRY);
  expect(await findPrefixCodePage(paths)).toBe(1251);
  writeFileSync(join(paths.prefix, 'system.reg'), REGISTRY.replace('"ACP"', '"MACCP"'));
  expect(await findPrefixCodePage(paths)).toBe(null);
  writeFileSync(join(paths.prefix, 'system.reg'), `${REGISTRY}${' '.repeat(8 * 1024 * 1024)}`);
  expect(await findPrefixCodePage(paths)).toBe(null);
});

it.each([
  ['that its Windows does not say is looked up once', [null, 1251], [undefined, undefined]],
  ['is looked up once', [1251, 1252], [1251, 1251]],
  ['is looked up again while there is no Windows', [undefined, 1251], [undefined, 1251]],
])('the code page of a box: %s', async (_, answers, ids) => {
  const box = { folder, home: join(folder, 'drive_c'), toInside: (path: string) => path };
  const launcher = { findCodePage: async () => answers.shift() };
  const home = toTerminalHome(box, { folderName: 'mt4', dialect: mt4Dialect }, launcher);
  expect([await home.findCodePage(), await home.findCodePage()].map((page) => page?.id)).toEqual(ids);
});
