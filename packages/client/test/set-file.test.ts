import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSetFile, SetFileError, toSetFile } from '../src/set-file.ts';

const LINES = '; saved on 2026.11.20 10:00:00\r\n; this file contains input parameters\r\n;\r\n';
const ascii = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

it('parseSetFile reads the same inputs from a preset in UTF-16, in UTF-8 and in 8 bits', () => {
  const text = `${LINES}Lots=0.10\r\nMagic=123456789012345678\r\nNote=first\r\n`;
  const inputs = { Lots: '0.10', Magic: '123456789012345678', Note: 'first' };
  for (const bytes of [utf16(text), utf16(text).subarray(2), ascii(text), Buffer.from(`\ufeff${text}`)]) {
    expect(parseSetFile(bytes)).toEqual(inputs);
    expect(Object.keys(parseSetFile(bytes))).toEqual(Object.keys(inputs));
  }
  expect(parseSetFile(utf16('Lots=0.10').swap16())).toEqual({ Lots: '0.10' });
});

it('parseSetFile reads letters by the byte order mark, else as UTF-8, else by a code page that the caller may name', () => {
  expect(parseSetFile(utf16('Note=größer £ ☕'))).toEqual({ Note: 'größer £ ☕' });
  expect(parseSetFile(Buffer.from('Note=größer £'))).toEqual({ Note: 'größer £' });
  expect(parseSetFile(ascii('Note=größer £'))).toEqual({ Note: 'größer £' });
  const russian = Buffer.concat([ascii('Note='), Buffer.from([0xcf, 0xf0, 0xe8])]);
  expect(parseSetFile(russian, { codePage: 'windows-1251' })).toEqual({ Note: 'При' });
});

it('parseSetFile leaves out comments and what belongs to the optimisers of both platforms', () => {
  const text = `${LINES}Lots=0.1||0.1||0.010000||1.000000||N\r\nOn=true||false||0||true||Y\r\nSep=a||b\r\n`;
  expect(parseSetFile(utf16(text))).toEqual({ Lots: '0.1', On: 'true', Sep: 'a||b' });
  const mt4 = 'Lots=0.10000000\r\nLots,F=0\r\nLots,1=0.10000000\r\nLots,2=0.00000000\r\nLots,3=0.00000000\r\n';
  expect(parseSetFile(ascii(mt4))).toEqual({ Lots: '0.10000000' });
});

it('parseSetFile takes a last line without its end, empty values, and values with signs of their own', () => {
  expect(parseSetFile(ascii('A=\nB= x = y ;\n\nRSI.Price=1'))).toEqual({ A: '', B: ' x = y ;', 'RSI.Price': '1' });
  expect(parseSetFile(ascii('head==== Money ===\r'))).toEqual({ head: '=== Money ===' });
});

it('parseSetFile refuses what holds no input, or a line that is none', () => {
  for (const bytes of [ascii(''), ascii(LINES), utf16(LINES), ascii('PK\u0003\u0004'), ascii('A=1\nno input\n')]) {
    expect(() => parseSetFile(bytes)).toThrow(SetFileError);
  }
  expect(() => parseSetFile(ascii('A=1\nno input\n'))).toThrow(/Line 2/);
});

it('toSetFile writes what parseSetFile reads, whatever the texts are', () => {
  const value = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n\0]|\|\|.*\|\|[YN]\s*$/.test(text));
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[A-Za-z_](?:[\w.]{0,20}\w)?$/), value, { minKeys: 1 }), (inputs) => {
      expect(parseSetFile(toSetFile(inputs))).toEqual({ ...inputs });
    }),
  );
});

it('toSetFile writes lines that end as in Windows, in UTF-16 with its mark, or in ASCII for MetaTrader 4', () => {
  expect(Buffer.from(toSetFile({ Lots: 0.1, On: true }))).toEqual(utf16('Lots=0.1\r\nOn=true\r\n'));
  expect(Buffer.from(toSetFile({ Lots: 1.5e-17 }, { platform: 'mt4' }))).toEqual(
    ascii('Lots=0.000000000000000015\r\n'),
  );
});

it('toSetFile refuses numbers that have lost digits, values of several lines, and names that would be another line', () => {
  for (const inputs of [{ Magic: 2 ** 60 }, { Lots: Infinity }, { Note: 'a\nB=1' }, { 'a=b': 1 }]) {
    expect(() => toSetFile(inputs as Record<string, string>)).toThrow(SetFileError);
  }
  expect(() => toSetFile({ Note: 'größer' }, { platform: 'mt4' })).toThrow(/ö/);
});
