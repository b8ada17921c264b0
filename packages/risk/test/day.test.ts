import { expect, it } from 'vitest';
import { findDay, tryRule, type TrialStep } from '../src/index.ts';
import { toRule } from './support/looks.ts';

const toDay = (time_zone: string, day_starts: string, now: string) => {
  const { fromMs, untilMs, date } = findDay({ time_zone, day_starts }, Date.parse(now));
  return `${date}: ${new Date(fromMs).toISOString()} to ${new Date(untilMs).toISOString()}`;
};

it('a day begins by the wall clock of its zone, also when summer time begins or ends', () => {
  expect([
    toDay('UTC', '00:00', '2026-01-31T00:00:00Z'),
    toDay('America/New_York', '17:00', '2026-01-31T21:59:59.999Z'),
    // 23 and 25 hours.
    toDay('Europe/Berlin', '00:00', '2026-03-29T12:00:00Z'),
    toDay('Europe/Berlin', '00:00', '2026-10-25T12:00:00Z'),
    // Skipped: the day begins when the clock goes on; shown twice: it begins the first time.
    toDay('Europe/Berlin', '02:30', '2026-03-29T12:00:00Z'),
    toDay('Europe/Berlin', '02:30', '2026-10-25T00:30:00Z'),
    toDay('Europe/Berlin', '02:30', '2026-10-25T01:30:00Z'),
    toDay('Pacific/Kiritimati', '00:00', '2026-01-31T12:00:00Z'),
    // Midnight itself is skipped.
    toDay('America/Santiago', '00:00', '2026-09-06T12:00:00Z'),
  ]).toEqual([
    '2026-01-31: 2026-01-31T00:00:00.000Z to 2026-02-01T00:00:00.000Z',
    '2026-01-30: 2026-01-30T22:00:00.000Z to 2026-01-31T22:00:00.000Z',
    '2026-03-29: 2026-03-28T23:00:00.000Z to 2026-03-29T22:00:00.000Z',
    '2026-10-25: 2026-10-24T22:00:00.000Z to 2026-10-25T23:00:00.000Z',
    '2026-03-29: 2026-03-29T01:00:00.000Z to 2026-03-30T00:30:00.000Z',
    '2026-10-25: 2026-10-25T00:30:00.000Z to 2026-10-26T01:30:00.000Z',
    '2026-10-25: 2026-10-25T00:30:00.000Z to 2026-10-26T01:30:00.000Z',
    '2026-02-01: 2026-01-31T10:00:00.000Z to 2026-02-01T10:00:00.000Z',
    '2026-09-06: 2026-09-06T04:00:00.000Z to 2026-09-07T03:00:00.000Z',
  ]);
});

it('a day of every zone follows the one before without a gap', () => {
  for (const time_zone of ['Europe/Berlin', 'Australia/Lord_Howe']) {
    for (const day_starts of ['02:15', '23:59']) {
      let end: number | undefined;
      for (let nowMs = Date.UTC(2026, 2, 26, 12); nowMs < Date.UTC(2026, 3, 8); nowMs += 86_400_000) {
        const { fromMs, untilMs } = findDay({ time_zone, day_starts }, nowMs);
        if (fromMs !== end && end !== undefined) expect(fromMs).toBeGreaterThan(end);
        expect(findDay({ time_zone, day_starts }, untilMs).fromMs).toBe(untilMs);
        expect(findDay({ time_zone, day_starts }, untilMs - 1).fromMs).toBe(fromMs);
        end = fromMs;
      }
    }
  }
});

it('a rule that is tried on the past names each day on which it would have acted, once', () => {
  const from = Date.UTC(2026, 0, 30, 23);
  const steps = ['10000', '10100', '9800', '9900', '9850', '9700', '9600'].map((equity, index): TrialStep => {
    const lowest = String(Number(equity) - 40);
    return { atMs: from + index * 1_800_000, balance: '10000', equity_min: lowest, equity_max: equity, equity };
  });
  const rule = toRule({ kind: 'daily_loss', amount: '200', basis: 'equity' });
  expect(tryRule(rule, steps)).toEqual([
    {
      ...{ day: '2026-01-31', atMs: from + 2 * 1_800_000, value: '9760.00', limit: '9900.00' },
      ...{ equityThen: '9760', equityAtDayEnd: '9600' },
    },
  ]);
});

it('a profit target that is tried on the past is met on the day on which the balance has reached it and nothing is open', () => {
  const from = Date.UTC(2026, 0, 30, 12);
  const toStep = (balance: string, equity: string, index: number): TrialStep => {
    const atMs = from + index * 86_400_000;
    return { atMs, balance, equity_min: equity, equity_max: equity, equity };
  };
  const money = ['10000/10900', '10800/10700', '10800.00/10800', '10900/10900'];
  const steps = money.map((each, index) => toStep(...(each.split('/') as [string, string]), index));
  const rule = toRule({ kind: 'profit_target', percent: '8' });
  expect(tryRule(rule, steps).map(({ day, value }) => [day, value])).toEqual([['2026-02-01', '10800.00']]);
});

it('a rule that waits is tried on the past as if it did not, because nobody knows how long a low of history lasted', () => {
  const atMs = Date.UTC(2026, 0, 30, 12);
  const toStep = (lowest: string, index: number): TrialStep => {
    const money = { balance: '10000', equity_min: lowest, equity_max: '10000', equity: '10000' };
    return { atMs: atMs + index * 60_000, ...money };
  };
  const rule = toRule({ kind: 'daily_loss', amount: '200', confirm_ms: 60_000 });
  const found = tryRule(rule, ['10000', '9800', '9900'].map(toStep));
  expect(found.map(({ day, value }) => [day, value])).toEqual([['2026-01-30', '9800.00']]);
});
