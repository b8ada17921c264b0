/** How long an account has to stay beyond its limit before a rule acts. */
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { listVerdicts, restart, toRule, watch, type Look } from './support/looks.ts';

const DAY = '2026-11-23T';
const floor = toRule({ kind: 'equity_floor', amount: '95000' });
const confirmed = (confirm_ms: number, rule: GuardRule = floor) => ({ rule: { ...rule, confirm_ms } });
/** Equities at times of one noon. */
const at = (...course: (readonly [time: string, equity: string, changes?: Look[2]])[]): Look[] =>
  course.map(([time, equity, changes = {}]) => [`${DAY}12:00:${time}Z`, `100000.00/${equity}`, changes]);

const spike = at(['00.000', '96000'], ['01.000', '94900'], ['01.250', '96000'], ['02.000', '96000']);

test('a limit that was reached for a quarter of a second is a breach at once, unless the rule waits for longer', () => {
  const breach = ['no', 'breach 94900.00/95000.00', 'no', 'no'];
  expect(watch({ rule: floor }, spike)).toEqual(breach);
  expect(watch(confirmed(0), spike)).toEqual(breach);
  expect(watch(confirmed(251), spike)).toEqual(['no', 'no', 'touched 5100.00', 'no']);
});

test('a rule acts with the first look that is beyond the limit after the whole time, and once', () => {
  const looks = at(['00.000', '94900'], ['04.999', '94000'], ['05.000', '94950'], ['06.000', '94000']);
  expect(watch(confirmed(5_000), looks)).toEqual(['no', 'no', 'breach 94950.00/95000.00', 'no']);
});

test('exactly the limit is beyond it, and one cent above ends the wait', () => {
  const looks = at(['00.000', '95000.00'], ['01.000', '95000.01'], ['02.000', '95000.00'], ['04.000', '95000.00']);
  expect(watch(confirmed(2_000), looks)).toEqual(['no', 'touched 5000.00', 'no', 'breach 95000.00/95000.00']);
});

test('each touch is told once, with the most that was used', () => {
  const first = at(['00.000', '94900'], ['00.500', '94000'], ['00.900', '94990'], ['01.000', '96000']);
  const second = at(['02.000', '96000'], ['03.000', '94999'], ['04.000', '95001'], ['05.000', '95001']);
  expect(watch(confirmed(5_000), [...first, ...second])).toEqual([
    ...['no', 'no', 'no', 'touched 6000.00', 'no', 'no', 'touched 5001.00', 'no'],
  ]);
});

test('blindness neither ends a wait nor ends it early, and the first numbers that are seen again decide', () => {
  const blind = { isSynchronised: false };
  const looks = (equity: string) => at(['00.000', '94900'], ['03.000', '96000', blind], ['20.000', equity]);
  const reason = 'not_synchronised';
  expect(watch(confirmed(5_000), looks('94950'))).toEqual(['no', reason, 'breach 94950.00/95000.00']);
  expect(watch(confirmed(5_000), looks('96000'))).toEqual(['no', reason, 'touched 5100.00']);
  expect(watch(confirmed(30_000), looks('94950'))).toEqual(['no', reason, 'no']);
});

test('a wait goes on over restarts and moves to other hosts', () => {
  const looks = at(['00.000', '94900'], ['02.000', '94900'], ['04.000', '94900'], ['05.000', '94900']);
  const expected = ['no', 'no', 'no', 'breach 94900.00/95000.00'];
  expect(watch({ ...confirmed(5_000), between: restart }, looks)).toEqual(expected);
});

test('a clock that is set back lets a wait begin anew, and is no touch', () => {
  const looks: Look[] = [
    [`${DAY}12:00:00Z`, '100000.00/94900'],
    [`${DAY}11:00:00Z`, '100000.00/94900'],
    [`${DAY}11:00:04Z`, '100000.00/94900'],
    [`${DAY}11:00:05Z`, '100000.00/94900'],
  ];
  expect(watch(confirmed(5_000), looks)).toEqual(['no', 'no', 'no', 'breach 94900.00/95000.00']);
});

const midnight = (equity: string): Look[] => [
  [`${DAY}12:00:00Z`, '100000.00/100000.00'],
  [`${DAY}23:59:58Z`, '100000.00/94900.00'],
  ['2026-11-24T00:00:01Z', `100000.00/${equity}`],
  ['2026-11-24T00:00:05Z', `100000.00/${equity}`],
  ['2026-11-24T00:00:06Z', `100000.00/${equity}`],
];

