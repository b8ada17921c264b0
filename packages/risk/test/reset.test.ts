/** What people do to a rule that has acted: release the breach, let the marks begin anew, change the rule. */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { account, listVerdicts, restart, toRule, watch, type Look, type Watching } from './support/looks.ts';

const DAY = '2026-11-23T';
const drawdown = toRule({ kind: 'max_drawdown', amount: '500' });
const daily = toRule({ kind: 'daily_loss', amount: '500' });
const floor = toRule({ kind: 'equity_floor', amount: '9500' });
const open = { volumes: ['0.10'] };

/** Looks at every hour. Breaches have the number of their look. */
const hourly = (...course: [money: string, changes?: Look[2]][]): Look[] =>
  course.map(([money, changes = {}], hour) => [`${DAY}0${hour}:00:00Z`, money, changes]);
/** From the third look on, the breach of the second one is released. */
const released = (index: number) => (index < 2 ? {} : { released: new Set(['1']) });
const reset = (index: number) => (index < 2 ? {} : { released: new Set(['1']), reset: '1' });
const listMarks = (watching: Watching, looks: readonly Look[]): RiskMarks[] =>
  listVerdicts(watching, looks).flatMap((verdict) => (verdict.blind === undefined ? [verdict.marks] : []));

test.each([
  ['a drawdown', drawdown],
  ['a loss of the day', daily],
  ['a floor', floor],
])('a released breach of %s keeps the rule from acting until something is open', (_, rule) => {
  const looks = hourly(['10000.00'], ['9500.00'], ['9500.00'], ['9400.00'], ['9400.00', open], ['9400.00', open]);
  const second = 'breach 9400.00/9500.00';
  expect(watch({ rule, before: released }, looks)).toEqual(['no', 'breach 9500.00/9500.00', 'no', 'no', second, 'no']);
});

test('an order that is placed arms a released rule as well, and a rule that is not released stays quiet', () => {
  const looks = hourly(['10000.00'], ['9500.00'], ['9500.00', { orders: 1 }]);
  expect(watch({ rule: drawdown, before: released }, looks).at(-1)).toBe('breach 9500.00/9500.00');
  expect(watch({ rule: drawdown }, looks).at(-1)).toBe('no');
});

test('a released rule that waits for its limit to be confirmed waits again before it acts again', () => {
  const rule = { ...drawdown, confirm_ms: 3_600_000 };
  const looks = hourly(['10000.00'], ['9500.00'], ['9500.00'], ['9400.00', open], ['9400.00', open]);
  const decided = watch({ rule, before: (index) => (index < 3 ? {} : { released: new Set(['2']) }) }, looks);
  expect(decided).toEqual(['no', 'no', 'breach 9500.00/9500.00', 'no', 'breach 9400.00/9500.00']);
});

test.each([
  ['a drawdown', drawdown],
  ['a loss of the day', daily],
])('the marks of %s begin anew with the next numbers, once, and the limit counts from them', (_, rule) => {
  const looks = hourly(['10000.00'], ['9500.00'], ['9480.00'], ['9400.00', open], ['8980.01', open], ['8980.00', open]);
  const expected = ['no', 'breach 9500.00/9500.00', 'no', 'no', 'no', 'breach 8980.00/8980.00'];
  expect(watch({ rule, before: reset }, looks)).toEqual(expected);
  expect(watch({ rule, before: reset, between: restart }, looks)).toEqual(expected);
  const marks = listMarks({ rule, before: reset }, looks);
  expect(marks.slice(1, 3)).toMatchObject([
    { start: '10000.00', source: 'rule_start', days: [{ source: 'rule_start' }] },
    { start: '9480.00', source: 'reset', reset: '1', days: [{ value: '9480.00', source: 'reset' }] },
  ]);
  expect(marks[1]).not.toHaveProperty('reset');
  expect(marks.at(-1)).toMatchObject({ start: '9480.00', reset: '1' });
});

