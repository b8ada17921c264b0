/** What holds for every rule and every course of an account. */
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { riskBases, riskKinds, riskReferences, riskTrails } from '@berth/contract/values';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateRule, formatDecimal, toAccountUnits, toUnits, type GuardVerdict } from '../src/index.ts';
import { readRule } from '../src/reading.ts';
import { account, listVerdicts, restart, toNumbers, toRule, type Look } from './support/looks.ts';

const CENT = toUnits('0.01');
const toMoney = (cents: bigint | number): string => formatDecimal(BigInt(cents) * CENT);

const kinds = riskKinds.filter((kind) => kind !== 'max_volume' && kind !== 'max_positions');
/** The day of 25 hours is among the days of the looks. */
const BEGIN = Date.parse('2026-10-23T12:00:00Z');
const HOUR_MS = 3_600_000;

const money = (max: number) => fc.integer({ min: 1, max }).map(toMoney);
const rule = fc
  .record({
    kind: fc.constantFrom(...kinds),
    limit: fc.oneof(
      money(200_000).map((amount) => ({ amount })),
      fc.integer({ min: 1, max: 10_000 }).map((percent) => ({ percent: toMoney(percent) })),
    ),
    basis: fc.constantFrom(...riskBases),
    trail: fc.constantFrom(...riskTrails),
    stops: fc.constantFrom(
      { trail_stops_at: null },
      { trail_stops_at: '10000' },
      { trail_stops_at: null, trail_stops_at_initial_plus: '100' },
    ),
    more: fc.record(
      {
        day_trail: fc.constantFrom('equity', 'balance'),
        percent_of: fc.constantFrom(...riskReferences),
        measure: fc.constantFrom('equity', 'balance'),
        buffer: money(1_000),
        // The looks are hours apart.
        confirm_ms: fc.constantFrom(1, HOUR_MS, 9 * HOUR_MS),
      },
      { requiredKeys: [] },
    ),
    time_zone: fc.constantFrom('UTC', 'Europe/Prague', 'America/New_York'),
  })
  .map(({ limit, stops, more, ...each }): GuardRule => {
    const given = each.kind === 'equity_floor' ? { amount: '9000' } : limit;
    return toRule({ ...each, ...given, ...stops, ...more });
  });
const guarded = fc.constantFrom(account, { ...account, initial_balance: '10000.00' });

interface Step {
  hours: number;
  balance: number;
  profit: number;
  credit: number;
}
const steps = fc.array(
  fc.record({
    hours: fc.integer({ min: 0, max: 8 }),
    balance: fc.integer({ min: 400_000, max: 600_000 }).map((half) => half * 2),
    profit: fc.oneof(fc.constant(0), fc.integer({ min: -200_000, max: 200_000 })),
    credit: fc.integer({ min: 0, max: 500_000 }),
  }),
  { minLength: 1, maxLength: 40 },
);
const toLooks = (course: readonly Step[]): Look[] => {
  let atMs = BEGIN;
  return course.map(({ hours, balance, profit, credit }) => {
    atMs += hours * HOUR_MS;
    const volumes = profit === 0 ? [] : ['1.00'];
    const numbers = `${toMoney(balance)}/${toMoney(balance + profit + credit)}`;
    return [new Date(atMs).toISOString(), numbers, { volumes, credit: toMoney(credit) }];
  });
};

/**
 * The same course with deposits and withdrawals, each in the balance from its look on. They have an odd number of cents and
 * results an even one: a result that takes exactly a deposit away would look as if the balance had not shown it yet.
 */
const toCashLooks = (course: readonly Step[], amounts: readonly number[]): Look[] => {
  const flows = course.map((_, index) => ({
    ticket: String(index + 1),
    amount: toMoney(index === 0 ? 0 : amounts[index % amounts.length]! * 2 + 1),
  }));
  let sum = 0n;
  return toLooks(course).map(([time, numbers, changes], index) => {
    sum += toUnits(flows[index]!.amount);
    const moved = numbers.split('/').map((each) => formatDecimal(toUnits(each) + sum));
    const lastDeal = String(index + 1);
    const cash = { until: lastDeal, flows: flows.slice(0, index + 1) };
    return [time, moved.join('/'), { ...changes, lastDeal, cash }];
  });
};
test('a limit never falls while it trails', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[]) => {
    const looks = toLooks(course);
    let [before, day] = [undefined, 0] as [bigint | undefined, number];
    for (const [index, verdict] of listVerdicts({ rule: given, account: from }, looks).entries()) {
      if (verdict.blind !== undefined) throw new Error(verdict.blind);
      const [, numbers, changes] = looks[index]!;
      const { level } = readRule(given, from, {
        marks: verdict.marks,
        units: toAccountUnits(toNumbers(numbers, changes))!,
      });
      const begun = verdict.marks.days.at(-1)!.at;
      if (before !== undefined && (given.kind === 'trailing_drawdown' || begun === day)) {
        expect(level).toBeGreaterThanOrEqual(before);
      }
      [before, day] = [level, begun];
    }
  };
  const trailing = rule.map((each): GuardRule => {
    const amount = each.amount ?? (each.percent === null ? '500' : null);
    return { day_trail: 'equity', ...each, amount, kind: each.kind === 'daily_loss' ? each.kind : 'trailing_drawdown' };
  });
  fc.assert(fc.property(trailing, guarded, steps, check), { numRuns: 500 });
});

