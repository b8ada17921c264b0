import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { findQuietEnd } from '../src/alerts/quiet-hours.ts';

const MINUTE = 60_000;

const berlin = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
const endOf = (quiet: typeof berlin, at: string): string | undefined => {
  const end = findQuietEnd(quiet, Date.parse(at));
  return end === undefined ? undefined : new Date(end).toISOString();
};

it('quiet hours are hours on the wall, in winter, in summer, and in the nights between', () => {
  expect(endOf(berlin, '2026-01-31T20:59:59Z')).toBeUndefined();
  expect(endOf(berlin, '2026-01-31T21:00:00Z')).toBe('2026-02-01T06:00:00.000Z');
  expect(endOf(berlin, '2026-07-01T20:00:00Z')).toBe('2026-07-02T05:00:00.000Z');
  expect(endOf(berlin, '2026-03-28T23:00:00Z')).toBe('2026-03-29T05:00:00.000Z');
  expect(endOf(berlin, '2026-10-24T22:00:00Z')).toBe('2026-10-25T06:00:00.000Z');
  expect(endOf(berlin, '2026-01-31T06:00:00Z')).toBeUndefined();
});

it('quiet hours end at the next minute that there is, where their own is skipped', () => {
  const night = { ...berlin, from: '23:00', to: '02:30' };
  expect(endOf(night, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
});

it('quiet hours may be within a day, and in zones of half an hour', () => {
  const lunch = { from: '12:00', to: '13:30', time_zone: 'Asia/Kolkata' };
  expect(endOf(lunch, '2026-01-31T06:30:00Z')).toBe('2026-01-31T08:00:00.000Z');
  expect(endOf(lunch, '2026-01-31T08:00:00Z')).toBeUndefined();
});

/** When they are over, found by trying each minute. */
const findByMinutes = ({ from, to, time_zone: timeZone }: typeof berlin, at: number): number | undefined => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' });
  const isQuiet = (moment: number): boolean => {
    const time = format.format(moment);
    return from < to ? time >= from && time < to : time >= from || time < to;
  };
  if (!isQuiet(at)) return undefined;
  let end = at - (at % MINUTE) + MINUTE;
  while (isQuiet(end)) end += MINUTE;
  return end;
};
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/St_Johns', 'UTC'];
const changes = ['2026-03-08', '2026-03-29', '2026-04-04', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-01'];

it('quiet hours end when trying each minute says that they do, also around the nights in which clocks change', () => {
  const moment = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -30 * 60, max: 30 * 60 }))
    .map(([day, minutes]) => Date.parse(day) + minutes * MINUTE + 12_345);
  const check = (from: string, to: string, time_zone: string, at: number): void => {
    fc.pre(from !== to);
    const quiet = { from, to, time_zone };
    expect(findQuietEnd(quiet, at)).toBe(findByMinutes(quiet, at));
  };
  fc.assert(fc.property(time, time, fc.constantFrom(...zones), moment, check), { numRuns: 300 });
});

it('quiet hours are found without a look at each of their minutes', () => {
  const format = vi.spyOn(Intl.DateTimeFormat.prototype as { readonly format: unknown }, 'format', 'get');
  expect(endOf({ ...berlin, from: '00:01', to: '00:00' }, '2026-03-28T23:01:00Z')).toBe('2026-03-29T22:00:00.000Z');
  const looks = format.mock.calls.length;
  format.mockRestore();
  expect(looks).toBeLessThan(50);
});