test('a highest equity begins anew, and with it what a trailing limit counts from', () => {
  const rule = toRule({ kind: 'trailing_drawdown', amount: '500' });
  const looks = hourly(['10000.00'], ['9500.00'], ['9400.00'], ['9600.00', open], ['9100.00', open]);
  expect(watch({ rule, before: reset }, looks)).toEqual([
    'no',
    'breach 9500.00/9500.00',
    'no',
    'no',
    'breach 9100.00/9100.00',
  ]);
});

test('marks do not begin anew on numbers that nothing may act on', () => {
  const looks = hourly(['10000.00'], ['9500.00'], ['1.00', { isSynchronised: false }], ['9480.00'], ['9470.00']);
  expect(listMarks({ rule: drawdown, before: reset }, looks).map(({ start }) => start)).toEqual([
    ...['10000.00', '10000.00', '9480.00', '9480.00'],
  ]);
});

test('a second unlock lets the marks begin anew once more', () => {
  const looks = hourly(['10000.00'], ['9500.00'], ['9480.00'], ['8980.00', open], ['8970.00'], ['8960.00']);
  const before = (index: number) => (index < 4 ? reset(index) : { released: new Set(['3']), reset: '3' });
  const starts = listMarks({ rule: drawdown, before }, looks).map(({ start }) => start);
  expect(starts).toEqual(['10000.00', '10000.00', '9480.00', '9480.00', '8970.00', '8970.00']);
});

test('a limit that is reached even from new marks acts once something is open, and not before', () => {
  const looks = hourly(['10000.00'], ['9400.00'], ['9400.00'], ['9400.00'], ['9400.00', open]);
  const expected = ['no', 'breach 9400.00/9500.00', 'no', 'no', 'breach 9400.00/9500.00'];
  expect(watch({ rule: floor, before: reset }, looks)).toEqual(expected);
  expect(watch({ rule: floor, before: reset, between: restart }, looks)).toEqual(expected);
  const known = { ...account, initial_balance: '10000.00' };
  expect(watch({ rule: drawdown, account: known, before: reset }, looks)).toEqual(expected);
});

test('a limit that is reached from new marks acts on its own once the account was within it', () => {
  const looks = hourly(['10000.00'], ['9400.00'], ['9400.00'], ['9500.01'], ['9500.00']);
  expect(watch({ rule: floor, before: reset }, looks).slice(3)).toEqual(['no', 'breach 9500.00/9500.00']);
});

/** The second deal closed a loss, the third one is a deposit. Those up to `until` are known. */
const after = (lastDeal: string, until = lastDeal) => {
  const flows = [{ ticket: '3', amount: '5000.00' }].filter(({ ticket }) => Number(ticket) <= Number(until));
  return { lastDeal, cash: { until, flows } };
};

test('what deposits have moved stays moved by new marks: the initial balance is that with the deposits', () => {
  const known = { ...account, initial_balance: '10000.00' };
  const [begin, loss]: [string, Look[2]][] = [
    ['10000.00', after('1')],
    ['9500.00', after('2')],
  ];
  const later = ['14700.00', '14500.01', '14500.00'].map((money): [string, Look[2]] => [money, after('3')]);
  const decided = watch({ rule: drawdown, account: known, before: reset }, hourly(begin!, loss!, ...later));
  expect(decided).toEqual(['no', 'breach 9500.00/9500.00', 'no', 'no', 'breach 14500.00/14500.00']);
});

test('the first deposit of an account that was empty when the rule began counts once, also from new marks', () => {
  const known = { ...account, initial_balance: '10000.00' };
  const first = { ticket: '1', amount: '10000.00' };
  const has = (lastDeal: string) => ({ lastDeal, cash: { until: lastDeal, flows: [first] } });
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '0.00', { lastDeal: null, cash: { until: null, flows: [] } }],
    ...['10000.00', '9500.00', '9700.00', '9500.01', '9500.00'].map((money, index): Look => [
      `${DAY}0${index + 1}:00:00Z`,
      money,
      has(String(index + 1)),
    ]),
  ];
  const before = (index: number) => (index < 3 ? {} : { released: new Set(['2']), reset: '2' });
  const breach = 'breach 9500.00/9500.00';
  // Before its first deposit nobody knows what an account began with.
  expect(watch({ rule: drawdown, account: known, before }, looks).slice(1)).toEqual(['no', breach, 'no', 'no', breach]);
});