test('a limit of another day is waited for anew, and that of the day before was touched', () => {
  const daily = confirmed(5_000, toRule({ kind: 'daily_loss', amount: '5000' }));
  const [breach, touched] = ['breach 94900.00/95000.00', 'touched 5100.00'];
  expect(watch(daily, midnight('94900.00'))).toEqual(['no', 'no', touched, 'no', breach]);
  expect(watch({ ...daily, between: restart }, midnight('94900.00'))).toEqual(['no', 'no', touched, 'no', breach]);
  expect(watch(daily, midnight('96000.00'))).toEqual(['no', 'no', touched, 'no', 'no']);
});

test('a limit that no day moves is waited for over midnight', () => {
  const drawdown = confirmed(5_000, toRule({ kind: 'max_drawdown', amount: '5000' }));
  expect(watch(drawdown, midnight('94900.00'))).toEqual(['no', 'no', 'no', 'breach 94900.00/95000.00', 'no']);
});

test('a trailing limit that is reached stays where it is while it is waited for', () => {
  const trailing = confirmed(2_000, toRule({ kind: 'trailing_drawdown', amount: '5000' }));
  const looks = at(['00.000', '103000'], ['01.000', '98000'], ['02.000', '97000'], ['03.000', '98000']);
  expect(watch(trailing, looks)).toEqual(['no', 'no', 'no', 'breach 98000.00/98000.00']);
});

test('a profit target is waited for with nothing open: a trade that is opened meanwhile ends the wait', () => {
  const target = confirmed(2_000, toRule({ kind: 'profit_target', amount: '5000' }));
  const course = (volumes: string[]): Look[] => [
    [`${DAY}12:00:00Z`, '100000.00'],
    [`${DAY}12:00:01Z`, '105000.00'],
    [`${DAY}12:00:02Z`, '105000.00', { volumes }],
    [`${DAY}12:00:03Z`, '105000.00'],
  ];
  expect(watch(target, course([]))).toEqual(['no', 'no', 'no', 'breach 105000.00/105000.00']);
  expect(watch(target, course(['0.10']))).toEqual(['no', 'no', 'touched 5000.00', 'no']);
});

test('a number of positions can be exceeded for a moment', () => {
  const most = confirmed(2_000, toRule({ kind: 'max_positions', amount: '1' }));
  const open = (count: number) => ({ volumes: Array<string>(count).fill('0.10') });
  const course = (...counts: number[]): Look[] =>
    counts.map((count, index) => [`${DAY}12:00:0${index}Z`, '100000.00', open(count)]);
  expect(watch(most, course(1, 3, 2, 2))).toEqual(['no', 'no', 'no', 'breach 2/1']);
  expect(watch(most, course(1, 3, 1, 2, 2, 2))).toEqual(['no', 'no', 'touched 3', 'no', 'no', 'breach 2/1']);
});

test('lots that are not all listed keep a limit of lots waiting, like any other blindness', () => {
  const lots = confirmed(2_000, toRule({ kind: 'max_volume', amount: '1.00' }));
  const looks: Look[] = [
    [`${DAY}12:00:00Z`, '100000.00', { volumes: ['1.50'] }],
    [`${DAY}12:00:01Z`, '100000.00', { volumes: ['0.50'], positions: 2 }],
    [`${DAY}12:00:02Z`, '100000.00', { volumes: ['1.20'], positions: 2 }],
  ];
  expect(watch(lots, looks)).toEqual(['no', 'unlisted_positions', 'breach 1.20/1.00']);
});

/** Numbers of a balance with all its deals up to the last one, of which those up to `until` are known. */
const after = (lastDeal: string, until = lastDeal) => {
  const flows = [{ ticket: '2', amount: '10000.00' }].filter(({ ticket }) => Number(ticket) <= Number(until));
  return { lastDeal, cash: { until, flows } };
};

