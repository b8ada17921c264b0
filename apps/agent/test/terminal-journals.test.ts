/** What the journals of the corpus say: each line that means something, as the event that it is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SafeDirectory } from '@berth/kit';
import { expect, test } from 'vitest';
import { findBuild, hasEndedWell, isCompiling } from '../src/commands/prepare-base/first-start.ts';
import { readHistory } from '../src/platforms/metatrader/journal/history.ts';
import type { JournalEvent } from '../src/platforms/metatrader/journal/journal-events.ts';
import { mt4Journal, mt5Journal } from '../src/platforms/metatrader/journal/journal-form.ts';
import { findMt4Event } from '../src/platforms/metatrader/journal/mt4-events.ts';
import { toOwnLogin } from '../src/platforms/metatrader/run/own-account.ts';
import { toStartFailure } from '../src/platforms/metatrader/run/start-proof.ts';
import { isSamePlace, toPlaceKey } from '../src/platforms/metatrader/run/expert-roster.ts';
import {
  applyEvent,
  createView,
  toSettleMs,
  type TerminalView,
} from '../src/platforms/metatrader/run/terminal-view.ts';
import { getCorpusFile } from './corpus/corpus.ts';

const toForm = (name: string) => (name.startsWith('mt4') ? mt4Journal : mt5Journal);
const readMessages = (name: string): string[] =>
  toForm(name)
    .toLines(getCorpusFile(name))
    .flatMap((text) => toForm(name).findLine(text)?.message ?? []);
const readEvents = (name: string): JournalEvent[] =>
  toForm(name)
    .toLines(getCorpusFile(name))
    .flatMap((text) => toForm(name).findLine(text) ?? [])
    .flatMap((line) => toForm(name).findEvent(line) ?? []);
const fold = (view: TerminalView, events: readonly JournalEvent[]): TerminalView => events.reduce(applyEvent, view);

test('MetaTrader 4 refuses a login in brackets, and a missing connection there is none', () => {
  const events = readEvents('mt4-1170-logins.log').filter(({ kind }) => /failed|no_connection/.test(kind));
  expect(events.map((event) => [event.kind, 'reason' in event ? event.reason : null])).toEqual([
    ['no_connection', null],
    ['authorization_failed', 'Common error'],
    ['authorization_failed', 'Invalid account'],
  ]);
});

test('a wrong password is a refusal, what may pass is none', () => {
  const toState = (reason: string) => {
    const event = mt4Journal.findEvent({
      level: 1,
      time: '',
      source: '',
      message: `'7': connect failed [${reason}]`,
    });
    return fold(createView({ state: 'connecting', hasPassword: true }), [event!]).login.state;
  };
  expect(['Invalid account', 'Common error', 'No connection'].map(toState)).toEqual(['refused', 'offline', 'offline']);
});

test('a password that could not be changed in the window is no refused login', () => {
  const messages = readMessages('mt4-1170-logins.log').filter((message) => /cannot|ping failed/.test(message));
  const events = messages.map((message) => mt4Journal.findEvent({ level: 1, time: '', source: '', message }));
  expect(events).toEqual([{ kind: 'ping', login: '80000022', pingMs: null }, undefined, undefined]);
});

test('MetaTrader 4 that is updated says so, stops, and is waited for until its new build starts', () => {
  const events = readEvents('mt4-1350-update.log');
  expect(events.map(({ kind }) => kind)).toEqual([
    'started',
    'update_announced',
    'update_announced',
    'shutdown',
    'started',
  ]);
  const timing = { exitSettleMs: 1, updateSettleMs: 2 };
  const views = [1, 2, 4, 5].map((count) => fold(createView({ state: 'none' }), events.slice(0, count)));
  expect(views.map((view) => toSettleMs(view, timing))).toEqual([0, 1, 2, 0]);
  expect(views.at(-1)?.build).toBe(1353);
});

test('MetaTrader 4 is prepared as a base by its own banner, once it has compiled', () => {
  const journals = readMessages('mt4-1350-update.log');
  expect(findBuild(journals.join('\n'))).toBe(1353);
  expect(findBuild(journals.slice(0, -3).join('\n'))).toBe(1350);
  expect(
    journals.slice(-3).map((_, at) => isCompiling(journals.slice(0, journals.length - 2 + at).join('\n'))),
  ).toEqual([false, true, false]);
  expect(findBuild(readMessages('mt4-1440-experts.log').join('\n'))).toBe(1440);
});

test('MetaTrader 5 of every build is known by its banner', () => {
  const names = [
    'mt5-1730-demo-replaced.log',
    'mt5-1835-demo-allocated.log',
    'mt5-5200-losses.log',
    'mt5-5430-experts.log',
  ];
  const builds = names.map((name) => findBuild(readMessages(name).join('\n')));
  expect(builds).toEqual([1730, 1835, 5200, 5430]);
  expect(names.map((name) => readEvents(name).find((event) => event.kind === 'started')?.build)).toEqual(builds);
  const journals = readMessages('mt5-1835-demo-allocated.log');
  const begun = journals.findIndex((message) => message.includes('recompilation has been started'));
  expect([1, 2].map((count) => isCompiling(journals.slice(0, begun + count).join('\n')))).toEqual([true, false]);
});

test('MetaTrader 5 that deletes its accounts says so before its banner, and the user reads that, not "server unknown"', async () => {
  const all = readEvents('mt5-1835-demo-allocated.log').filter(({ kind }) => kind !== 'config_rejected');
  const [end, ...events] = all;
  expect(end).toEqual({ kind: 'shutdown' });
  expect(events.slice(0, 2).map(({ kind }) => kind)).toEqual(['accounts_deleted', 'started']);
  for (const hasRunBefore of [false, true]) {
    const before = createView({ state: 'connecting', hasPassword: false });
    const view = fold(hasRunBefore ? { ...before, build: 1800 } : before, events.slice(0, 2));
    expect(view.login).toMatchObject({
      state: 'lacking',
      reason: expect.stringContaining('saved accounts') as string,
    });
  }
  const path = await mkdtemp(join(tmpdir(), 'berth-history-'));
  const folder = await SafeDirectory.open(path);
  try {
    await writeFile(join(path, '20260101.log'), getCorpusFile('mt5-1835-demo-allocated.log'));
    const history = await readHistory({ folder, form: mt5Journal });
    expect(history.events).toEqual(events);
  } finally {
    await folder.close();
    await rm(path, { recursive: true });
  }
});

test.each([
  ['mt5-1835-demo-allocated.log', '70000099'],
  ['mt5-1730-demo-replaced.log', '70000011'],
])('MetaTrader 5 that allocates a demo account of its own is logged in to another one (%s)', (name, login) => {
  const view = fold(createView({ state: 'none' }), readEvents(name));
  const own = { login, server: 'Example-Demo' };
  expect(toOwnLogin(view.login, own)).toMatchObject({
    state: 'elsewhere',
    reason: expect.stringContaining('Another account is logged in') as string,
  });
});

test('MetaTrader 5 whose password must be changed is let in, and does not work until data arrives', () => {
  const events = readEvents('mt5-5200-password-expired.log');
  const states = events.map((_, at) => fold(createView({ state: 'none' }), events.slice(0, at + 1)).login.state);
  expect(states).toEqual(['none', 'in', 'refused', 'refused', 'refused', 'refused']);
  const again = fold(createView({ state: 'none' }), [...events, events[1]!]);
  expect(again.login).toMatchObject({ state: 'refused', reason: expect.stringContaining('password') as string });
  const changed = fold(again, [{ kind: 'synchronized', login: '70000011', symbols: 1 }]);
  expect(changed.login).toMatchObject({ state: 'in', login: '70000011', server: 'Example-Demo' });
});

test.each(['No hay conexión', 'Server is busy', 'Too many requests', 'Common error'])(
  'MetaTrader 5 that is refused for now keeps its password: %s',
  (reason) => {
    const refusal = findMt4Event({ message: `'7': connect failed [${reason}]` });
    expect(fold(createView({ state: 'none' }), [refusal!]).login.state).toBe('offline');
  },
);

test.each([
  '0\t08:00:00.000\tExample MT4 build 1350 stopped',
  'AB\t0\t08:00:00.000\tTerminal\tstopped',
  'AB\t0\t08:00:00.000\tTerminal\tshutdown with 0',
])('MetaTrader 5 has ended well: %s', (end) => {
  const start = '0\t07:00:00.000\tExample MT4 build 1350 started (Example Ltd)';
  expect(hasEndedWell(`${start}\r\n${end}\r\n`)).toBe(true);
  expect(hasEndedWell(`${end}\r\n${start}\r\n`)).toBe(false);
});

test('MetaTrader 5 takes an expert off once: by its failure and the removal behind it, in a folder, on another period', () => {
  const place = { name: 'Rider', symbol: 'US 30', period: 'H1' };
  const loaded: JournalEvent = { kind: 'expert_loaded', ...place };
  const removed: JournalEvent = { kind: 'expert_removed', ...place };
  const charts = new Map([[toPlaceKey(place), 2]]);
  const left = (...events: JournalEvent[]) => fold(createView({ state: 'none' }, charts), events).experts.length;
  expect(left(loaded, loaded, { kind: 'expert_failed', ...place, reason: '', line: '' }, removed)).toBe(1);
  expect(left({ ...loaded, name: 'Sub\\Rider' }, removed)).toBe(0);
  expect(left(loaded, { ...removed, period: 'M15' })).toBe(0);
  expect(left(loaded, { ...removed, symbol: 'US 500' })).toBe(1);
});

test('MetaTrader 5 that gets no data is not logged in until it does', () => {
  const [, authorized] = readEvents('mt5-5200-losses.log');
  const login = '70000011';
  const events: JournalEvent[] = [authorized!, { kind: 'not_synchronized', login }];
  expect(readEvents('mt5-5200-losses.log')).toContainEqual(events[1]);
  const view = fold(createView({ state: 'none' }), events);
  expect(view.login.state).toBe('offline');
  expect(fold(view, [{ kind: 'synchronized', login, symbols: 1718 }]).login.state).toBe('in');
});

test('MetaTrader 5 that loads an expert again without a removal has it once for each of its charts', () => {
  const events = readEvents('mt5-5430-experts.log');
  const place = { name: 'Range Rider (b)', symbol: 'Volatility 75 (1s) Index', period: 'M1' };
  const countOf = (charts: [string, number][]) => {
    const view = createView({ state: 'none' }, new Map(charts));
    return fold(view, events).experts.filter((each) => isSamePlace(each, place)).length;
  };
  expect(countOf([])).toBe(1);
  expect(countOf([[toPlaceKey(place), 1]])).toBe(1);
  expect(countOf([[toPlaceKey(place), 2]])).toBe(2);
});

test('MetaTrader 5 that finds another process of itself does not start', () => {
  const [first] = readMessages('mt5-1835-demo-allocated.log');
  const event = mt5Journal.findEvent({ level: 2, time: '', source: 'Terminal', message: first! });
  const view = fold(createView({ state: 'none' }), [event!]);
  expect(toStartFailure(view, 1_000).message).toContain('The terminal runs already');
});

test('MetaTrader 5 names symbols with brackets, and an expert that was taken away has not failed', () => {
  const events = readEvents('mt5-5430-experts.log');
  const place = { name: 'Range Rider (b)', symbol: 'Volatility 75 (1s) Index', period: 'M1' };
  expect(events[1]).toEqual({ kind: 'expert_loaded', ...place });
  expect(events.flatMap((event) => (event.kind === 'expert_failed' ? [event.reason] : []))).toEqual([
    'with code 0 (symbol synchronization timeout)',
  ]);
  expect(events.find(({ kind }) => kind === 'expert_removed')).toMatchObject({ symbol: 'US 30.r_i', period: 'D1' });
});
