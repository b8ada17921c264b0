/** Rules that wait, are changed by people, or begin anew, on a host that fails at any moment. */
import { randomUUID } from 'node:crypto';
import type { GuardRule, RiskMarks } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { GuardedTerminal } from '../src/risk/guarded-terminal.ts';
import { createRandom, GuardWorld, TERMINAL } from './support/guard-world.ts';

const toRule = (changes: Partial<GuardRule> = {}): GuardRule => ({
  ...{ id: randomUUID(), kind: 'max_drawdown', amount: '500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 99, version: 1 },
  ...{ actions: ['close_all'], ...changes },
});
const openWorld = async (rule: GuardRule, changes: Partial<GuardWorld> = {}): Promise<GuardWorld> => {
  const world = Object.assign(new GuardWorld([rule], createRandom(1)), { refusals: 0, open: 1, ...changes });
  await world.start();
  await world.live(2);
  return world;
};
const report = (world: GuardWorld) => [...world.reports.values()].at(-1)!;
/** What the terminal shows at this equity, for so many seconds. */
const showAt = async (world: GuardWorld, equity: number, seconds: number): Promise<void> => {
  world.equity = equity;
  await world.live(seconds);
};

test('a touch is told with the most that was used, and the time at which the account was within the limit again', () => {
  const rule = toRule({ confirm_ms: 10_000 });
  const terminal = new GuardedTerminal(TERMINAL, undefined, 0);
  terminal.apply({ login: '5001', server: 'Harbour-Demo' }, [{ rule, marks: undefined }]);
  const beginMs = Date.UTC(2026, 5, 15, 10);
  for (const [seconds, equity] of [10_000, 9_480, 9_420.5, 9_490, 9_600].entries()) {
    const moment = { nowMs: beginMs + seconds * 1_000, elapsedMs: seconds * 1_000, createId: randomUUID };
    const money = { balance: '10000.00', equity: equity.toFixed(2), volumes: [], positions: 0 };
    terminal.note({ login: '5001', server: 'Harbour-Demo', ...money, isSynchronised: true }, moment);
    terminal.look(moment);
  }
  const touched = terminal.record.warnings.filter(({ kind }) => kind === 'touched');
  expect(touched).toMatchObject([{ used: '579.50', limit: '500.00', at: beginMs + 4_000, blind: null }]);
});

test.each([
  ['ahead', 3_600_000],
  ['back', -3_600_000],
])(
  'a clock that is set %s while a rule waits makes the wait neither shorter nor longer, also over a kill',
  async (_, ms) => {
    const world = await openWorld(toRule({ confirm_ms: 6_000 }));
    await showAt(world, 9_500, 2);
    world.clockMs += ms;
    await world.live(1);
    await world.kill();
    await world.start();
    await world.live(2);
    await world.rest();
    expect(world.hasBreach).toBe(false);
    await world.live(1);
    await world.rest();
    expect(world.hasBreach).toBe(true);
  },
);

test('a breach says by which version of its rule it was decided', async () => {
  const rule = toRule({ version: 3 });
  const world = await openWorld(rule);
  await world.change({ rules: [{ ...rule, amount: '450', version: 4 }] });
  await showAt(world, 9_550, 3);
  await world.change({ rules: [{ ...rule, amount: '400', version: 5 }] });
  await world.live(5);
  expect(report(world)).toMatchObject({ rule_version: 4, limit: '9550.00' });
});

test('a rule that is changed while it acts does what it began with', async () => {
  const rule = toRule({ actions: ['close_all', 'trading_off', 'lock'] });
  const world = await openWorld(rule, { refusals: 1 });
  await showAt(world, 9_500, 1);
  await world.change({ rules: [{ ...rule, amount: '900', actions: ['notify'], version: 2 }] });
  world.refusals = 0;
  await world.live(8);
  expect([world.open, world.isTradingOn]).toEqual([0, false]);
  const done = report(world).actions.map(({ action, ok }) => `${action} ${ok}`);
  expect(done).toEqual(['close_all true', 'trading_off true', 'lock true']);
});

test('a rule that is deleted while it acts finishes what it began, and then holds nothing', async () => {
  const rule = toRule({ actions: ['close_all', 'trading_off'] });
  const world = await openWorld(rule, { refusals: 1 });
  await showAt(world, 9_500, 1);
  await world.change({ rules: [], terminals: [] });
  world.refusals = 0;
  await world.live(10);
  expect([world.open, world.isTradingOn]).toEqual([0, false]);
  expect(report(world)).toMatchObject({ phase: 'ended', has_ended: true });
});

test('a rule that is loosened goes on holding what it has closed, over a kill', async () => {
  const rule = toRule();
  const world = await openWorld(rule);
  await showAt(world, 9_500, 5);
  await world.change({ rules: [{ ...rule, amount: '900', version: 2 }] });
  await world.live(2);
  await world.kill();
  await world.start();
  world.open = 1;
  await world.live(5);
  expect([world.open, report(world).phase, world.serverBreaches.length]).toEqual([0, 'holding', 1]);
});

test('a breach of before a long absence is looked at by the rule as it was then', async () => {
  const rule = toRule();
  const world = await openWorld(rule, { refusals: 1 });
  await showAt(world, 9_500, 2);
  await world.change({ rules: [{ ...rule, amount: '900', version: 2 }] });
  await world.kill();
  world.clockMs += 2 * 3_600_000;
  world.refusals = 0;
  await world.start();
  await world.live(6);
  expect([world.open, world.serverBreaches.length, report(world).phase]).toEqual([0, 1, 'holding']);
});

test.each([2, -2])(
  'a breach that is given up because the clock moved by %i hours says that time lies between',
  async (hours) => {
    const world = await openWorld(toRule(), { refusals: 1 });
    await showAt(world, 9_500, 2);
    await world.kill();
    world.clockMs += hours * 3_600_000;
    await world.start();
    await showAt(world, 9_900, 4);
    const message = 'More than an hour lies between the decision and now, by the clock of the host.';
    expect(report(world)).toMatchObject({ has_ended: true, actions: [{ action: 'close_all', ok: false, message }] });
  },
);

test('an unlock that reaches a blind host lets the marks begin anew when it sees, also after a kill', async () => {
  const world = await openWorld(toRule());
  await showAt(world, 9_480, 6);
  world.show({ isSynchronised: false });
  await world.unlock({ resetsMarks: true });
  await world.kill();
  world.isServerAway = true;
  await world.start();
  world.open = 1;
  await showAt(world, 9_300, 4);
  expect([world.hasBreach, world.open]).toEqual([false, 1]);
});

test('a host reports new marks at once, so that the server learns that they have begun anew', async () => {
  const world = await openWorld(toRule());
  await showAt(world, 9_480, 6);
  await world.unlock({ resetsMarks: true });
  world.show();
  const marks = world.guard.news.take()?.states[0]?.marks;
  expect(marks).toMatchObject({ source: 'reset', start: '9480.00', reset: report(world).id });
});

/** The start that a rule counts from, after it was applied with marks of the server, and an account was seen. */
const startOf = (terminal: GuardedTerminal, login: string, equity: string): string | undefined => {
  const moment = { nowMs: Date.UTC(2026, 5, 15, 12), elapsedMs: 0, createId: randomUUID };
  const numbers = { login, server: 'Harbour-Demo', equity, balance: equity, volumes: [], positions: 0 };
  terminal.note({ ...numbers, isSynchronised: true }, moment);
  terminal.look(moment);
  return terminal.record.rules[0]?.accounts.at(-1)?.start;
};

test('an account that is logged in to after another one began anew keeps its marks', () => {
  const [rule, reset] = [toRule(), randomUUID()];
  const terminal = new GuardedTerminal(TERMINAL, undefined, 0);
  const apply = (login: string, about: { reset?: string } = {}) =>
    terminal.apply({ login, server: 'Harbour-Demo' }, [{ rule, marks: undefined, ...about }]);
  apply('5002');
  startOf(terminal, '5002', '20000.00');
  apply('5001');
  startOf(terminal, '5001', '10000.00');
  apply('5001', { reset });
  expect(startOf(terminal, '5001', '9480.00')).toBe('9480.00');
  apply('5002', { reset });
  expect(startOf(terminal, '5002', '19700.00')).toBe('20000.00');
});

test('marks that have begun anew are kept over those of the server that have not, whatever their clocks said', () => {
  const [rule, reset] = [toRule(), randomUUID()];
  const terminal = new GuardedTerminal(TERMINAL, undefined, 0);
  const account = { login: '5001', server: 'Harbour-Demo' };
  const apply = (marks?: RiskMarks) => terminal.apply(account, [{ rule, marks, reset }]);
  terminal.apply(account, [{ rule, marks: undefined }]);
  startOf(terminal, '5001', '10000.00');
  const former = structuredClone(terminal.record.rules[0]!.accounts[0]!);
  apply();
  expect(startOf(terminal, '5001', '9480.00')).toBe('9480.00');
  apply({ ...former, seen_at: former.seen_at + 3_600_000 });
  expect(startOf(terminal, '5001', '9470.00')).toBe('9480.00');
  const other = new GuardedTerminal(TERMINAL, { rules: [], breaches: [], warnings: [] }, 0);
  other.apply(account, [{ rule, marks: { ...former, seen_at: former.seen_at + 3_600_000 } }]);
  other.apply(account, [{ rule, marks: { ...former, start: '9480.00', reset }, reset }]);
  expect(startOf(other, '5001', '9470.00')).toBe('9480.00');
});
