import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decideAttemptEnd,
  isCurrentFence,
  isFinalTaskStatus,
  MAX_ATTEMPTS,
  ResultStatus,
  stepCodes,
  taskCatalogue,
  taskDoubleTransitions,
  taskTransitions,
  TaskStatus,
  TaskType,
  taskTypes,
  type AttemptEnd,
  type StepCode,
  type TaskStep,
} from '../src/index.ts';

const now = new Date('2026-03-01T10:00:00Z');
const failedStep = (code: StepCode): TaskStep => ({
  step: 'x',
  ok: false,
  code,
  message: 'm',
  at: now.toISOString(),
  data: {},
});

const anyRunning = fc.record({
  type: fc.constantFrom(...taskTypes),
  status: fc.constantFrom(TaskStatus.DELIVERED, TaskStatus.RUNNING),
  attempts: fc.integer({ min: 1, max: 5 }),
});
const anyEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.constant<AttemptEnd>({ kind: 'completed', steps: [] }),
  fc.constantFrom(...stepCodes).map((code): AttemptEnd => ({ kind: 'failed', steps: [failedStep(code)] })),
  fc.constantFrom<AttemptEnd>(
    { kind: 'interrupted' },
    { kind: 'lease_lost' },
    { kind: 'preempted' },
    { kind: 'timed_out', steps: [] },
  ),
);

it('the task machine ends every attempt in a move that the table has', () => {
  const all = new Set(
    [...taskTransitions, ...taskDoubleTransitions.map(([from, , to]) => [from, to] as const)].map(String),
  );
  fc.assert(
    fc.property(anyRunning, anyEnd, fc.double({ min: 0, max: 0.999 }), (task, end, random) => {
      const verdict = decideAttemptEnd(task, end, now, random);
      return all.has(String([task.status, verdict.status]));
    }),
  );
});

it('the task machine brings a task that gave way to a stop back at once, however often', () => {
  for (const attempts of [1, MAX_ATTEMPTS, 40]) {
    const task = { type: TaskType.EA_INSTALL, status: TaskStatus.RUNNING, attempts };
    expect(decideAttemptEnd(task, { kind: 'preempted' }, now, 0.9)).toEqual({
      status: TaskStatus.QUEUED,
      delayMs: 0,
    });
  }
});

it('the task machine never repeats a task that is not repeatable', () => {
  fc.assert(
    fc.property(anyRunning, anyEnd, (task, end) => {
      const verdict = decideAttemptEnd({ ...task, type: TaskType.ACCOUNT_OPEN_DEMO }, end, now, 0);
      return verdict.status !== TaskStatus.QUEUED;
    }),
  );
});

it('the task machine never starts more attempts than the limit', () => {
  fc.assert(
    fc.property(anyRunning, anyEnd, (task, end) => {
      const verdict = decideAttemptEnd({ ...task, attempts: MAX_ATTEMPTS }, end, now, 0);
      return verdict.status !== TaskStatus.QUEUED || end.kind === 'preempted';
    }),
  );
});

it('the task machine says "outcome unknown" when a task that must not be repeated was interrupted', () => {
  const task = { type: TaskType.ACCOUNT_OPEN_DEMO, status: TaskStatus.RUNNING, attempts: 1 };
  const verdict = decideAttemptEnd(task, { kind: 'lease_lost' }, now, 0);
  expect(verdict).toMatchObject({ status: TaskStatus.TERMINATED, result: { status: ResultStatus.UNKNOWN } });
});

it('the task machine never repeats a login with a wrong password', () => {
  const task = { type: TaskType.ACCOUNT_LOGIN, status: TaskStatus.RUNNING, attempts: 1 };
  const verdict = decideAttemptEnd(task, { kind: 'failed', steps: [failedStep('E_AUTH')] }, now, 0);
  expect(verdict).toMatchObject({ status: TaskStatus.FAILED, result: { status: ResultStatus.FAILED } });
});

it('the task machine waits 1 to 2 seconds before the second attempt and 2 to 4 before the third', () => {
  const end: AttemptEnd = { kind: 'failed', steps: [failedStep('E_NO_CONNECTION')] };
  const delayOf = (attempts: number, random: number) =>
    decideAttemptEnd({ type: TaskType.ACCOUNT_LOGIN, status: TaskStatus.RUNNING, attempts }, end, now, random);
  expect(delayOf(1, 0)).toEqual({ status: TaskStatus.QUEUED, delayMs: 1000 });
  expect(delayOf(1, 1)).toEqual({ status: TaskStatus.QUEUED, delayMs: 2000 });
  expect(delayOf(2, 0)).toEqual({ status: TaskStatus.QUEUED, delayMs: 2000 });
  expect(delayOf(2, 1)).toEqual({ status: TaskStatus.QUEUED, delayMs: 4000 });
});

it('the task machine accepts a report only under the current fence of an attempt that is under way', () => {
  for (const status of Object.values(TaskStatus)) {
    const isUnderWay = status === TaskStatus.DELIVERED || status === TaskStatus.RUNNING;
    expect(isCurrentFence({ status, attempts: 2 }, 2)).toBe(isUnderWay);
    expect(isCurrentFence({ status, attempts: 2 }, 1)).toBe(false);
  }
});

it('the task machine leaves no final status', () => {
  for (const [from] of taskTransitions) expect(isFinalTaskStatus(from)).toBe(false);
});

it('the task machine has one definition for each task type, under its own number', () => {
  for (const type of taskTypes) expect(taskCatalogue[type].type).toBe(type);
  expect(Object.keys(taskCatalogue)).toHaveLength(19);
});
