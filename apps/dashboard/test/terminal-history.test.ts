/** What the page of a terminal says: its state, and its history in sentences. */
import { TaskStatus, TaskType, TerminalStatus } from '@berth/contract/values';
import type { Terminal, UserEvent } from '@berth/client';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { keys } from '../src/data/keys.ts';
import { isHistoryEvent, showEntry, type HistoryEvent } from '../src/data/live/history.ts';
import { toDays } from '../src/pages/terminal/history/entries.ts';
import { toAlgoState, toPing, toReasonParts, toState } from '../src/pages/terminal/state.ts';

const TERMINAL = '01a20231-e142-7245-8fd9-0e53efe0d347';
let lastId = 0;

const toEvent = (type: UserEvent['type'], data: object, at = '2026-03-02T10:00:00.000Z'): HistoryEvent =>
  ({ id: (lastId += 1), type, occurred_at: at, terminal_id: TERMINAL, project_id: null, data }) as HistoryEvent;

const toStatus = (to: TerminalStatus, changes: object = {}) =>
  toEvent('terminal.status_changed', { name: 'n', from: TerminalStatus.ACTIVE, to, reason: null, ...changes });

const toTask = (type: TaskType, status: TaskStatus, at?: string) =>
  toEvent('task.finished', { task_id: `task-${type}`, type, status }, at);

/** The sentences, newest first, without the marks that keep directions of writing apart. */
const say = (...events: HistoryEvent[]): string[] =>
  toDays(events)
    .flatMap(({ entries }) => entries)
    .map(({ sentence }) => sentence.join('').replaceAll(/[\u2066-\u2069]/g, ''));

test.each<[HistoryEvent, string]>([
  [toStatus(TerminalStatus.ACTIVE), 'Active, connected to the broker.'],
  [
    toStatus(TerminalStatus.DISCONNECTED, { exit: { code: 139, signal: null } }),
    'Crashed with exit code 139. Restarting.',
  ],
  [
    toStatus(TerminalStatus.DISCONNECTED, { exit: { code: null, signal: 'SIGKILL' } }),
    'Crashed (SIGKILL). Restarting.',
  ],
  [
    toStatus(TerminalStatus.DISCONNECTED, { reason: 'The terminal is not running: it ended.' }),
    'Stopped unexpectedly. Restarting.',
  ],
  [toStatus(TerminalStatus.DISCONNECTED, { reason: 'No connection.' }), 'Disconnected from the broker.'],
  [toStatus(TerminalStatus.STOPPED, { reason: 'logged out' }), 'Logged out.'],
  [toStatus(TerminalStatus.STOPPED, { reason: 'stopped' }), 'Stopped.'],
  [toStatus(TerminalStatus.LOGIN_FAILED, { reason: 'Refused.' }), 'Login refused by the trading server.'],
  [toStatus(TerminalStatus.PENDING, { from: null }), 'Created.'],
  [toEvent('terminal.updated', { name: 'n', from: 4000, to: 4100 }), 'Updated from build 4000 to 4100.'],
  [
    toEvent('terminal.other_account', { name: 'n', login: '7002', server_name: 'Harbour-Demo' }),
    'Logged in to another account: 7002 on Harbour-Demo.',
  ],
  [
    toEvent('expert.failed', { chart_id: '1', name: 'Trend', symbol: 'EURUSD', period: 'M5', line: 'zero divide' }),
    'Expert Trend failed on EURUSD M5.',
  ],
  [toTask(TaskType.EA_INSTALL, TaskStatus.FAILED), 'Install expert: failed.'],
  [toTask(TaskType.EA_INSTALL, TaskStatus.COMPLETED), 'Install expert: done.'],
])('the history of a terminal says %o as "%s"', (event, sentence) => {
  expect(say(event)).toEqual([sentence]);
});

test('the history of a terminal says why a terminal was disconnected, and what was left out before', () => {
  const event = toStatus(TerminalStatus.DISCONNECTED, { reason: 'No connection.', skipped: 2 });
  expect(toDays([event])[0]?.entries[0]?.detail).toBe('No connection. 2 changes before this one were not recorded.');
});

test('the history of a terminal says who turned algo trading off, where that is known', () => {
  const off = (at: string) =>
    toEvent('trading.switched', { name: 'n', trading_allowed: false, trading_reason: 'terminal_switch' }, at);
  const [at, before] = ['2026-03-02T10:00:30.000Z', '2026-03-02T10:00:00.000Z'];
  const task = toTask(TaskType.OPTIONS_AUTO_TRADE, TaskStatus.COMPLETED, at);
  const days = toDays([off(at), task]);
  expect(say(off(at), task)).toEqual(['Algo trading was turned off by a task.']);
  expect(days[0]?.entries[0]?.taskId).toBe(`task-${TaskType.OPTIONS_AUTO_TRADE}`);
  const breach = { rule_name: 'Day', value: '-250', limit: '-200', actions: ['trading_off'] };
  expect(say(off(at), toEvent('risk.breached', breach, before))[0]).toBe(
    'Algo trading was turned off by the risk rule Day.',
  );
  expect(say(off(at))).toEqual(['Algo trading was turned off.']);
  const lone = toTask(TaskType.OPTIONS_AUTO_TRADE, TaskStatus.COMPLETED, before);
  expect(say(off(at), lone)).toEqual(['Algo trading was turned off.', 'Algo trading: done.']);
});

