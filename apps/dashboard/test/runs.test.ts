/** What is said of a run: only what was confirmed is done, an older answer is not believed, and no secret is sent again. */
import { TaskType, type BulkRun } from '@berth/client';
import { expect, test } from 'vitest';
import { isInTray, toNewer, toRetry, toSentence, toTitle } from '../src/runs/run.ts';

const blank: BulkRun = {
  id: 'a',
  type: TaskType.OPTIONS_AUTO_TRADE,
  payload: { allow_algo_trading: 0 },
  planned_at: null,
  stagger_seconds: 0,
  created_at: '2026-11-24T00:00:00Z',
  canceled_at: null,
  finished_at: null,
  total: 10,
  pending: 0,
  in_progress: 10,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  canceled: 0,
};
const toRun = (changes: Partial<BulkRun>): BulkRun => ({ ...blank, ...changes });
const now = new Date().toISOString();

test('a run is done on all terminals only when all of them have confirmed it', () => {
  const toRun = (changes: Partial<BulkRun>): BulkRun => ({ ...blank, type: TaskType.SCREENSHOT, ...changes });
  expect(toSentence(toRun({ in_progress: 7, succeeded: 2, skipped: 1 }))).toBe('Done on 2 of 10 terminals. 1 skipped.');
  expect(toSentence(toRun({ finished_at: now, succeeded: 10, in_progress: 0 }))).toBe('Done on all 10 terminals.');
  const exceptions = { failed: 1, skipped: 2, canceled: 3, succeeded: 4, in_progress: 0 };
  expect(toSentence(toRun({ finished_at: now, ...exceptions }))).toBe(
    'Done on 4 of 10 terminals. 1 failed, 2 skipped, 3 canceled.',
  );
  expect(toSentence(toRun({ finished_at: now, in_progress: 0, skipped: 10 }))).toBe(
    'Done on 0 of 10 terminals. 10 skipped.',
  );
});

test('a run that ends an exposure says on how many terminals it is not confirmed, and what that means', () => {
  const over = { finished_at: now, in_progress: 0 };
  expect(toSentence(toRun({ succeeded: 3, in_progress: 6, skipped: 1 }))).toBe(
    'Confirmed off on 3 of 10 terminals. 1 skipped.',
  );
  expect(toSentence(toRun({ ...over, succeeded: 10 }))).toBe('Confirmed off on all 10 terminals.');
  expect(toSentence(toRun({ ...over, succeeded: 1, total: 1 }))).toBe('Confirmed off.');
  expect(toSentence(toRun({ ...over, succeeded: 8, failed: 2 }))).toBe(
    'Confirmed off on 8, not on 2: they may still trade.',
  );
  expect(toSentence(toRun({ ...over, succeeded: 7, failed: 1, skipped: 2 }))).toBe(
    'Confirmed off on 7, not on 1: it may still trade. 2 skipped.',
  );
  expect(toSentence(toRun({ ...over, succeeded: 8, skipped: 2 }))).toBe(
    'Confirmed off on 8 of 10 terminals. 2 skipped.',
  );
  expect(toSentence(toRun({ ...over, type: TaskType.CLOSE_ALL, succeeded: 9, canceled: 1 }))).toBe(
    'Confirmed closed on 9, not on 1: it may still have positions.',
  );
  expect(toSentence(toRun({ ...over, type: TaskType.TERMINAL_STOP, succeeded: 9, failed: 1 }))).toBe(
    'Confirmed stopped on 9, not on 1: it may still run.',
  );
  const on = { payload: { allow_algo_trading: 1 } };
  expect(toSentence(toRun({ ...over, ...on, succeeded: 10 }))).toBe('Done on all 10 terminals.');
});

test('a run is called by what it does', () => {
  expect(toTitle(toRun({}))).toBe('Algo trading off');
  expect(toTitle(toRun({ payload: { allow_algo_trading: 1 } }))).toBe('Algo trading on');
  expect(toTitle({ type: TaskType.TERMINAL_DESTROY })).toBe('Delete terminals');
});

test('a run never goes back when an older answer comes later', () => {
  const [early, late] = [toRun({ in_progress: 9, failed: 1 }), toRun({ in_progress: 7, succeeded: 3 })];
  const over = toRun({ finished_at: now, in_progress: 0, succeeded: 10 });
  expect(toNewer(late, early)).toBe(late);
  expect(toNewer(early, late)).toBe(late);
  expect(toNewer(over, late)).toBe(over);
  expect(toNewer(toRun({ in_progress: 5 }), toRun({ pending: 5, in_progress: 5 })).pending).toBe(0);
  expect(toNewer(undefined, early)).toBe(early);
});

test('a run is tried again on those that are named, and not at all where that takes a password', () => {
  expect(toRetry(toRun({}), ['x'])).toEqual({
    type: 'OPTIONS_AUTO_TRADE',
    payload: { allow_algo_trading: 0 },
    terminal_ids: ['x'],
  });
  const login = toRun({ type: TaskType.ACCOUNT_LOGIN, payload: { password: '********' } });
  expect(toRetry(login, ['x'])).toBeUndefined();
  expect(toRetry({ ...login, payload: {} }, ['x'])).toBeDefined();
});

test('a run stays above the pages while it is open, and for a day where something was not done', () => {
  expect(isInTray(toRun({}))).toBe(true);
  expect(isInTray(toRun({ finished_at: now, succeeded: 10 }))).toBe(false);
  expect(isInTray(toRun({ finished_at: now, succeeded: 9, failed: 1 }))).toBe(true);
  const before = new Date(Date.now() - 25 * 60 * 60_000).toISOString();
  expect(isInTray(toRun({ finished_at: before, succeeded: 9, failed: 1 }))).toBe(false);
});
