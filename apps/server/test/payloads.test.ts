import { randomUUID } from 'node:crypto';
import { findNearestName, isFileStem, TaskType } from '@berth/contract';
import { expect, it } from 'vitest';
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

it('a value that is none of a list is refused with the values that may stand there, under the name that the payload gives it', () => {
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

it('a symbol is called as its broker calls it, up to 64 characters', () => {
  const names = [
    'EURUSD.r',
    'EURUSD_i',
    'Volatility 75 (1s) Index',
    'US 30',
    'S&P#1.fs',
    '[SP500]',
    '#AAPL',
    'EURUSD.£',
    'EURUSD™',
    '沪深300',
    'A=B,C;D',
    'x'.repeat(64),
    '金'.repeat(64),
  ];
  for (const symbol of names) expect(errorsOf(2, { ...expert, symbol }), symbol).toEqual({});
});

it.each([
  ['A\nB', 'must not contain control characters'],
  ['A\0B', 'invalid characters'],
  ['A\u2028B', 'must not contain control characters'],
  ['A\u202eB', 'must not contain characters that change the reading direction'],
  ['A\u061cB', 'must not contain characters that change the reading direction'],
  ...[...'\\/:*?"<>|'].map((sign) => [`A${sign}B`, `must not contain ${sign} or any other of`] as const),
  ['nul', 'must not be a name that Windows reserves'],
  ['A.', 'must not begin with a space, or end with a space or a dot'],
  ['A (B', 'must have its round brackets in pairs'],
  ['A ((B))', 'must have its round brackets in pairs'],
  ['x'.repeat(65), 'must not be greater than 64 characters'],
  ['', 'is required'],
  [' ', 'is required'],
] as const)('a symbol that no broker has is refused with the rule that it breaks: %j', (symbol, rule) => {
  expect(errorsOf(2, { ...expert, symbol })).toEqual({ 'payload.symbol': [expect.stringContaining(rule)] });
});

it('a symbol of which everything is to be closed may be whatever the terminal calls it', () => {
  for (const symbol of ['EUR/USD', 'CON', 'A.', 'A:B*']) expect(errorsOf(100, { symbols: [symbol] })).toEqual({});
  expect(Object.keys(errorsOf(100, { symbols: ['A\nB'] }))).toEqual(['payload.symbols.0']);
});

const errorsOfInputs = (inputs: object) => errorsOf(2, { ...expert, inputs });

it('an input of an expert has a name of any letters and dots, up to 64 of them', () => {
  for (const name of ['RSI.Price', 'Größe', '手数', '_x', '1st', 'Risk %', 'x'.repeat(64)]) {
    expect(errorsOfInputs({ [name]: 1 }), name).toEqual({});
  }
});

it.each([
  ['a=b', 'must not contain =, or begin with ;'],
  ['; a', 'must not contain =, or begin with ;'],
  ['a\nb', 'must not contain control characters'],
  ['a<b', 'must not contain < or any other of'],
  ['', 'must not be empty'],
  [' a', 'must not begin with a space, or end with a space or a dot'],
  ['a.', 'must not begin with a space, or end with a space or a dot'],
  ['x'.repeat(65), 'must not be longer than 64 characters'],
])('an input of an expert is refused with the rule that its name breaks, which is not repeated: %j', (name, rule) => {
  expect(errorsOfInputs({ [name]: 1 })).toEqual({
    'payload.inputs': [`A name in the payload.inputs field ${rule}`].map((text) => expect.stringContaining(text)),
  });
});

it('an input of an expert is a number only where JSON holds every digit of it; a text has any number of digits', () => {
  const wrong = JSON.parse(
    '{"Magic": 123456789012345678, "Big": 1e400, "Edge": 9007199254740993, "Low": -1e17}',
  ) as object;
  for (const [name, value] of Object.entries(wrong)) {
    expect(errorsOfInputs({ [name]: value })).toEqual({
      [`payload.inputs.${name}`]: [expect.stringContaining('with all its digits')],
    });
  }
  const right = { a: 9007199254740991, b: -9007199254740991, c: 0.1, d: 1.5e-17, e: '123456789012345678', f: -0 };
  expect(errorsOfInputs(right)).toEqual({});
});

it('an input of an expert whose number has lost digits is refused with what to do', () => {
  try {
    parsePayload(2, { ...expert, inputs: { Magic: 2 ** 60 } });
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ hint: expect.stringContaining('as a text') });
  }
});