test('a deposit that is not known yet does not end a wait, nor does one that is', () => {
  const daily = confirmed(3_000, toRule({ kind: 'daily_loss', amount: '5000' }));
  const course = (until: string, equity: string): Look[] => [
    [`${DAY}12:00:00Z`, '100000.00/100000.00', after('1')],
    [`${DAY}12:00:01Z`, '100000.00/94900.00', after('1')],
    [`${DAY}12:00:02Z`, '110000.00/104900.00', after('2', until)],
    [`${DAY}12:00:03Z`, '110000.00/104900.00', after('2')],
    [`${DAY}12:00:04Z`, `110000.00/${equity}`, after('2')],
  ];
  const breach = ['no', 'no', 'no', 'no', 'breach 104900.00/105000.00'];
  expect(watch(daily, course('1', '104900.00'))).toEqual(breach);
  expect(watch(daily, course('2', '104900.00'))).toEqual(breach);
  expect(watch({ ...daily, between: restart }, course('1', '104900.00'))).toEqual(breach);
  expect(watch(daily, course('1', '106000.00'))).toEqual(['no', 'no', 'no', 'no', 'touched 5100.00']);
});

test('a withdrawal that is not known yet begins no wait, and one that stays unknown is a loss that is waited for', () => {
  const daily = confirmed(3_000, toRule({ kind: 'daily_loss', amount: '5000' }));
  const unknown = after('2', '1');
  const looks: Look[] = [
    [`${DAY}12:00:00Z`, '100000.00', after('1')],
    [`${DAY}12:00:01Z`, '90000.00', unknown],
    [`${DAY}12:00:03Z`, '90000.00', unknown],
    [`${DAY}12:00:05.999Z`, '90000.00', unknown],
    [`${DAY}12:00:06Z`, '90000.00', unknown],
  ];
  expect(watch(daily, looks)).toEqual(['no', 'no', 'no', 'no', 'breach 90000.00/95000.00']);
});

test('a breach that stands is not touched', () => {
  const drawdown = confirmed(1_000, toRule({ kind: 'max_drawdown', amount: '5000' }));
  const equities = ['100000', '95000', '95000', '95100', '94000', '95600', '95000', '95000'];
  const looks = at(...equities.map((equity, second) => [`0${second}.000`, equity] as const));
  const breach = 'breach 95000.00/95000.00';
  expect(watch(drawdown, looks)).toEqual(['no', 'no', breach, 'no', 'no', 'no', 'no', breach]);
});

test('a rule that is changed while it waits goes on waiting for its new time, and for its new limit', () => {
  const looks = at(['00.000', '94900'], ['03.000', '94900'], ['04.000', '94900']);
  const changed = (changes: Partial<GuardRule>) => ({
    ...confirmed(60_000),
    before: (index: number) => ({ rule: { ...floor, confirm_ms: index < 1 ? 60_000 : 4_000, ...changes } }),
  });
  expect(watch(changed({}), looks)).toEqual(['no', 'no', 'breach 94900.00/95000.00']);
  expect(watch(changed({ confirm_ms: 0 }), looks)[0]).toBe('breach 94900.00/95000.00');
  const loosened = {
    ...changed({}),
    before: (index: number) => changed(index < 1 ? {} : { amount: '94000' }).before(index),
  };
  expect(watch(loosened, looks)).toEqual(['no', 'touched 5100.00', 'no']);
});

test('the limit that is near is warned of while it is waited for, once', () => {
  const looks = at(['00.000', '100000'], ['01.000', '94900'], ['02.000', '96500'], ['03.000', '94900']);
  const drawdown = confirmed(5_000, toRule({ kind: 'max_drawdown', amount: '5000' }));
  const warned = listVerdicts(drawdown, looks).map((verdict) => verdict.blind === undefined && verdict.isNearLimit);
  expect(warned).toEqual([false, true, false, true]);
});

test('marks say since when the limit is reached only while it is waited for', () => {
  const looks = at(['00.000', '94900'], ['01.000', '96000'], ['02.000', '94800'], ['07.000', '94900']);
  const since = listVerdicts(confirmed(5_000), looks).map((verdict) => {
    if (verdict.blind !== undefined) throw new Error(verdict.blind);
    const { beyond_since, beyond_used } = verdict.marks;
    return { beyond_since, beyond_used };
  });
  const none = { beyond_since: undefined, beyond_used: undefined };
  const begun = Date.parse(`${DAY}12:00:02Z`);
  expect(since.slice(1)).toEqual([none, { beyond_since: begun, beyond_used: '5200.00' }, none]);
});
