/** Worked cases: what each definition of a risk rule means in money, at its limit and one cent beside it. */
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { account, toRule, watch, type Look, type Watching } from './support/looks.ts';

/** Morning, noon and evening of one day. */
const DAY = '2026-11-23T';
/** What a rule decides at the last look at a day that began with the first one. */
const decide = (watching: Watching, start: string, later: string): string | undefined =>
  watch(watching, [
    [`${DAY}00:00:00Z`, start],
    [`${DAY}09:00:00Z`, later],
  ]).at(-1);
const toInitial = (initial_balance: string) => ({ ...account, initial_balance });

test('a daily loss of 5% of the initial balance counts from the balance at midnight in Prague', () => {
  const rule = toRule({ kind: 'daily_loss', percent: '5', percent_of: 'initial', time_zone: 'Europe/Prague' });
  const looks: Look[] = [
    ['2026-11-22T22:59:59Z', '99000.00/99000.00'],
    ['2026-11-22T23:00:00Z', '102500.00/101000.00'],
    ['2026-11-23T09:00:00Z', '102500.00/97500.01'],
    ['2026-11-23T09:01:00Z', '102500.00/97500.00'],
  ];
  const expected = ['no', 'no', 'no', 'breach 97500.00/97500.00'];
  expect(watch({ rule, account: toInitial('100000.00') }, looks)).toEqual(expected);
});

test('a percentage of what the day began with depends on whether balance, equity or the higher of both counts', () => {
  const under = (basis: GuardRule['basis']) => ({ rule: toRule({ kind: 'daily_loss', percent: '4', basis }) });
  const profit = (basis: GuardRule['basis']) => decide(under(basis), '100000.00/104000.00', '100000.00/99500.00');
  const loss = (basis: GuardRule['basis']) => decide(under(basis), '100000.00/98000.00', '100000.00/95000.00');
  expect([profit('balance'), profit('equity'), profit('higher')]).toEqual([
    'no',
    'breach 99500.00/99840.00',
    'breach 99500.00/99840.00',
  ]);
  expect([loss('balance'), loss('equity'), loss('higher')]).toEqual([
    'breach 95000.00/96000.00',
    'no',
    'breach 95000.00/96000.00',
  ]);
});

test('the day of 25 hours in Prague has one start, also in its last hour', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '5000', time_zone: 'Europe/Prague' });
  const looks: Look[] = [
    ['2026-10-24T22:00:00Z', '100000.00/100000.00'],
    ['2026-10-25T22:00:00Z', '98000.00/97000.00'],
    ['2026-10-25T22:30:00Z', '98000.00/95000.00'],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'no', 'breach 95000.00/95000.00']);
});

test('credit that the broker gives or takes away neither causes nor hides a breach', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '500', basis: 'higher' });
  const credit = { credit: '2000.00' };
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00/12000.00', credit],
    [`${DAY}09:00:00Z`, '10000.00/10000.00', { credit: '0.00' }],
    [`${DAY}09:01:00Z`, '10000.00/11500.01', credit],
    [`${DAY}09:02:00Z`, '10000.00/11500.00', credit],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'no', 'no', 'breach 9500.00/9500.00']);
});

test('costs of closing count like any other loss, and a buffer acts before they do', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '5000' });
  const withBuffer = { rule: { ...rule, buffer: '100' } };
  const begin: Look = [`${DAY}00:00:00Z`, '100000.00/100000.00'];
  expect(
    watch({ rule }, [
      begin,
      [`${DAY}09:00:00Z`, '100000.00/95060.00', { volumes: ['20.00'] }],
      [`${DAY}09:00:01Z`, '94990.00/94990.00'],
    ]),
  ).toEqual(['no', 'no', 'breach 94990.00/95000.00']);
  expect(
    watch(withBuffer, [begin, [`${DAY}09:00:00Z`, '100000.00/95100.01'], [`${DAY}09:01:00Z`, '100000.00/95099.00']]),
  ).toEqual(['no', 'no', 'breach 95099.00/95100.00']);
});

test('a buffer that is as large as the limit acts at once instead of never', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '500', buffer: '500' });
  expect(watch({ rule }, [[`${DAY}00:00:00Z`, '10000.00/10000.00']])).toEqual(['breach 10000.00/10000.00']);
});

test('a floor with a buffer acts so much above the floor', () => {
  const watching = { rule: toRule({ kind: 'equity_floor', amount: '9000', buffer: '50' }) };
  expect(decide(watching, '10000.00', '10000.00/9050.01')).toBe('no');
  expect(decide(watching, '10000.00', '10000.00/9050.00')).toBe('breach 9050.00/9050.00');
});

const followed: Look[] = ['100000', '103000', '98000.01', '106000', '110000', '100000.01', '100000.00'].map(
  (equity, hour) => [`${DAY}0${hour}:00:00Z`, `100000.00/${equity}`],
);

test.each([
  ['an amount', { trail_stops_at: '100000' }, account],
  ['so much above the initial balance', { trail_stops_at_initial_plus: '500' }, toInitial('99500.00')],
  ['so much above what the rule began with, where nobody knows more', { trail_stops_at_initial_plus: '0' }, account],
])('a limit that trails equity stops at %s', (_, stops, guarded) => {
  const rule = toRule({ kind: 'trailing_drawdown', amount: '5000', ...stops });
  const expected = [...Array<string>(6).fill('no'), 'breach 100000.00/100000.00'];
  expect(watch({ rule, account: guarded }, followed)).toEqual(expected);
});

