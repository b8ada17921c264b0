/** Deposits and withdrawals: what they move, and what is decided before their deals are known. */
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import type { AccountNumbers } from '../src/index.ts';
import { account, restart, toRule, watch, type Look } from './support/looks.ts';

const DAY = '2026-11-23T';
const DEPOSIT = { ticket: '11', amount: '5000.00' };
const WITHDRAWAL = { ticket: '12', amount: '-4000.00' };

/** Numbers whose balance contains all deals up to the last one, of which those up to `until` are known. */
const after = (lastDeal: string, until = lastDeal): Partial<AccountNumbers> => {
  const flows = [DEPOSIT, WITHDRAWAL].filter(({ ticket }) => Number(ticket) <= Number(until));
  return { lastDeal, cash: { until, flows } };
};

const looks: Look[] = [
  [`${DAY}00:00:00Z`, '10000.00/10000.00', after('10')],
  [`${DAY}01:00:00Z`, '10000.00/9800.00', after('10')],
  [`${DAY}02:00:00Z`, '15000.00/14800.00', after('11')],
  [`${DAY}03:00:00Z`, '11000.00/10800.00', after('12')],
  [`${DAY}04:00:00Z`, '11000.00/10670.01', after('12')],
  [`${DAY}05:00:00Z`, '11000.00/10670.00', after('12')],
];

test('a limit of 3% moves with a deposit and a withdrawal, and is reached by a loss alone', () => {
  const rule = toRule({ kind: 'daily_loss', percent: '3', basis: 'equity' });
  expect(watch({ rule }, looks)).toEqual(['no', 'no', 'no', 'no', 'no', 'breach 10670.00/10670.00']);
});

test('a limit that ignores cash stays where it was', () => {
  const rule = toRule({ kind: 'daily_loss', percent: '3', basis: 'equity', cash_flows: 'ignore' });
  expect(watch({ rule }, looks)).toEqual(Array(6).fill('no'));
  expect(watch({ rule }, [...looks, [`${DAY}06:00:00Z`, '11000.00/9700.00', after('12')]]).at(-1)).toBe(
    'breach 9700.00/9700.00',
  );
});

const withdrawn: [string, Partial<GuardRule>, typeof account][] = [
  ['the start of the day', { kind: 'daily_loss' }, account],
  ['the highs of the day', { kind: 'daily_loss', day_trail: 'balance' }, account],
  ['the start of the rule', { kind: 'max_drawdown' }, account],
  ['the initial balance', { kind: 'max_drawdown' }, { ...account, initial_balance: '10000.00' }],
  ['the highest equity', { kind: 'trailing_drawdown' }, account],
  ['where a trailing limit stops', { kind: 'trailing_drawdown', amount: '1', trail_stops_at: '9500' }, account],
];
test.each(withdrawn)('a withdrawal of more than the limit moves %s', (_, changes, guarded) => {
  const rule = toRule({ kind: 'daily_loss', amount: '500', ...changes });
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('11')],
    [`${DAY}01:00:00Z`, '6000.00', after('12')],
    [`${DAY}02:00:00Z`, '6000.00/5500.01', after('12')],
    [`${DAY}03:00:00Z`, '6000.00/5500.00', after('12')],
  ];
  expect(watch({ rule, account: guarded }, course)).toEqual(['no', 'no', 'no', 'breach 5500.00/5500.00']);
});

test.each(['adjust', 'ignore'] as const)(
  'the first deposit of an account that was empty when the rule began counts once, with `%s`',
  (cash_flows) => {
    const rule = toRule({ kind: 'profit_target', amount: '500', cash_flows });
    const cash = { until: '1', flows: [{ ticket: '1', amount: '10000.00' }] };
    const course: Look[] = [
      [`${DAY}00:00:00Z`, '0.00', { lastDeal: null, cash: { until: null, flows: [] } }],
      [`${DAY}01:00:00Z`, '10000.00', { lastDeal: '1', cash }],
      [`${DAY}02:00:00Z`, '10499.99', { lastDeal: '2', cash: { ...cash, until: '2' } }],
      [`${DAY}03:00:00Z`, '10500.00', { lastDeal: '3', cash: { ...cash, until: '3' } }],
    ];
    const began = { ...account, initial_balance: '10000.00' };
    expect(watch({ rule, account: began }, course)).toEqual(['no', 'no', 'no', 'breach 10500.00/10500.00']);
  },
);

test('a withdrawal is no loss where nothing was known of cash for a moment', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '500' });
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('11')],
    [`${DAY}01:00:00Z`, '10000.00', { lastDeal: null }],
    [`${DAY}02:00:00Z`, '6000.00', after('12')],
  ];
  expect(watch({ rule }, course)).toEqual(['no', 'no', 'no']);
});

test('a floor is an amount, which no deposit or withdrawal moves, and waits for no deal', () => {
  const rule = toRule({ kind: 'equity_floor', amount: '9000' });
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('11')],
    [`${DAY}01:00:00Z`, '6000.00', after('12', '11')],
  ];
  expect(watch({ rule }, course)).toEqual(['no', 'breach 6000.00/9000.00']);
});

const daily = toRule({ kind: 'daily_loss', amount: '500' });
const begin: Look = [`${DAY}00:00:00Z`, '10000.00', after('11')];

