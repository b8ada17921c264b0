import { randomUUID } from 'node:crypto';
import { findNearestName, isFileStem, TaskType } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { ValidationError } from '../src/errors.ts';
import { parsePayload } from '../src/tasks/payload.ts';

type Type = Parameters<typeof parsePayload>[0];

/** Field → texts of what is wrong with the payload; empty for a right one. */
const errorsOf = (type: number, payload: Record<string, unknown>): Record<string, string[]> => {
  try {
    parsePayload(type as Type, payload);
    return {};
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const texts: Record<string, string[]> = {};
    for (const { field, text } of error.errors) texts[field] = [...(texts[field] ?? []), text];
    return texts;
  }
};
const expert = { name: 'Trend', file_id: randomUUID(), symbol: 'EURUSD', period: 'H1' };

describe('a value that is none of a list', () => {
  it('is refused with the values that may stand there, under the name that the payload gives it', () => {
    expect(errorsOf(2, { ...expert, period: 'H7' })).toEqual({
      'payload.period': [expect.stringMatching(/^The selected payload\.period is invalid\. Choose M1, .* or MN1\.$/)],
    });
    for (const value of [2, '1', true]) {
      expect(errorsOf(12, { allow_algo_trading: value })).toEqual({
        'payload.allow_algo_trading': ['The selected payload.allow_algo_trading is invalid. Choose 0 or 1.'],
      });
    }
    expect(errorsOf(5, { source: 'log' })['payload.source']).toEqual([
      'The selected payload.source is invalid. Choose experts or journal.',
    ]);
  });
});

describe('a symbol', () => {
  it('is called as its broker calls it, up to 64 characters', () => {
    const names = [
      'EURUSD.r',
      'EURUSD_i',
      'Volatility 75 (1s) Index',
      'US 30',
      'S&P#1.fs',
      '[SP500]',
      '#AAPL',
      'x'.repeat(64),
    ];
    for (const symbol of names) expect(errorsOf(2, { ...expert, symbol }), symbol).toEqual({});
  });

  it('holds nothing that would part a line of a file or of a journal', () => {
    const lines = ['\n', '\r', '\0', '\t', '\u2028', '=', ',', ';', ':', '<', '>', '"', '|', '\\'];
    const names = [...lines.map((text) => `A${text}B`), '', ' ', 'x'.repeat(65)];
    for (const symbol of names) {
      expect(Object.keys(errorsOf(2, { ...expert, symbol })), JSON.stringify(symbol)).toEqual(['payload.symbol']);
    }
  });
});

describe('a key of a payload that its type does not know', () => {
  it('is refused by its name, with the nearest known one', () => {
    const cases: [number, Record<string, unknown>, string, string][] = [
      [2, { ...expert, input: { Lots: 1 } }, 'payload.input', 'did you mean inputs?'],
      [2, { ...expert, allowAlgoTrading: 1 }, 'payload.allowAlgoTrading', 'did you mean allow_algo_trading?'],
      [2, { ...expert, Inputs: {} }, 'payload.Inputs', 'did you mean inputs?'],
      [2, { ...expert, algo_trading: 1 }, 'payload.algo_trading', 'did you mean allow_algo_trading?'],
      [9, { passwrod: 'x' }, 'payload.passwrod', 'did you mean password?'],
      [9, { server: 'x' }, 'payload.server', 'did you mean server_name?'],
      [8, { servers: [{ name: 'a', address: 'h:1', adress: 'h:1' }] }, 'payload.servers.0.adress', 'mean address?'],
      [14, { x: null }, 'payload.x', 'The payload.x field is unknown.'],
      [12, JSON.parse('{"allow_algo_trading":1,"__proto__":{}}'), 'payload.__proto__', 'is unknown.'],
      [12, { allow_algo_trading: 1, constructor: 1 }, 'payload.constructor', 'is unknown.'],
    ];
    for (const [type, payload, field, text] of cases) {
      const errors = errorsOf(type, payload);
      expect(Object.keys(errors), field).toEqual([field]);
      expect(errors[field]).toEqual([expect.stringContaining(text)]);
    }
    expect(errorsOf(2, { ...expert, input: 1 })['payload.input']).toEqual([
      'The payload.input field is unknown; did you mean inputs?',
    ]);
  });

  it('stands beside what is missing, and is not repeated when it is long, odd, or one of many', () => {
    expect(errorsOf(8, { servers: [{ name: 'a', adress: 'h:1' }] })).toEqual({
      'payload.servers.0.adress': [expect.stringContaining('address?')],
      'payload.servers.0.address': [expect.stringContaining('required')],
    });
    for (const key of ['k'.repeat(65), 'a\nb', '\ud800']) {
      expect(JSON.stringify(errorsOf(14, { [key]: 1 }))).not.toContain('kkkk');
      expect(Object.keys(errorsOf(14, { [key]: 1 }))).toEqual(['payload']);
    }
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
    expect(Object.keys(errorsOf(14, many)).length).toBeLessThanOrEqual(16);
  });

  it('is no mistake among the inputs of an expert: those are the expert’s own', () => {
    expect(errorsOf(2, { ...expert, inputs: { anything: 1, name2: 'x' } })).toEqual({});
  });
});