test('a limit that trails the balance follows each closed high at once, and no open profit', () => {
  const rule = toRule({ kind: 'trailing_drawdown', amount: '5000', trail: 'balance' });
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '100000.00/100000.00'],
    [`${DAY}01:00:00Z`, '100000.00/104000.00'],
    [`${DAY}02:00:00Z`, '100000.00/95000.01'],
    [`${DAY}03:00:00Z`, '102000.00/102000.00'],
    [`${DAY}04:00:00Z`, '102000.00/97000.00'],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'no', 'no', 'no', 'breach 97000.00/97000.00']);
});

test('a trailing limit of 4% of the initial balance is no larger at a high', () => {
  const rule = toRule({ kind: 'trailing_drawdown', percent: '4', percent_of: 'initial' });
  const watching = { rule, account: toInitial('100000.00') };
  expect(decide(watching, '110000.00', '110000.00/106000.01')).toBe('no');
  expect(decide(watching, '110000.00', '110000.00/106000.00')).toBe('breach 106000.00/106000.00');
});

test('a daily limit that trails follows the highs of its own day, and begins the next one with its start', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '500', day_trail: 'equity' });
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00/10000.00'],
    [`${DAY}09:00:00Z`, '10000.00/10400.00'],
    [`${DAY}10:00:00Z`, '10000.00/9900.01'],
    ['2026-11-24T00:00:00Z', '10000.00/9900.01'],
    ['2026-11-24T01:00:00Z', '10000.00/9500.01'],
    ['2026-11-24T02:00:00Z', '10000.00/10100.00'],
    ['2026-11-24T03:00:00Z', '10000.00/9600.00'],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'no', 'no', 'no', 'no', 'no', 'breach 9600.00/9600.00']);
  const { day_trail: _, ...still } = rule;
  expect(watch({ rule: still }, looks)).toEqual(Array(7).fill('no'));
});

test('a drawdown counts from the initial balance, whatever the account came to when the rule began', () => {
  const watching = { rule: toRule({ kind: 'max_drawdown', percent: '10' }), account: toInitial('100000.00') };
  expect(decide(watching, '94000.00', '94000.00/90000.01')).toBe('no');
  expect(decide(watching, '94000.00', '94000.00/90000.00')).toBe('breach 90000.00/90000.00');
  expect(decide({ rule: watching.rule }, '94000.00', '94000.00/90000.00')).toBe('no');
});

test('a profit target is met by the balance with nothing open', () => {
  const watching = { rule: toRule({ kind: 'profit_target', percent: '8' }), account: toInitial('100000.00') };
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '104000.00/104000.00'],
    [`${DAY}09:00:00Z`, '104000.00/109000.00', { volumes: ['1.00'] }],
    [`${DAY}10:00:00Z`, '108500.00/107000.00', { volumes: ['1.00'] }],
    [`${DAY}11:00:00Z`, '107999.99/107999.99'],
    [`${DAY}12:00:00Z`, '108000.00/108000.00'],
  ];
  expect(watch(watching, looks)).toEqual(['no', 'no', 'no', 'no', 'breach 108000.00/108000.00']);
});

test('a profit target that measures equity is met with positions open', () => {
  const rule = toRule({ kind: 'profit_target', percent: '8', measure: 'equity' });
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '100000.00/100000.00'],
    [`${DAY}09:00:00Z`, '100000.00/108000.00', { volumes: ['1.00'] }],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'breach 108000.00/108000.00']);
});

test('a loss that is measured by the balance counts once it is closed', () => {
  const watching = { rule: toRule({ kind: 'daily_loss', amount: '500', measure: 'balance' }) };
  expect(decide(watching, '10000.00', '9500.01/8000.00')).toBe('no');
  expect(decide(watching, '10000.00', '9500.00/9500.00')).toBe('breach 9500.00/9500.00');
});

test('a rule in one currency watches no account of another one, and all others', () => {
  const rule = toRule({ kind: 'equity_floor', amount: '9000', currency: 'USD' });
  const looks: Look[] = ['JPY', 'USD'].map((currency, hour) => [`${DAY}0${hour}:00:00Z`, '8000.00', { currency }]);
  expect(watch({ rule }, looks)).toEqual(['other_currency', 'breach 8000.00/9000.00']);
  expect(watch({ rule: { ...rule, currency: null } }, looks.slice(0, 1))).toEqual(['breach 8000.00/9000.00']);
});

test('a limit of lots is blind where positions are not listed, unless the listed ones are too many already', () => {
  const rule = toRule({ kind: 'max_volume', amount: '1.00' });
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', { volumes: ['0.60', '0.40'] }],
    [`${DAY}01:00:00Z`, '10000.00', { volumes: ['0.60', '0.40'], positions: 3 }],
    [`${DAY}02:00:00Z`, '10000.00', { volumes: ['0.60', '0.41'], positions: 3 }],
  ];
  expect(watch({ rule }, looks)).toEqual(['no', 'unlisted_positions', 'breach 1.01/1.00']);
  expect(watch({ rule: { ...rule, kind: 'max_positions', amount: '2' } }, looks.slice(0, 2))).toEqual([
    'no',
    'breach 3/2',
  ]);
});
