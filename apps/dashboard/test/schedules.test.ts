/** Schedules as they are written in the form: what fields stand for which expression, and the times that come. */
import { expect, it } from 'vitest';
import { toCron, toWhen } from '../src/runs/schedule/draft.ts';
import { toCronWords, toNextTimes } from '../src/runs/schedule/times.ts';

it.each([
  ['0 21 * * *', { repeat: 'daily', time: '21:00' }, 'At 21:00, every day'],
  ['5 0 * * 1-5', { repeat: 'weekdays', time: '00:05' }, 'At 00:05, Monday through Friday'],
  ['0 3 * * 0,5', { repeat: 'days', time: '03:00', days: [0, 5] }, 'At 03:00, on Sunday and Friday'],
  ['*/15 8-17 * * 1-5', { repeat: 'cron' }, 'Every 15 minutes, between 08:00 and 17:59, Monday through Friday'],
  ['0 3 * * 6#1', { repeat: 'cron' }, 'At 03:00, on the first Saturday of the month'],
])('the expression %s is edited in fields, which give it back, and said in words', (cron, fields, words) => {
  expect(toWhen(cron)).toMatchObject(fields);
  expect([toCron(toWhen(cron)), toCronWords(cron)]).toEqual([cron, words]);
});

it('a day that an expression names by 7 is Sunday, once', () => {
  expect(toCron(toWhen('0 3 * * 7,0'))).toBe('0 3 * * 0');
});

it('the previewed times follow a zone over a change to summer time and back, as those of the server do', () => {
  const toTexts = (cron: string, zone: string, after: string) =>
    toNextTimes(cron, zone, Date.parse(after))
      .slice(0, 2)
      .map((at) => at.toISOString());
  expect(toTexts('0 21 * * 5', 'Europe/London', '2026-03-27T12:00:00Z')).toEqual([
    '2026-03-27T21:00:00.000Z',
    '2026-04-03T20:00:00.000Z',
  ]);
  expect(toTexts('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  expect(toTexts('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

it.each([
  ['61 * * * *', 'UTC'],
  ['@hourly', 'UTC'],
  ['* * * * * *', 'UTC'],
  ['0 0 30 2 *', 'UTC'],
  ['0 21 * * 5', 'Mars/Olympus'],
])('the expression %s in the zone %s has no times', (cron, zone) => {
  expect(toNextTimes(cron, zone, 0)).toEqual([]);
});
