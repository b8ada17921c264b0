import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { evaluateRule, type AccountNumbers, type GuardVerdict } from '../src/index.ts';

const account = { login: '5001', server: 'Harbour-Demo' };
const NOON = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

const toRule = (changes: Partial<GuardRule> & Pick<GuardRule, 'kind'>): GuardRule => ({
  ...{ id: 'rule', amount: null, percent: null, basis: 'balance', trail: 'equity', trail_stops_at: null },
  ...{ day_starts: '00:00', time_zone: 'UTC', warn_percent: 80, actions: ['close_all'], ...changes },
});
const toNumbers = (equity: string, changes: Partial<AccountNumbers> = {}): AccountNumbers => {
  const { volumes = [] } = changes;
  const usual = { ...account, balance: '10000.00', equity, volumes, isSynchronised: true, ageMs: 100 };
  return { ...usual, positions: volumes.length, ...changes };
};

type Look = { equity: string; atMs?: number; rule?: GuardRule } & Partial<AccountNumbers>;

/** The verdicts on one look after the other. */
const look = (rule: GuardRule, looks: readonly Look[]): GuardVerdict[] => {
  let marks: RiskMarks | undefined;
  return looks.map(({ equity, atMs = NOON, rule: edited = rule, ...changes }, index) => {
    const numbers = toNumbers(equity, changes);
    const verdict = evaluateRule({ rule: edited, account, numbers, marks, nowMs: atMs, breachId: `breach ${index}` });
    if (verdict.blind === undefined) ({ marks } = verdict);
    return verdict;
  });
};
const listBreaches = (verdicts: readonly GuardVerdict[]) =>
  verdicts.flatMap((verdict, index) => (verdict.blind === undefined && verdict.breach ? [index] : []));

it('a rule decides nothing on numbers that are old, of another account, not synchronised, or no numbers, and keeps its marks', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '250' });
  const reasons = (changes: Partial<AccountNumbers>[]) =>
    look(rule, [{ equity: '10000' }, ...changes.map((each) => ({ equity: '1.00', ...each }))]).map(
      ({ blind }) => blind,
    );
  const bad = [
    { ageMs: 15_001 },
    { login: '5002' },
    { server: 'Other' },
    { isSynchronised: false },
    { balance: 'NaN' },
  ];
  const more = [{ equity: '1e308' }, { ageMs: -1 }, { ageMs: Number.NaN }, { volumes: ['-1'] }, {}];
  const account_ = 'other_account';
  expect(reasons([...bad, ...more])).toEqual([
    ...[undefined, 'old_numbers', account_, account_, 'not_synchronised', 'no_numbers'],
    ...['no_numbers', 'old_numbers', 'old_numbers', 'no_numbers', undefined],
  ]);
  expect(evaluateRule({ rule, account, numbers: undefined, marks: undefined, nowMs: NOON, breachId: '' })).toEqual({
    blind: 'no_numbers',
  });
});

it('a rule of a day acts once a day, and begins each day with what the account comes to then', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '250', time_zone: 'America/New_York' });
  const verdicts = look(rule, [
    { equity: '10000' },
    { equity: '9700', atMs: NOON + 1 },
    { equity: '9990', atMs: NOON + 2 },
    { equity: '9600', atMs: NOON + 3 },
    // 05:00 UTC is midnight there.
    { equity: '9600', balance: '9600', atMs: Date.UTC(2026, 1, 1, 4, 59, 59, 999) },
    { equity: '9600', balance: '9600', atMs: Date.UTC(2026, 1, 1, 5) },
    { equity: '9351', balance: '9600', atMs: Date.UTC(2026, 1, 1, 6) },
    { equity: '9350', balance: '9600', atMs: Date.UTC(2026, 1, 1, 7) },
  ]);
  expect(listBreaches(verdicts)).toEqual([1, 7]);
});