test('marks begin anew when all deals of the balance are known, so that a deposit counts once', () => {
  const looks: Look[] = [
    [`${DAY}00:00:00Z`, '10000.00', after('1')],
    [`${DAY}01:00:00Z`, '9500.00', after('2')],
    [`${DAY}02:00:00Z`, '14500.00', after('3', '2')],
    [`${DAY}02:00:01Z`, '14500.00', after('3')],
    [`${DAY}02:00:02Z`, '14000.00', { ...after('4'), ...open }],
  ];
  const watching = { rule: drawdown, before: reset };
  expect(listMarks(watching, looks).map(({ start }) => start)).toEqual([
    ...['10000.00', '10000.00', '10000.00', '14500.00', '14500.00'],
  ]);
  expect(watch(watching, looks).at(-1)).toBe('breach 14000.00/14000.00');
});

test('a rule that has measured nothing yet begins as usual, and what is to begin anew has done so', () => {
  const [marks] = listMarks({ rule: drawdown, before: () => ({ reset: '1' }) }, hourly(['10000.00']));
  expect(marks).toMatchObject({ source: 'rule_start', reset: '1' });
});

test('a rule that is loosened after a breach does not undo it before the account has recovered from the old limit', () => {
  const looks = hourly(['10000.00'], ['9500.00'], ['9500.00'], ['9549.99'], ['9550.00']);
  const loosen = (rule: GuardRule, amount: string) => ({
    rule,
    before: (index: number) => (index < 2 ? {} : { rule: { ...rule, amount }, findRule: () => rule }),
  });
  const standing = (watching: Watching) =>
    listVerdicts(watching, looks).map((verdict) => verdict.blind === undefined && verdict.standing);
  expect(standing(loosen(drawdown, '900'))).toEqual([null, '1', '1', '1', null]);
  expect(standing(loosen(floor, '9100'))).toEqual([null, '1', '1', '1', null]);
  // Tightened: neither limit is near any more.
  expect(standing(loosen(drawdown, '400'))).toEqual([null, '1', '1', '1', '1']);
});

test('the start of a day says whether its numbers are those of its first seconds', () => {
  const sources = (time: string, ageMs: number) =>
    listMarks({ rule: daily }, [
      [`${DAY}12:00:00Z`, '10000.00'],
      [`2026-11-24T${time}Z`, '10000.00', { ageMs }],
    ])
      .at(-1)
      ?.days.map(({ source }) => source);
  expect(sources('00:00:00.000', 0)).toEqual(['rule_start', 'day_start']);
  expect(sources('00:00:00.000', 15_000)).toEqual(['rule_start', 'day_start']);
  expect(sources('00:00:15.000', 0)).toEqual(['rule_start', 'day_start']);
  expect(sources('00:00:15.001', 0)).toEqual(['rule_start', 'first_numbers']);
  expect(sources('00:00:20.000', 6_000)).toEqual(['rule_start', 'day_start']);
  expect(sources('09:00:00.000', 100)).toEqual(['rule_start', 'first_numbers']);
});

test('a day keeps where its start comes from while its highs rise, and over restarts', () => {
  const rule = { ...daily, day_trail: 'equity' as const };
  const looks: Look[] = [
    [`${DAY}12:00:00Z`, '10000.00'],
    ['2026-11-24T00:00:01Z', '10000.00'],
    ['2026-11-24T01:00:00Z', '10200.00'],
  ];
  const marks = listMarks({ rule, between: restart }, looks).at(-1);
  expect(marks?.days.at(-1)).toMatchObject({ value: '10000.00', high: '10200.00', source: 'day_start' });
});
