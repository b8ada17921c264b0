/** A task as stretches of time, as its timeline draws them. */
import { TaskStatus } from '@berth/contract/values';
import { expect, test } from 'vitest';
import { toBars, toDurationMs, toScaleMs, toSpans, type Span, type TimedTask } from '../src/parts/timeline/spans.ts';

const START = Date.parse('2026-01-31T08:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const unix = (seconds: number): number => START / 1000 + seconds;
const step = (name: string, seconds: number, ok = true) => ({ step: name, ok, at: at(seconds) });

const toTask = (changes: Partial<TimedTask>): TimedTask => ({
  status: TaskStatus.COMPLETED,
  created_at: at(0),
  updated_at: at(10),
  delivered_at: unix(4),
  started_at: unix(4),
  finished_at: unix(10),
  attempts: 1,
  result: { runner_result: [step('fetch_file', 6), step('load_expert', 10)] },
  ...changes,
});

const toMove = (from: TaskStatus | null, to: TaskStatus, seconds: number, attempt = 0) => ({
  at: at(seconds),
  from,
  to,
  actor: 'service' as const,
  attempt,
});

test('the stretches of a task are its waiting and each of its steps, up to its end', () => {
  const spans = toSpans(toTask({}), START + 99_000);
  expect(spans.map(({ kind, step: name, from, to }) => [kind, name, from - START, to - START])).toEqual([
    ['wait', undefined, 0, 4000],
    ['hand', undefined, 4000, 4000],
    ['work', 'fetch_file', 4000, 6000],
    ['work', 'load_expert', 6000, 10_000],
  ]);
});

test('the stretches of a task follow the service where the clock of the host is an hour behind', () => {
  const behind = { runner_result: [step('fetch_file', 6 - 3600), step('load_expert', 10 - 3600, false)] };
  const spans = toSpans(toTask({ status: TaskStatus.FAILED, result: behind }), START);
  expect(spans.slice(-2).map(({ kind, from, to }) => [kind, from - START, to - START])).toEqual([
    ['work', 4000, 6000],
    ['fail', 6000, 10_000],
  ]);
});

test('the stretches of a task go on until now while it has not ended', () => {
  const { PENDING, QUEUED, DELIVERED, RUNNING } = TaskStatus;
  const moves = [
    toMove(null, PENDING, 0),
    toMove(PENDING, QUEUED, 1),
    toMove(QUEUED, DELIVERED, 2, 1),
    toMove(DELIVERED, QUEUED, 5, 1),
    toMove(QUEUED, DELIVERED, 7, 2),
    toMove(DELIVERED, RUNNING, 8, 2),
  ];
  const spans = toSpans(toTask({ status: RUNNING, result: { runner_result: [] } }), START + 20_000, moves);
  expect(spans.map(({ kind, to }) => [kind, to - START])).toEqual([
    ['wait', 1000],
    ['wait', 2000],
    ['lost', 5000],
    ['wait', 7000],
    ['hand', 8000],
    ['work', 20_000],
  ]);
});

test('the stretches of a task hold a task that no host ever had', () => {
  const canceled = toTask({
    status: TaskStatus.CANCELED,
    delivered_at: null,
    started_at: null,
    finished_at: unix(3),
    updated_at: at(3.5),
    result: { runner_result: [] },
  });
  expect(toSpans(canceled, START).map(({ kind, to }) => [kind, to - START])).toEqual([['wait', 3500]]);
});

test('the bars of a task fold an hour of waiting, so that two seconds of work are seen', () => {
  const bars = toBars([
    { kind: 'wait', from: 0, to: 3_600_000 },
    { kind: 'work', step: 'capture_screen', from: 3_600_000, to: 3_602_000 },
  ]);
  expect(bars.map(({ isFolded }) => isFolded)).toEqual([true, false]);
  expect(bars[1]!.width).toBeGreaterThan(70);
});

test('the bars of a task are on one scale where several tasks are compared: only a wait that is longer is shortened', () => {
  const quick: Span[] = [
    { kind: 'wait', from: 0, to: 2_000 },
    { kind: 'work', from: 2_000, to: 4_000 },
  ];
  const slow: Span[] = [
    { kind: 'wait', from: 0, to: 3_600_000 },
    { kind: 'work', from: 3_600_000, to: 3_620_000 },
  ];
  const scaleMs = toScaleMs([quick, slow]);
  expect(scaleMs).toBe(30_000);
  const [wait, work] = toBars(quick, scaleMs);
  expect([wait!.width, work!.width].map((width) => width.toFixed(1))).toEqual(['6.7', '6.7']);
  const [folded, longer] = toBars(slow, scaleMs);
  expect([folded!.isFolded, wait!.isFolded]).toEqual([true, false]);
  expect(longer!.width / work!.width).toBeCloseTo(10);
  expect(toScaleMs([])).toBe(10_000);
});

test('the bars of a task take as long as from the time they were due to their end', () => {
  const spans = toSpans(toTask({}), START);
  expect(toDurationMs(spans, null)).toBe(10_000);
  expect(toDurationMs(spans, at(3))).toBe(7_000);
  expect(toDurationMs([], null)).toBe(0);
});

test('the bars of a task never leave the line, however many there are', () => {
  const spans = Array.from({ length: 300 }, (_, index) => ({ kind: 'work' as const, from: index, to: index }));
  const last = toBars(spans).at(-1)!;
  expect(last.x + last.width).toBeLessThanOrEqual(100.001);
});
