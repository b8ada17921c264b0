/** What is done on many terminals: every terminal gets its end, whatever comes first, and nothing grows without bound. */
import { TaskStatus } from '@berth/contract/values';
import { afterEach, describe, expect, test } from 'vitest';
import { isOver, toCounts, toItemState, type RunItem } from '../src/runs/run.ts';
import { addRun, changeItems, changeRun, forgetRuns, getRun, getRuns, removeRun } from '../src/runs/store.ts';

const toItem = (terminalId: string): RunItem => ({
  terminalId,
  name: `Terminal ${terminalId}`,
  state: 'asked',
  taskId: undefined,
  reason: undefined,
});
const add = (...ids: string[]): number | undefined =>
  addRun({ title: 'Take pictures', items: ids.map(toItem), again: () => undefined });

afterEach(() => forgetRuns());

describe('a run', () => {
  test('counts what is done, what failed, and what is open', () => {
    const id = add('a', 'b', 'c') ?? 0;
    changeItems(
      id,
      new Map([
        ['a', { state: 'done' as const }],
        ['b', { state: 'failed' as const, reason: 'Full.' }],
      ]),
    );
    expect(toCounts(getRun(id) ?? { items: new Map() })).toEqual({ total: 3, done: 1, failed: 1, open: 1 });
    expect(getRun(id)?.items.get('b')?.reason).toBe('Full.');
  });

  test('takes nothing of a terminal that it does not have', () => {
    const id = add('a') ?? 0;
    changeItems(id, new Map([['z', { state: 'done' as const }]]));
    expect([...(getRun(id)?.items.keys() ?? [])]).toEqual(['a']);
  });

  test('is over when all was asked for and each has its end', () => {
    const id = add('a') ?? 0;
    const read = () => isOver(getRun(id) ?? expect.fail('the run is gone'));
    changeItems(id, new Map([['a', { state: 'done' as const }]]));
    expect(read()).toBe(false);
    changeRun(id, () => ({ isAsking: false }));
    expect(read()).toBe(true);
  });

  test('ends with its task: well only where the task is completed', () => {
    const { PENDING, QUEUED, DELIVERED, RUNNING, COMPLETED, FAILED, CANCELED, TERMINATED } = TaskStatus;
    expect([PENDING, QUEUED, DELIVERED, RUNNING].map(toItemState)).toEqual(Array(4).fill('waiting'));
    expect([COMPLETED, FAILED, CANCELED, TERMINATED].map(toItemState)).toEqual(['done', 'failed', 'failed', 'failed']);
  });
});

describe('the runs of a tab', () => {
  test('are five at most; one that is over makes room for the next, one that goes on never does', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((name) => add(name));
    expect(ids.every((id) => id !== undefined)).toBe(true);
    expect(add('f')).toBeUndefined();
    changeItems(ids[2] ?? 0, new Map([['c', { state: 'done' as const }]]));
    changeRun(ids[2] ?? 0, () => ({ isAsking: false }));
    expect(add('f')).toBeDefined();
    expect(getRuns().map(({ items }) => [...items.keys()].join())).toEqual(['a', 'b', 'd', 'e', 'f']);
  });

  test('are put away one by one, and all of them with the session', () => {
    const id = add('a') ?? 0;
    add('b');
    removeRun(id);
    expect(getRuns()).toHaveLength(1);
    forgetRuns();
    expect(getRuns()).toEqual([]);
  });
});