test('a restart of the agent or a move to another host at any moment changes nothing of what is decided', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[], restarts: readonly boolean[]) => {
    const looks = toCashLooks(course, [500_000, -300_000]);
    const between = (marks: RiskMarks, index: number): RiskMarks =>
      restarts[index % restarts.length] ? restart(marks) : marks;
    expect(listVerdicts({ rule: given, account: from, between }, looks)).toEqual(
      listVerdicts({ rule: given, account: from }, looks),
    );
  };
  const restarts = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(rule, guarded, steps, restarts, check), { numRuns: 500 });
});

test('the order in which two rules look at an account changes nothing of what they decide', () => {
  const check = (one: GuardRule, other: GuardRule, course: readonly Step[]) => {
    const looks = toLooks(course);
    const listInTurns = (order: readonly GuardRule[]) => {
      const marks = new Map<GuardRule, RiskMarks>();
      const verdicts = new Map<GuardRule, GuardVerdict[]>(order.map((each) => [each, []]));
      for (const [index, [time, numbers, changes]] of looks.entries()) {
        for (const each of order) {
          const seen = { account, numbers: toNumbers(numbers, changes), nowMs: Date.parse(time) };
          const verdict = evaluateRule({ rule: each, ...seen, marks: marks.get(each), breachId: `${index}` });
          if (verdict.blind === undefined) marks.set(each, verdict.marks);
          verdicts.get(each)!.push(verdict);
        }
      }
      return [verdicts.get(one), verdicts.get(other)];
    };
    expect(listInTurns([other, one])).toEqual(listInTurns([one, other]));
  };
  fc.assert(fc.property(rule, rule, steps, check), { numRuns: 300 });
});

/** Whether each look shows the account beyond the limit, and the day that it belongs to. */
const listBeyond = (given: GuardRule, from: typeof account, looks: readonly Look[]) =>
  listVerdicts({ rule: given, account: from }, looks).map((verdict, index) => {
    if (verdict.blind !== undefined) throw new Error(verdict.blind);
    const [time, numbers, changes] = looks[index]!;
    const units = toAccountUnits(toNumbers(numbers, changes))!;
    const { isBreached } = readRule(given, from, { marks: verdict.marks, units });
    return { atMs: Date.parse(time), isBreached, day: given.kind === 'daily_loss' ? verdict.marks.days.at(-1)!.at : 0 };
  });
const findFirstBreach = (given: GuardRule, from: typeof account, looks: readonly Look[]): number => {
  const verdicts = listVerdicts({ rule: given, account: from }, looks);
  const at = verdicts.findIndex((verdict) => verdict.blind === undefined && verdict.breach !== undefined);
  return at < 0 ? Infinity : at;
};

test('a rule acts for the first time when all looks for the whole time have shown its limit reached, and never before', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[], confirm_ms: number) => {
    const looks = toLooks(course);
    let [since, day, expected] = [Infinity, 0, Infinity];
    for (const [index, look] of listBeyond({ ...given, confirm_ms: 0 }, from, looks).entries()) {
      if (!look.isBreached) since = Infinity;
      else if (since === Infinity || look.day !== day) since = look.atMs;
      day = look.day;
      if (look.atMs - since >= confirm_ms && expected === Infinity) expected = index;
    }
    expect(findFirstBreach({ ...given, confirm_ms }, from, looks)).toBe(expected);
    expect(expected).toBeGreaterThanOrEqual(findFirstBreach({ ...given, confirm_ms: 0 }, from, looks));
  };
  const waits = fc.integer({ min: 0, max: 20 }).map((hours) => hours * HOUR_MS);
  fc.assert(fc.property(rule, guarded, steps, waits, check), { numRuns: 500 });
});

test('marks that begin anew measure what a rule does that begins then, however often they are asked to', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[], from_: number, restarts: boolean) => {
    const looks = toLooks(course);
    const begin = from_ % looks.length;
    if (begin === 0) return;
    const toMeasured = (verdict: GuardVerdict) => verdict.blind ?? [verdict.used, verdict.limit, verdict.warnAt];
    const before = (index: number) => (index < begin ? {} : { reset: 'reset' });
    const between = (marks: RiskMarks) => (restarts ? restart(marks) : marks);
    const anew = listVerdicts({ rule: given, account: from, before, between }, looks);
    const begun = listVerdicts({ rule: given, account: from }, looks.slice(begin));
    expect(anew.slice(begin).map(toMeasured)).toEqual(begun.map(toMeasured));
    const once = (index: number) => (index === begin ? { reset: 'reset' } : {});
    expect(anew).toEqual(listVerdicts({ rule: given, account: from, before: once }, looks));
  };
  fc.assert(fc.property(rule, guarded, steps, fc.nat(39), fc.boolean(), check), { numRuns: 500 });
});