test('a balance that moved before its deal is known waits, and the deal is then no loss', () => {
  const course: Look[] = [
    begin,
    [`${DAY}01:00:00.000Z`, '6000.00', after('12', '11')],
    [`${DAY}01:00:01.999Z`, '6000.00', after('12', '11')],
    [`${DAY}01:00:02.000Z`, '6000.00', after('12')],
    [`${DAY}01:00:03.000Z`, '6000.00/5500.00', after('12')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'no', 'no', 'breach 5500.00/5500.00']);
});

test('a balance whose deal is still not known after two seconds has fallen by a loss, also over a restart', () => {
  const course: Look[] = [
    begin,
    [`${DAY}01:00:00.000Z`, '6000.00', after('12', '11')],
    [`${DAY}01:00:02.000Z`, '6000.00', after('12', '11')],
  ];
  const expected = ['no', 'no', 'breach 6000.00/9500.00'];
  expect(watch({ rule: daily }, course)).toEqual(expected);
  expect(watch({ rule: daily, between: restart }, course)).toEqual(expected);
});

test('a clock that is set back ends the wait for a deal', () => {
  const course: Look[] = [
    begin,
    [`${DAY}01:00:00Z`, '6000.00', after('12', '11')],
    [`${DAY}00:30:00Z`, '6000.00', after('12', '11')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'breach 6000.00/9500.00']);
});

test('a loss with an unchanged balance waits for no deal', () => {
  const course: Look[] = [begin, [`${DAY}01:00:00Z`, '10000.00/9500.00', after('13', '11')]];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'breach 9500.00/9500.00']);
});

test('a deposit that was counted is not counted again where the newest deal is named out of order', () => {
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('10')],
    [`${DAY}01:00:00Z`, '15000.00', after('11')],
    [`${DAY}02:00:00Z`, '15000.00', { ...after('11'), lastDeal: '10' }],
    [`${DAY}03:00:00Z`, '15000.00/14500.01', after('11')],
    [`${DAY}04:00:00Z`, '15000.00/14500.00', after('11')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'no', 'no', 'breach 14500.00/14500.00']);
});

test('the first deposit into an account without deals is no profit', () => {
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '0.00', { lastDeal: null, cash: { until: null, flows: [] } }],
    [`${DAY}01:00:00Z`, '5000.00', after('11')],
    [`${DAY}02:00:00Z`, '5000.00/4500.00', after('11')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'breach 4500.00/4500.00']);
});

const still = after('11');

test('a balance that moved before it has any new deal waits for two seconds, and its deal is then no loss', () => {
  const course: Look[] = [
    begin,
    [`${DAY}01:00:00.000Z`, '6000.00', still],
    [`${DAY}01:00:01.999Z`, '6000.00', still],
    [`${DAY}01:00:02.000Z`, '6000.00', after('12')],
    [`${DAY}01:00:03.000Z`, '6000.00/5500.01', after('12')],
    [`${DAY}01:00:04.000Z`, '6000.00/5500.00', after('12')],
  ];
  const expected = ['no', 'no', 'no', 'no', 'no', 'breach 5500.00/5500.00'];
  expect(watch({ rule: daily }, course)).toEqual(expected);
  expect(watch({ rule: daily, between: restart }, course)).toEqual(expected);
});

test('a balance that has no new deal after two seconds has fallen by a loss', () => {
  const course: Look[] = [begin, [`${DAY}01:00:00Z`, '6000.00', still], [`${DAY}01:00:02Z`, '6000.00', still]];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'breach 6000.00/9500.00']);
});

test('a deposit that counted as a profit because its deal came too late is not counted again', () => {
  const rule = toRule({ kind: 'trailing_drawdown', amount: '500' });
  const early: Partial<AccountNumbers> = after('10');
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', early],
    [`${DAY}01:00:00Z`, '15000.00', early],
    [`${DAY}01:00:02Z`, '15000.00', early],
    [`${DAY}01:00:03Z`, '15000.00', after('11')],
    [`${DAY}01:00:04Z`, '15000.00/14500.01', after('11')],
    [`${DAY}01:00:05Z`, '15000.00/14500.00', after('11')],
  ];
  const expected = ['no', 'no', 'no', 'no', 'no', 'breach 14500.00/14500.00'];
  expect(watch({ rule }, course)).toEqual(expected);
  expect(watch({ rule, between: restart }, course)).toEqual(expected);
});

test('a deposit whose deal is known before the balance has it moves nothing until then', () => {
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('10')],
    [`${DAY}01:00:00.000Z`, '10000.00/9501.00', after('11')],
    [`${DAY}01:00:00.250Z`, '15000.00/14501.00', after('11')],
    [`${DAY}01:00:01.000Z`, '15000.00/14500.00', after('11')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'no', 'breach 14500.00/14500.00']);
});

test('a deposit that a loss of the same size has hidden from the balance counts after two seconds', () => {
  const course: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('10')],
    [`${DAY}01:00:00Z`, '10000.00', after('11')],
    [`${DAY}01:00:02Z`, '10000.00', after('11')],
  ];
  expect(watch({ rule: daily }, course)).toEqual(['no', 'no', 'breach 10000.00/14500.00']);
});