it('a rule begins no second day when its day is moved, and forgets no breach', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '250' });
  const moved = { ...rule, day_starts: '12:30', time_zone: 'Europe/Berlin', amount: '300' };
  const verdicts = look(rule, [
    { equity: '10000' },
    { equity: '9700', atMs: NOON + HOUR },
    { equity: '9600', atMs: NOON + 2 * HOUR, rule: moved },
    { equity: '9600', balance: '9600', atMs: NOON + 23.75 * HOUR, rule: moved },
  ]);
  expect(listBreaches(verdicts)).toEqual([1]);
  expect(verdicts[2]).toMatchObject({ marks: { days: [{ value: '10000.00' }] }, used: '400.00', limit: '300.00' });
  expect(verdicts[3]).toMatchObject({ marks: { days: [{ value: '10000.00' }, { value: '9600.00' }] } });
});

it('a rule goes on with the day before, when a clock that was a day ahead is set back', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '250', basis: 'equity' });
  const verdicts = look(rule, [
    { equity: '10000' },
    { equity: '9800', atMs: NOON + 24 * HOUR },
    { equity: '9760', atMs: NOON + HOUR },
    { equity: '9750', atMs: NOON + 2 * HOUR },
    { equity: '9700', atMs: NOON + 13 * HOUR },
    { equity: '9450', atMs: NOON + 14 * HOUR },
  ]);
  expect(listBreaches(verdicts)).toEqual([3, 5]);
});

it('a rule that trails follows the highest equity, or the balance at the end of days, up to where it stops', () => {
  const equity = toRule({ kind: 'trailing_drawdown', amount: '500', trail_stops_at: '10000' });
  const followed = look(equity, [{ equity: '10000' }, { equity: '10400' }, { equity: '9901' }, { equity: '9900' }]);
  expect(listBreaches(followed)).toEqual([3]);
  const stopped = look(equity, [{ equity: '10000' }, { equity: '12000' }, { equity: '10001' }, { equity: '10000' }]);
  expect(listBreaches(stopped)).toEqual([3]);
  const atDayEnd = look({ ...equity, trail: 'day_end_balance' }, [
    { equity: '10400', balance: '10400' },
    { equity: '10800', balance: '10800', atMs: NOON + HOUR },
    { equity: '10500', balance: '10600', atMs: NOON + 2 * HOUR },
    { equity: '9950', balance: '10600', atMs: NOON + 13 * HOUR },
  ]);
  expect(atDayEnd[2]).toMatchObject({ marks: { high_water: '10400.00' } });
  expect(atDayEnd[3]).toMatchObject({ marks: { high_water: '10600.00' }, breach: { limit: '10000.00' } });
});

it('a rule acts again only after the account was well away from the limit', () => {
  const rule = toRule({ kind: 'max_drawdown', amount: '1000' });
  const verdicts = look(
    rule,
    ['10000', '9000', '9050', '8900', '9101', '9000'].map((equity) => ({ equity })),
  );
  expect(listBreaches(verdicts)).toEqual([1, 5]);
  const count = toRule({ kind: 'max_positions', amount: '1' });
  const opened = [['1'], ['1', '1'], ['1', '1', '1'], [], ['1', '1']];
  expect(
    listBreaches(
      look(
        count,
        opened.map((volumes) => ({ equity: '1', volumes })),
      ),
    ),
  ).toEqual([1, 4]);
});

it('a rule warns once on the way to its limit, and again after it was far from it', () => {
  const rule = toRule({ kind: 'daily_loss', amount: '1000' });
  const verdicts = look(
    rule,
    ['10000', '9200', '9201', '9199', '9281', '9190', '8000'].map((equity) => ({ equity })),
  );
  expect(verdicts.map((verdict) => verdict.blind === undefined && verdict.isNearLimit)).toEqual([
    ...[false, true, false, false, false, true, false],
  ]);
});

it('a rule takes no share of nothing for a limit', () => {
  const rule = toRule({ kind: 'daily_loss', percent: '3' });
  expect(
    listBreaches(
      look(rule, [
        { equity: '0', balance: '0' },
        { equity: '-5', balance: '0' },
      ]),
    ),
  ).toEqual([]);
});
