/** What the tab Trading and the page Risk work out: the chart, its marks, deals by day, the newest of many, steps of a breach. */
import type { Deal, DealPage, RiskBreach, RiskRule, RiskState } from '@berth/client';
import { expect, test } from 'vitest';
import { HEIGHT, toCurve, toNiceStep, WIDTH, type CurvePoint } from '../src/pages/terminal/trading/chart/curve.ts';
import { toLines } from '../src/pages/terminal/trading/chart/lines.ts';
import { toMarks } from '../src/pages/terminal/trading/chart/marks.ts';
import { toTableRows } from '../src/pages/terminal/trading/chart/points.ts';
import { toDealDays } from '../src/pages/terminal/trading/deal-days.ts';
import { MAX_SHOWN_DEALS, readNewestDeals } from '../src/pages/terminal/trading/newest-deals.ts';
import { toBreachSteps, toScaleMs } from '../src/pages/risk/breach-steps.ts';
import { toNewDraft } from '../src/pages/risk/rule-draft.ts';
import { toValues } from '../src/pages/risk/rule-values.ts';

const START = Date.parse('2026-03-02T10:00:00Z');
const MINUTE_MS = 60_000;
const toPoint = (minute: number, equity: string, changes: Partial<CurvePoint> = {}): CurvePoint => ({
  at: new Date(START + minute * MINUTE_MS).toISOString(),
  ...{ balance: '1000.00', equity, equity_min: equity, equity_max: equity },
  ...changes,
});
const toDeal = (ticket: number, minute: number, changes: Partial<Deal> = {}): Deal => ({
  ...{
    ticket: String(ticket),
    order: '1',
    position_id: '1',
    symbol: 'EURUSD',
    side: 'buy',
    entry: 'in',
    volume: '0.10',
  },
  ...{ price: '1.1', commission: '-0.10', swap: '0.00', profit: '0.00', magic: '0', comment: '' },
  ...{ type: 'trade' as const, fee: '0.00', out_by: null },
  at: new Date(START + minute * MINUTE_MS).toISOString(),
  ...changes,
});

const span = { from: START, to: START + 60 * MINUTE_MS };
const options = { span, stepSeconds: 60, until: span.to };

test('a chart leaves a gap where there are no figures, and up to now where they end', () => {
  const points = [toPoint(0, '1000'), toPoint(1, '1001'), toPoint(20, '990'), toPoint(21, '995')];
  const curve = toCurve(points, options);
  expect(curve?.gaps.map(({ span: gap }) => [(gap.from - START) / MINUTE_MS, (gap.to - START) / MINUTE_MS])).toEqual([
    [2, 20],
    [22, 60],
  ]);
  expect(curve?.equity.match(/M/g)?.length).toBe(2);
});

test('a chart reaches from the lowest to the highest, and keeps all of it inside', () => {
  const curve = toCurve(
    [toPoint(0, '1000', { equity_min: '900' }), toPoint(30, '1000', { equity_max: '1100' })],
    options,
  );
  const numbers = curve?.band.match(/[\d.]+ [\d.]+/g)?.map((pair) => pair.split(' ').map(Number)) ?? [];
  expect(numbers.length).toBe(4);
  for (const [x = -1, y = -1] of numbers) expect(x >= 0 && x <= WIDTH && y > 0 && y < HEIGHT).toBe(true);
});

test('a chart shows a limit that is near, and not one that would make the curve flat', () => {
  const points = [toPoint(0, '1000'), toPoint(1, '1010')];
  const toKinds = (value: string) =>
    toCurve(points, { ...options, lines: [{ kind: 'limit', value }] })?.lines.map(({ kind }) => kind);
  expect(toKinds('985')).toEqual(['limit']);
  expect(toKinds('10')).toEqual([]);
});

test('a chart of an account that never moved is a line, and of nothing there is none', () => {
  expect(toCurve([toPoint(0, '1000'), toPoint(1, '1000')], options)?.equity).toMatch(/^M0 \d/);
  expect(toCurve([], options)).toBeUndefined();
});

test.each([
  [100, 5, 20],
  [0.7, 5, 0.2],
  [0, 5, 1],
  [Infinity, 5, 1],
])('a chart of %d has steps of a round number', (range, count, step) =>
  expect(toNiceStep(range, count)).toBeCloseTo(step),
);

test('a chart marks what was opened and what was closed, and puts what is close together into one', () => {
  const marks = toMarks(
    [
      toDeal(1, 5),
      toDeal(2, 30, { entry: 'out', profit: '-3.00' }),
      toDeal(3, 30, { entry: 'out', profit: '1.50' }),
      toDeal(4, 40, { side: 'balance', entry: 'in', profit: '500' }),
      toDeal(5, 90),
    ],
    span,
  );
  expect(marks.map(({ lane, kind, profit, deals }) => [lane, kind, profit, deals.length])).toEqual([
    ['opened', 'buy', '0.00', 1],
    ['closed', 'loss', '-1.50', 2],
  ]);
});

test('a chart as a table has few rows, each with the extremes of its part', () => {
  const rows = toTableRows(
    Array.from({ length: 100 }, (_, minute) => toPoint(minute, String(1000 + (minute % 10)))),
    10,
  );
  expect(rows.length).toBe(10);
  expect(rows[0]).toMatchObject({ equity_min: '1000', equity_max: '1009', equity: '1009' });
});