test('credit changes nothing of what is decided, however it comes and goes', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[]) => {
    const without = course.map((step) => ({ ...step, credit: 0 }));
    expect(listVerdicts({ rule: given, account: from }, toLooks(course))).toEqual(
      listVerdicts({ rule: given, account: from }, toLooks(without)),
    );
  };
  fc.assert(fc.property(rule, guarded, steps, check), { numRuns: 500 });
});

test('a limit is exact to the cent, however large the sums', () => {
  const cents = (max: bigint) => fc.bigInt({ min: 1n, max });
  const sums = fc.record({ floor: cents(10n ** 14n), amount: cents(10n ** 14n), credit: cents(10n ** 13n) });
  const check = (kind: GuardRule['kind'], buffered: boolean, { floor, amount, credit }: Record<string, bigint>) => {
    const buffer = buffered ? amount! / 3n : 0n;
    const level = floor! + buffer;
    const given = toRule({
      ...{ kind, trail: 'balance', buffer: toMoney(buffer) },
      amount: toMoney(kind === 'equity_floor' ? floor! : amount!),
    });
    const toLook = (hour: number, value: bigint): Look => [
      new Date(BEGIN + hour).toISOString(),
      `${toMoney(floor! + amount!)}/${toMoney(value + credit!)}`,
      { credit: toMoney(credit!) },
    ];
    const looks = [toLook(0, floor! + amount!), toLook(1, level + 1n), toLook(2, level)];
    const breaches = listVerdicts({ rule: given }, looks).map((verdict) => verdict.blind ?? verdict.breach);
    const reached = toMoney(level);
    expect(breaches).toEqual([undefined, undefined, { id: '2', value: reached, limit: reached }]);
  };
  const losses = ['daily_loss', 'max_drawdown', 'trailing_drawdown', 'equity_floor'] as const;
  fc.assert(fc.property(fc.constantFrom(...losses), fc.boolean(), sums, check), { numRuns: 500 });
});

test('what is used and what is left come to the limit, to the last decimal', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[]) => {
    const looks = toLooks(course);
    for (const [index, verdict] of listVerdicts({ rule: given, account: from }, looks).entries()) {
      if (verdict.blind !== undefined) throw new Error(verdict.blind);
      const [, numbers, changes] = looks[index]!;
      const units = toAccountUnits(toNumbers(numbers, changes))!;
      const { value, level, limit } = readRule(given, from, { marks: verdict.marks, units });
      if (toUnits(verdict.used) === 0n || limit === 0n) continue;
      const left = given.kind === 'profit_target' ? level - value : value - level;
      expect(toUnits(verdict.used) + left).toBe(toUnits(verdict.limit));
    }
  };
  fc.assert(fc.property(rule, guarded, steps, check), { numRuns: 300 });
});

const movable = rule.map((each): GuardRule => {
  const isFloor = each.kind === 'equity_floor';
  return isFloor ? { ...each, kind: 'max_drawdown', amount: '500' } : each;
});
/** What a rule decides, without the sums that a deposit moves. */
const toDecision = (verdict: GuardVerdict) =>
  verdict.blind ?? [verdict.used, verdict.limit, verdict.breach?.id, verdict.isNearLimit, verdict.touched];

test('a deposit or a withdrawal neither causes nor hides a breach of a limit in an amount', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[], amounts: readonly number[]) => {
    const inAmount: GuardRule = { ...given, amount: given.amount ?? '400', percent: null };
    const list = (looks: readonly Look[]) => listVerdicts({ rule: inAmount, account: from }, looks).map(toDecision);
    expect(list(toCashLooks(course, amounts))).toEqual(list(toLooks(course)));
  };
  const amounts = fc.array(fc.integer({ min: -450_000, max: 450_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(movable, guarded, steps, amounts, check), { numRuns: 500 });
});

test('a deposit never causes a breach of a limit in percent', () => {
  const check = (given: GuardRule, from: typeof account, course: readonly Step[], amounts: readonly number[]) => {
    const findFirst = (looks: readonly Look[]) => findFirstBreach(given, from, looks);
    expect(findFirst(toCashLooks(course, amounts))).toBeGreaterThanOrEqual(findFirst(toLooks(course)));
  };
  const amounts = fc.array(fc.integer({ min: 0, max: 450_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(fc.property(movable, guarded, steps, amounts, check), { numRuns: 500 });
});
