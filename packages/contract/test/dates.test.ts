import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isIsoDate, parseIsoDateTime } from '../src/index.ts';

it('dates of the API takes real days only', () => {
  expect(isIsoDate('2024-02-29')).toBe(true);
  for (const text of [
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '2024-04-31',
    '0000-01-01',
    '2024-02-29 ',
    '',
  ]) {
    expect(isIsoDate(text), text).toBe(false);
  }
});

it('dates of the API reads every instant that JavaScript writes', () => {
  const instants = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(fc.property(instants, (date) => parseIsoDateTime(date.toISOString())?.getTime() === date.getTime()));
});

it('dates of the API reads zones, microseconds and missing parts', () => {
  expect(parseIsoDateTime('2026-01-02T03:04:05.678901Z')?.toISOString()).toBe('2026-01-02T03:04:05.678Z');
  expect(parseIsoDateTime('2026-01-02T03:04+02:00')?.toISOString()).toBe('2026-01-02T01:04:00.000Z');
  expect(parseIsoDateTime('2026-01-02T03:04:05+0530')?.toISOString()).toBe('2026-01-01T21:34:05.000Z');
  expect(parseIsoDateTime('2026-01-02 03:04:05')?.toISOString()).toBe('2026-01-02T03:04:05.000Z');
  expect(parseIsoDateTime('2026-01-02')?.toISOString()).toBe('2026-01-02T00:00:00.000Z');
});

it('dates of the API refuses anything else', () => {
  for (const text of [
    'tomorrow',
    '2026-02-30T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '1767225600',
    '2026-01-01T00:00:00X',
  ]) {
    expect(parseIsoDateTime(text), text).toBeUndefined();
  }
});