test('a chart has the closest limit of the rules that act on equity', () => {
  const rule = (id: string, kind: RiskRule['kind']) => ({ id, kind }) as RiskRule;
  const state = (rule_id: string, used: string | null, limit: string | null, high_water: string | null = null) =>
    ({ rule_id, used, limit, high_water }) as RiskState;
  const lines = toLines(
    [rule('a', 'daily_loss'), rule('b', 'trailing_drawdown'), rule('c', 'max_positions'), rule('d', 'profit_target')],
    [state('a', '20', '50'), state('b', '10', '100', '1010'), state('c', '1', '2'), state('d', '5', '6')],
    '1000',
  );
  expect(lines).toEqual([
    { kind: 'limit', value: '970' },
    { kind: 'high', value: '1010' },
  ]);
});

test('deals are summed by day, without what was paid in', () => {
  const [today, before] = toDealDays([
    toDeal(4, 0, { entry: 'out', profit: '12.30', swap: '-0.05' }),
    toDeal(3, -5, { side: 'balance', profit: '10000.00', commission: '0.00' }),
    toDeal(2, -10),
    toDeal(1, -3 * 1440),
  ]);
  expect(today).toMatchObject({ profit: '12.30', commission: '-0.20', swap: '-0.05', net: '12.05', volume: '0.20' });
  expect(today?.deals.length).toBe(3);
  expect(before?.net).toBe('-0.10');
});

const toSource = (all: readonly Deal[]) => {
  const calls = { count: 0 };
  const read = (from: number, to: number | undefined, after: string | undefined): Promise<DealPage> => {
    calls.count += 1;
    const inside = all.filter(({ at }) => Date.parse(at) >= from && (to === undefined || Date.parse(at) < to));
    const rest = inside.slice(after === undefined ? 0 : inside.findIndex(({ ticket }) => ticket === after) + 1);
    const data = rest.slice(0, 100);
    const next = rest.length > data.length ? (data.at(-1)?.ticket ?? null) : null;
    const pagination = { per_page: 100, next_cursor: next };
    return Promise.resolve({ ok: true, msg: '', data, complete_until: null, pagination } as DealPage);
  };
  return { read, calls };
};
const toAges = (count: number, minutes: number): Deal[] =>
  Array.from({ length: count }, (_, index) => toDeal(index + 1, -minutes + (index * minutes) / count));

test('deals of a short list are read at once, newest first', async () => {
  const { read, calls } = toSource(toAges(60, 60));
  const shown = await readNewestDeals(read, START - 7 * 1440 * MINUTE_MS, START);
  expect(shown.deals.map(({ ticket }) => ticket)).toEqual(Array.from({ length: 60 }, (_, index) => String(60 - index)));
  expect(shown.isCut).toBe(false);
  expect(calls.count).toBe(1);
});

test('deals of a long list are the newest, without reading all of it', async () => {
  const { read, calls } = toSource(toAges(50_000, 365 * 1440));
  const shown = await readNewestDeals(read, START - 365 * 1440 * MINUTE_MS, START);
  expect(shown.deals.length).toBe(MAX_SHOWN_DEALS);
  expect(shown.deals[0]?.ticket).toBe('50000');
  expect(shown.deals.at(-1)?.ticket).toBe(String(50_001 - MAX_SHOWN_DEALS));
  expect(shown.isCut).toBe(true);
  expect(calls.count).toBeLessThan(60);
});

const draft = { ...toNewDraft('Europe/Berlin', []), name: 'Daily', limit: '2,5' };

test('a rule is sent as it was typed, and closes nothing by default', () => {
  expect(toValues(draft)).toMatchObject({
    values: { kind: 'daily_loss', percent: 2.5, all: true, basis: 'higher', actions: ['notify'] },
  });
  expect(toValues({ ...draft, kind: 'equity_floor', limit: '20 000' })).toMatchObject({
    values: { amount: '20000' },
  });
});

test('a rule for chosen terminals of which none is chosen is not a rule for all', () => {
  expect(toValues({ ...draft, scope: 'terminals' })).toHaveProperty('errors.terminal_ids');
  expect(toValues({ ...draft, actions: [] })).toHaveProperty('errors.actions');
  expect(toValues({ ...draft, limit: '1,234' })).toHaveProperty('errors.percent');
});

test('a breach is told in its order, from the decision, whatever the clock of its host did', () => {
  const at = (ms: number): string => new Date(START + ms).toISOString();
  const breach = {
    ...{ decided_at: at(0), first_order_ms: 118, closed: 1, total: 2 },
    left_open: [{ ticket: '9', symbol: 'US500', message: 'The market is closed (10018).' }],
    actions: [
      { action: 'close_all', ok: false, at: at(5_120), message: 'One is open.' },
      { action: 'lock', ok: true, at: at(-60_000), message: null },
    ],
  } as unknown as RiskBreach;
  const steps = toBreachSteps(breach);
  expect(steps.map(({ kind, afterMs, tone }) => [kind, afterMs, tone])).toEqual([
    ['reached', 0, 'bad'],
    ['decided', 0, 'good'],
    ['order', 118, 'good'],
    ['action', 5_120, 'bad'],
    ['left', 5_120, 'bad'],
    ['action', 0, 'good'],
  ]);
  expect(toScaleMs(steps)).toBe(6_000);
});