describe('the nearest name', () => {
  it('is the one that was meant, or none', () => {
    expect(findNearestName('widht', ['height', 'width'])).toBe('width');
    expect(findNearestName('chartId', ['name', 'chart_id'])).toBe('chart_id');
    for (const name of ['', '___', 'zzzzzzzz', 'x'.repeat(10_000)]) {
      expect(findNearestName(name, ['name', 'chart_id'])).toBeUndefined();
    }
  });
});

describe('the name of an expert', () => {
  it.each(['CON', 'nul', 'COM1.x', 'lpt9', 'Aux.v2', 'COM¹', 'nul .x', 'prn.'])('%s is refused', (name) => {
    expect(isFileStem(name)).toBe(false);
    for (const type of [2, 3, 4]) {
      const payload =
        type === TaskType.EA_INSTALL
          ? { ...expert, name }
          : { name, ...(type === TaskType.EA_UPDATE ? { inputs: {} } : {}) };
      expect(Object.keys(errorsOf(type, payload)), String(type)).toEqual(['payload.name']);
    }
  });

  it('that looks like one of them, but is none, is taken', () => {
    for (const name of ['Console', 'COM10', 'nullable', 'x.con', 'LPT', 'Auxiliary 2.1']) {
      expect(errorsOf(2, { ...expert, name })).toEqual({});
    }
  });

  it('of 63 letters is taken where a file can have it: letters of four bytes are too many', () => {
    expect(errorsOf(2, { ...expert, name: 'Ł'.repeat(63) })).toEqual({});
    expect(Object.keys(errorsOf(2, { ...expert, name: '𐐀'.repeat(63) }))).toEqual(['payload.name']);
  });

  it('never has a colon, a point or space at its end, or the sign of a device', () => {
    for (const name of ['C:x', 'x:stream', 'CONIN$', 'CLOCK$', 'x.', '.x', 'x/y', 'x\\y']) {
      expect(Object.keys(errorsOf(2, { ...expert, name })), name).toEqual(['payload.name']);
    }
    expect(parsePayload(2, { ...expert, name: ' x ' })).toMatchObject({ name: 'x' });
  });
});

describe('the address of a trading server', () => {
  const errorsOfPort = (port: string) => Object.keys(errorsOf(8, { servers: [{ name: 'a', address: `h:${port}` }] }));

  it('has a port from 1 to 65535', () => {
    for (const port of ['1', '443', '9999', '10000', '59999', '60000', '64999', '65535']) {
      expect(errorsOfPort(port), port).toEqual([]);
    }
    for (const port of ['0', '00443', '65536', '65540', '66000', '70000', '99999', '100000', '']) {
      expect(errorsOfPort(port), port).toEqual(['payload.servers.0.address']);
    }
  });
});