test('the history of a terminal counts screenshots that follow each other, and nothing else', () => {
  const shot = () => toTask(TaskType.SCREENSHOT, TaskStatus.COMPLETED);
  const failed = toTask(TaskType.SCREENSHOT, TaskStatus.FAILED);
  const login = () => toTask(TaskType.ACCOUNT_LOGIN, TaskStatus.COMPLETED);
  const [day] = toDays([shot(), shot(), shot(), failed, shot(), login(), login()]);
  expect(day?.entries.map(({ times }) => times)).toEqual([3, 1, 1, 1, 1]);
});

test('the history of a terminal is divided by days', () => {
  const days = toDays([
    toTask(TaskType.ACCOUNT_LOGIN, TaskStatus.COMPLETED, '2026-03-02T12:00:00.000Z'),
    toTask(TaskType.ACCOUNT_LOGIN, TaskStatus.COMPLETED, '2026-02-20T12:00:00.000Z'),
    toTask(TaskType.ACCOUNT_LOGIN, TaskStatus.COMPLETED, '2026-02-20T11:00:00.000Z'),
  ]);
  expect(days.map(({ entries }) => entries.length)).toEqual([1, 2]);
});

const queryKey = keys.terminals.history(TERMINAL);
const withShown = (...events: HistoryEvent[]): QueryClient => {
  const client = new QueryClient();
  client.setQueryData(queryKey, { pages: [{ events, next: null }], pageParams: ['start'] });
  return client;
};
const idsOf = (client: QueryClient): number[] =>
  client
    .getQueryData<{ pages: { events: HistoryEvent[] }[] }>(queryKey)!
    .pages.flatMap(({ events }) => events.map(({ id }) => id));

test('an entry that comes with its event is shown first, once, and only where its terminal is shown', () => {
  const [older, newer] = [toStatus(TerminalStatus.ACTIVE), toStatus(TerminalStatus.STOPPED)];
  const client = withShown(older);
  for (let times = 0; times < 2; times += 1) expect(showEntry(client, newer)).toEqual([]);
  showEntry(client, { ...toStatus(TerminalStatus.ACTIVE), terminal_id: 'another' });
  expect(idsOf(client)).toEqual([newer.id, older.id]);
});

test('an entry that comes with its event of a kind that no history tells is not', () => {
  const deal = toEvent('account.deal', {}) as UserEvent;
  expect(isHistoryEvent(deal)).toBe(false);
  const client = withShown();
  showEntry(client, deal);
  expect(idsOf(client)).toEqual([]);
});

test('an entry that comes with its event is read again when an answer is on its way that may not have it', async () => {
  const client = new QueryClient();
  let answer: (data: unknown) => void = () => undefined;
  const read = client.fetchQuery({ queryKey, queryFn: () => new Promise((resolve) => (answer = resolve)) });
  expect(showEntry(client, toStatus(TerminalStatus.ACTIVE))).toEqual([queryKey]);
  answer({ pages: [], pageParams: [] });
  await read;
});

const link = { state: 'up', ping_ms: 2, since: null } as const;
const toTerminal = (changes: Partial<Terminal>) =>
  ({
    status_name: 'ACTIVE',
    status_reason: null,
    link,
    trading_allowed: null,
    trading_reason: null,
    ...changes,
  }) as Terminal;

test('the state of a terminal has a ping only while it is active and linked', () => {
  expect(toPing(toTerminal({}))).toBe(2);
  expect(toPing(toTerminal({ status_name: 'DISCONNECTED', status_reason: 'No connection.' }))).toBeNull();
  expect(toPing(toTerminal({ link: { ...link, state: 'down' } }))).toBeNull();
});

test('the state of a terminal is restarting, not disconnected, when its program ended', () => {
  const ended = toTerminal({ status_name: 'DISCONNECTED', status_reason: 'The terminal is not running: it ended.' });
  expect([toState(ended), toPing(ended), toAlgoState(ended)]).toEqual(['RESTARTING', null, 'idle']);
});

test('the state of a terminal is logged out or stopped by its reason', () => {
  const toStopped = (reason: string | null) => toState(toTerminal({ status_name: 'STOPPED', status_reason: reason }));
  expect([toStopped('logged out'), toStopped('stopped'), toStopped(null)]).toEqual([
    'LOGGED_OUT',
    'STOPPED',
    'STOPPED',
  ]);
});

test('the state of a terminal says of algo trading what is known', () => {
  expect(toAlgoState(toTerminal({ trading_allowed: true }))).toBe('on');
  expect(toAlgoState(toTerminal({ trading_allowed: false, trading_reason: 'terminal_switch' }))).toBe('off');
  expect(toAlgoState(toTerminal({ trading_allowed: false, trading_reason: 'account' }))).toBe('blocked');
  expect(toAlgoState(toTerminal({}))).toBe('unknown');
});

test.each([
  ['A refused it (Invalid account). Log in again.', 'A refused it (Invalid account).', 'Log in again.'],
  ['No connection to mt5.example.com', 'No connection to mt5.example.com.', ''],
  ['Why? Nobody knows.', 'Why?', 'Nobody knows.'],
])('the state of a terminal: %s is a cause and a rest', (reason, cause, rest) => {
  expect(toReasonParts(reason)).toEqual({ cause, rest });
});
