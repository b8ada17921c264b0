import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TaskType } from '../src/index.ts';
import {
  factSchemas,
  findFitting,
  HostPath,
  isSingleLine,
  taskTypes,
  toBoundedCharts,
  toKnownFacts,
  toKnownSteps,
  toPlainSentence,
} from '../src/index.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const sha256 = 'a'.repeat(64);
const id = '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';
const file = { id, sha256, bytes: 5, width: 800, height: 600, type: 'image/png' };

const listTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
};

it('what a host states is kept where the type of the task knows it', () => {
  const known: [TaskType, Record<string, unknown>][] = [
    [0, { path: '/srv/terminals/1/drive_c/mt5', build: 5836 }],
    [0, { path: 'C:\\mt\\1', build: null }],
    [1, { freed_bytes: 0 }],
    [2, { chart_id: '131000000000009', sha256, trading_allowed: false, trading_reason: 'investor_password' }],
    [3, { removed: ['131', 'chart01'] }],
    [4, { old_sha256: null, sha256, charts: [], trading_allowed: null, trading_reason: null }],
    [5, { lines: ['10:00:00.000\tE (EURUSD,H1)\t<b> http://a'], truncated: false }],
    [6, { file }],
    [7, { file, latency_ms: { min: 0.1, avg: 0.2, max: 1, loss: 0 } }],
    [8, { known: ['Harbour Demo'] }],
    [9, { login: '1', server_name: 'S', connected: true, ping_ms: null }],
    [10, { connected: false }],
    [11, { login: '1', server_name: 'S' }],
    [12, { enabled: true, verified: false }],
    [13, { urls: ['https://a.example:8443', 'http://[::1]:80'] }],
    [14, { symbols: 40 }],
    [
      100,
      {
        closed: 1,
        total: 2,
        left_open: [{ ticket: '7', symbol: 'EURUSD', message: 'Market closed.' }],
        remaining: 1,
      },
    ],
    [101, { running: true, login: '1', server_name: 'S', connected: true, ping_ms: 3 }],
    [102, { running: false }],
    [103, { running: true, login: '1', server_name: 'S', connected: true, ping_ms: null, trading_allowed: true }],
  ];
  for (const [type, data] of known) expect(toKnownFacts(type, data)).toEqual(data);
  expect(new Set(known.map(([type]) => type))).toEqual(new Set(taskTypes));
});

it('what a host states is kept for every type where it is the screenshot of what stood in the way', () => {
  for (const type of taskTypes) expect(toKnownFacts(type, { file })).toEqual({ file });
});

it('what a host states is dropped where it is unknown, too large, of several lines, a path or link of another kind', () => {
  const bad: [TaskType, Record<string, unknown>][] = [
    [0, { path: '/a\nb' }],
    [0, { path: 'https://evil.example' }],
    [0, { path: '//evil.example/share' }],
    [0, { path: '\\\\evil\\share' }],
    [0, { path: '/<script>' }],
    [0, { path: `/${'x'.repeat(1024)}` }],
    [0, { build: 'javascript:alert(1)' }],
    [0, { url: 'https://evil.example' }],
    [2, { chart_id: 'https://evil.example' }],
    [2, { sha256: 'https://evil.example' }],
    [2, { trading_reason: 'https://evil.example' }],
    [6, { file: { ...file, id: '../../1' } }],
    [6, { file: { ...file, type: 'text/html\r\nx' } }],
    [6, { file: { url: 'https://evil.example' } }],
    [6, { url: 'https://evil.example' }],
    [7, { latency_ms: { min: -1, avg: 0, max: 0, loss: 0 } }],
    [7, { latency_ms: { min: 0 } }],
    [9, { login: '1\u2028', server_name: 'a\u0085b', connected: 'yes', ping_ms: '<b>' }],
    [12, JSON.parse('{"__proto__": {"enabled": true}}') as Record<string, unknown>],
    [14, { symbols: 1.5 }],
  ];
  for (const [type, data] of bad) expect(toKnownFacts(type, data), JSON.stringify(data)).toEqual({});
  expect(toKnownFacts(13, { urls: ['https://a.example/path', 'javascript:1', 'https://a@b'] })).toEqual({ urls: [] });
  expect(toKnownFacts(6, { file: { ...file, url: 'https://evil.example' } })).toEqual({ file });
  expect(toKnownFacts(5, { lines: ['a\u0000b\nc\td'], truncated: 1 })).toEqual({ lines: ['a b c\td'] });
});

it('what a host states does not turn the reading direction of what is shown, in logs, names and charts', () => {
  expect(toKnownFacts(5, { lines: ['buy \u202e001 ta\u202c'] })).toEqual({ lines: ['buy 001 ta'] });
  expect(toKnownFacts(8, { known: ['Demo', '\u2066Live'] })).toEqual({ known: ['Demo'] });
  const expert = { allow_algo_trading: 1, allow_dll: 0, sha256: null, state: 'running' } as const;
  const chart = { chart_id: '1', symbol: 'EUR\u202eDSU', period: 'H1' } as const;
  const inputs = { '\u200fLots': '1\u202e0\n' };
  const { charts, truncated } = toBoundedCharts([{ ...chart, expert: { name: 'T\u2067rend', inputs, ...expert } }]);
  expect(charts).toEqual([
    { ...chart, symbol: 'EURDSU', expert: { name: 'Trend', inputs: { Lots: '10 ' }, ...expert } },
  ]);
  expect(truncated).toBe(true);
});

it('what a host states, whatever it is, has no key that its type does not know and no text of several lines', () => {
  const keys = [...new Set(taskTypes.flatMap((type) => Object.keys(factSchemas[type].properties)))];
  const part = fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.string({ unit: 'binary' })),
  );
  const anyData = fc.dictionary(fc.oneof(fc.constantFrom(...keys, 'url', '__proto__'), fc.string()), part);
  fc.assert(
    fc.property(fc.constantFrom(...taskTypes), anyData, (type, data) => {
      const held = toKnownFacts(type, data);
      for (const key of Object.keys(held)) expect(Object.keys(factSchemas[type].properties)).toContain(key);
      for (const text of listTexts(held)) expect(isSingleLine(text.replaceAll('\t', ''))).toBe(true);
      expect(toKnownFacts(type, held)).toEqual(held);
    }),
  );
});

it('what a host states as a sentence is one line, and neither a link nor markup', () => {
  expect(toPlainSentence('See <a href="https://evil.example">\r\nthis</a>\u202e', 2000)).toBe(
    'See ‹a href="https: //evil.example"› this‹/a›',
  );
  expect(toPlainSentence('://'.repeat(1000), 500).length).toBeLessThanOrEqual(500);
});

it('what a host states as steps has known names and times', () => {
  const step = { step: 'copy_files', ok: true, code: null, message: 'Done.', at: now.toISOString(), data: {} };
  expect(toKnownSteps(1, [step], new Date(0))).toEqual([step]);
  const odd = { ...step, step: '<b>', at: 'https://evil.example' };
  expect(toKnownSteps(1, [odd], now)).toEqual([{ ...step, step: 'unnamed' }]);
});

it('what a host states as a folder is an absolute path or nothing', () => {
  expect(findFitting(HostPath, '/srv/a b/c')).toBe('/srv/a b/c');
  for (const path of [undefined, null, 7, 'srv', 'file:///etc', ''])
    expect(findFitting(HostPath, path)).toBe(undefined);
});