it('a key of a payload that its type does not know is refused by its name, with the nearest known one', () => {
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

it('a key of a payload that its type does not know stands beside what is missing, and is not repeated when it is long, odd, or one of many', () => {
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

it('a key of a payload that its type does not know is no mistake among the inputs of an expert: those are the expert’s own', () => {
  expect(errorsOf(2, { ...expert, inputs: { anything: 1, name2: 'x' } })).toEqual({});
});

it('the nearest name is the one that was meant, or none', () => {
  expect(findNearestName('widht', ['height', 'width'])).toBe('width');
  expect(findNearestName('chartId', ['name', 'chart_id'])).toBe('chart_id');
  for (const name of ['', '___', 'zzzzzzzz', 'x'.repeat(10_000)]) {
    expect(findNearestName(name, ['name', 'chart_id'])).toBeUndefined();
  }
});

it.each(['CON', 'nul', 'COM1.x', 'lpt9', 'Aux.v2', 'COM¹', 'nul .x', 'prn.'])(
  'the name of an expert: %s is refused',
  (name) => {
    expect(isFileStem(name)).toBe(false);
    for (const type of [2, 3, 4]) {
      const payload =
        type === TaskType.EA_INSTALL
          ? { ...expert, name }
          : { name, ...(type === TaskType.EA_UPDATE ? { inputs: {} } : {}) };
      expect(Object.keys(errorsOf(type, payload)), String(type)).toEqual(['payload.name']);
    }
  },
);

it('the name of an expert that looks like one of them, but is none, is taken', () => {
  for (const name of ['Console', 'COM10', 'nullable', 'x.con', 'LPT', 'Auxiliary 2.1']) {
    expect(errorsOf(2, { ...expert, name })).toEqual({});
  }
});

it('the name of an expert has up to 128 letters where a file can have it: in UTF-8, 220 bytes', () => {
  for (const name of ['x'.repeat(128), '金'.repeat(73)]) expect(errorsOf(2, { ...expert, name })).toEqual({});
  for (const name of ['x'.repeat(129), '金'.repeat(74), '𐐀'.repeat(63)]) {
    expect(Object.keys(errorsOf(2, { ...expert, name }))).toEqual(['payload.name']);
  }
});

it('the name of an expert is what its author called it, or a path below the folder of experts', () => {
  const names = ['New [EA] Sniper', 'EnigmaG12~', "Trader's & Friends", '.x', 'A = B; C, D', 'Mine\\Trend 2.1', '平均'];
  for (const name of names) expect(errorsOf(2, { ...expert, name }), name).toEqual({});
  expect(parsePayload(2, { ...expert, name: ' x ' })).toMatchObject({ name: 'x' });
});

it.each([
  ['C:x', 'must not contain : or any other of'],
  ['CONIN$', 'must not be a name that Windows reserves'],
  ['x.', 'must not begin with a space, or end with a space or a dot'],
  ['x/y', 'must not contain / or any other of'],
  ['..\\x', 'has a part that must not begin with a space, or end with a space or a dot'],
  ['x\\..\\..\\y', 'has a part that must not begin with a space, or end with a space or a dot'],
  ['\\x', 'has a part that must not be empty'],
  ['x\\\\y', 'has a part that must not be empty'],
  ['x\\nul', 'has a part that must not be a name that Windows reserves'],
  ['x\u202ey', 'must not contain characters that change the reading direction'],
  ['Trend.ex5', 'must not have the ending of its file'],
  ['Trend.MQ4', 'must not have the ending of its file'],
])('the name of an expert is refused with the rule that it breaks: %j', (name, rule) => {
  expect(errorsOf(2, { ...expert, name })).toEqual({ 'payload.name': [expect.stringContaining(rule)] });
});

const errorsOfPort = (port: string) => Object.keys(errorsOf(8, { servers: [{ name: 'a', address: `h:${port}` }] }));

it('the address of a trading server has a port from 1 to 65535', () => {
  for (const port of ['1', '443', '9999', '10000', '59999', '60000', '64999', '65535']) {
    expect(errorsOfPort(port), port).toEqual([]);
  }
  for (const port of ['0', '00443', '65536', '65540', '66000', '70000', '99999', '100000', '']) {
    expect(errorsOfPort(port), port).toEqual(['payload.servers.0.address']);
  }
});

it('an address for WebRequest is one host, with its port or without', () => {
  const urls = [
    'https://a.example',
    'http://A-b.example:8080/',
    'https://my_host',
    'http://192.0.2.7',
    'http://[::1]:80',
  ];
  for (const url of urls) expect(errorsOf(13, { url }), url).toEqual({});
});

it.each(['https://*.example.com', 'https://*', "https://a'b.example", 'https://a(b).example', 'https://a.example/x'])(
  'an address for WebRequest is refused with anything that is no host: %s',
  (url) => {
    expect(errorsOf(13, { url })['payload.url']).toEqual([
      'The payload.url field must be a valid URL of one host, without * and without a path.',
    ]);
  },
);
