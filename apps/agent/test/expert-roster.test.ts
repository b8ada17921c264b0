/** What the journal and the EAs' log, which reach the disk independently of each other, amount to. */
import { describe, expect, test } from 'vitest';
import type { JournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import { mt4Journal, mt5Journal } from '../src/platforms/metatrader/journal/journal-form.ts';
import { toPlaceKey } from '../src/platforms/metatrader/run/expert-roster.ts';
import { applyEvent, createView } from '../src/platforms/metatrader/run/terminal-view.ts';
import { createStateFinder } from '../src/platforms/metatrader/seen-charts.ts';

const time = '10:00:02.341';

describe.each([
  "zero divide in 'Rider.mq5' (652,53)",
  "array out of range in 'Rider.mq4' (2668,41)",
  "invalid pointer access in 'Collection.mqh' (156,10)",
  "incorrect casting of pointers in 'Rider.mq5' (12,3)",
  "unresolved import function call in 'Rider.mq5' (1,1)",
  "stack overflow in 'Rider.mq5' (12,3)",
  "out of memory in 'Rider.mq5' (12,3)",
  "not initialized string in 'Rider.mq4' (12,3)",
  'Access violation at 0x00007FFA1B2C3D4E read to 0x0000000000000000',
])('the error "%s"', (text) => {
  const place = { name: 'Rider (b)', symbol: 'Volatility 75 (1s) Index', period: 'D1' };

  test('an error of an expert’s code ends an expert in both programs, wherever the terminal itself writes it', () => {
    const found = mt5Journal.findExpertEvent({
      level: 2,
      time,
      source: 'Rider (b) (Volatility 75 (1s) Index,Daily)',
      message: text,
    });
    expect(found).toEqual({ kind: 'program_crashed', ...place, line: text, at: undefined });
    const message = `Rider (b) Volatility 75 (1s) Index,Daily: ${text}`;
    const inMt4 = mt4Journal.findExpertEvent({ level: 1, time, source: '', message });
    expect(inMt4?.kind === 'program_crashed' && [toPlaceKey(inMt4), inMt4.line]).toEqual([toPlaceKey(place), text]);
  });

  test('an error of an expert’s code is nothing where an expert prints it', () => {
    const source = 'Rider (EURUSD,H1)';
    expect(mt5Journal.findExpertEvent({ level: 0, time, source, message: text })).toBeUndefined();
    const message = `Rider EURUSD,H1: ${text}`;
    expect(mt4Journal.findExpertEvent({ level: 0, time, source: '', message })).toBeUndefined();
  });
});

test.each(['a warning of zero divide', "cannot load 'Bridge.dll' [126]", 'array resized', 'abnormal termination'])(
  'a line that says "%s" ends no expert',
  (message) => {
    expect(mt5Journal.findExpertEvent({ level: 2, time, source: 'Rider (EURUSD,H1)', message })).toBeUndefined();
  },
);

const place = { name: 'Rider', symbol: 'EURUSD', period: 'H1' };
const load = (at?: string): JournalEvent => ({ kind: 'expert_loaded', ...place, at });
const crash = (at?: string): JournalEvent => ({ kind: 'program_crashed', ...place, line: 'zero divide', at });
const removed: JournalEvent = { kind: 'expert_removed', ...place };
const refused: JournalEvent = { kind: 'expert_failed', ...place, reason: 'with code 1', line: 'refused' };
const started: JournalEvent = { kind: 'started', build: 5000 };
/** The states of the charts that have it. */
const toStates = (charts: number, ...events: JournalEvent[]) => {
  const chartsAt = new Map(charts === 0 ? [] : [[toPlaceKey(place), charts]]);
  const find = createStateFinder(events.reduce(applyEvent, createView({ state: 'none' }, chartsAt)), true);
  return Array.from({ length: charts || 1 }, () => find(place).state);
};

test('an expert that crashed is failed until it is loaded again', () => {
  expect(toStates(1, load(), crash())).toEqual(['failed']);
  expect(toStates(1, load(), crash(), removed)).toEqual(['failed']);
  expect(toStates(1, load(), crash(), removed, load())).toEqual(['running']);
  expect(toStates(1, load(), crash(), removed, load(), removed)).toEqual(['stopped']);
});

test('an expert that crashed beside another one of its place leaves that one running', () => {
  expect(toStates(2, load(), load(), crash())).toEqual(['running', 'failed']);
  expect(toStates(2, load(), load(), crash(), removed)).toEqual(['running', 'failed']);
  expect(toStates(2, load(), load(), crash(), removed, load())).toEqual(['running', 'running']);
});

test('an expert is failed also where its error is read before its load, or before the start of its terminal', () => {
  expect(toStates(1, crash('20260105 10:00:03.000'), load('20260105 10:00:02.000'))).toEqual(['failed']);
  expect(toStates(1, crash('20260105 10:00:03.000'), started, load('20260105 10:00:02.000'))).toEqual(['failed']);
  const again = [load('20260105 10:00:02.000'), crash('20260105 10:00:03.000'), crash('20260106 00:00:01.000')];
  expect(toStates(1, ...again, removed, load('20260105 23:59:59.000'))).toEqual(['failed']);
});

test('an expert runs where an error of an earlier load is read late', () => {
  const later = load('20260106 00:00:01.000');
  expect(toStates(1, load('20260105 10:00:02.000'), removed, later, crash('20260105 23:59:59.000'))).toEqual([
    'running',
  ]);
  expect(toStates(1, crash('20260105 23:59:59.000'), later)).toEqual(['running']);
});

test('an expert that was loaded again without a removal runs, whatever ended its earlier load', () => {
  const [first, again] = [load('20260105 10:00:02.000'), load('20260105 12:00:00.000')];
  expect(toStates(1, first, again, crash('20260105 11:00:00.000'))).toEqual(['running']);
  expect(toStates(1, first, again, crash('20260105 13:00:00.000'))).toEqual(['failed']);
  const second = load('20260105 12:00:01.000');
  expect(toStates(2, first, first, again, second, crash('20260105 11:00:00.000'))).toEqual(['running', 'running']);
  expect(toStates(2, first, first, again, crash('20260105 11:00:00.000'))).toEqual(['running', 'failed']);
});

test('an expert that was removed before its error was read is failed', () => {
  expect(toStates(1, load('20260105 10:00:02.000'), removed, crash('20260105 10:00:03.000'))).toEqual(['failed']);
});

test('an expert that was refused is failed, and one that was loaded and removed is stopped', () => {
  expect(toStates(1, load(), refused, removed)).toEqual(['failed']);
  expect(toStates(1, refused)).toEqual(['failed']);
  expect(toStates(1, load(), removed)).toEqual(['stopped']);
  expect(toStates(1)).toEqual(['unknown']);
});

test('an expert is not meant by an error of an indicator at a place where no expert is', () => {
  expect(toStates(0, crash(), load())).toEqual(['running']);
});

test('an expert is unknown, not running, once a part of its log was skipped', () => {
  expect(toStates(1, load(), { kind: 'experts_log_skipped' })).toEqual(['unknown']);
  expect(toStates(1, load(), { kind: 'experts_log_skipped' }, started, load())).toEqual(['running']);
});
