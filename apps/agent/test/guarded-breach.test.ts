/** What becomes of a breach: the order of what is done, holding, and its end, also over a kill of the agent. */
import { randomUUID } from 'node:crypto';
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { createRandom, GuardWorld, TERMINAL } from './support/guard-world.ts';

const toRule = (changes: Partial<GuardRule> = {}): GuardRule => ({
  ...{ id: randomUUID(), kind: 'daily_loss', amount: '500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80 },
  ...{ actions: ['close_all', 'trading_off', 'lock', 'notify'], ...changes },
});

/** A terminal with positions, whose rules have seen it at its start. No order of it is refused. */
const openWorld = async (rules: GuardRule[], changes: Partial<GuardWorld> = {}): Promise<GuardWorld> => {
  const world = Object.assign(new GuardWorld(rules, createRandom(1)), { refusals: 0, ...changes });
  await world.start();
  await world.live(2);
  return world;
};
const [only, none]: [number, string[]] = [0, []];
const report = (world: GuardWorld) => [...world.reports.values()][only]!;

test('a breach is written down, then experts go, orders, positions, and algo trading last', async () => {
  const world = await openWorld([toRule()], { pending: 2, experts: 2 });
  world.equity = 9_500;
  await world.live(10);
  expect(world.done).toEqual(['journal', 'closed 2 charts', 'deleted 2', 'closed 2', 'closed 1', 'trading off']);
  expect(report(world)).toMatchObject({ phase: 'holding', has_ended: false, experts: { removed: 2, message: null } });
  expect(report(world).actions.map(({ action, ok }) => [action, ok])).toEqual([
    ...[
      ['close_all', true],
      ['trading_off', true],
      ['lock', true],
      ['notify', true],
    ],
  ]);
});

test('algo trading that is off is switched on without experts, closes, and is off again', async () => {
  const rule = toRule({ actions: ['close_all'] });
  const world = await openWorld([rule], { experts: 1, isTradingOn: false, open: 1 });
  world.equity = 9_500;
  await world.live(10);
  expect(world.done).toEqual(['journal', 'closed 1 charts', 'trading on', 'closed 1', 'trading off']);
});

test('algo trading that is off stays off while experts cannot be taken away', async () => {
  const stuck = { experts: 1, areExpertsStuck: true };
  const world = await openWorld([toRule({ actions: ['close_all'] })], { isTradingOn: false, open: 1, ...stuck });
  world.equity = 9_500;
  await world.live(20);
  expect([world.isTradingOn, world.open]).toEqual([false, 1]);
  expect(report(world).experts?.message).toContain('charts');
});

test('orders that fill and positions that come meanwhile are closed, and what a phone opens later, by one breach', async () => {
  const world = await openWorld([toRule({ actions: ['close_all'] })], { open: 4, pending: 2, refusals: 1 });
  world.equity = 9_500;
  world.show();
  await world.advance(100);
  Object.assign(world, { open: 6, pending: 1, refusals: 0 });
  await world.live(10);
  expect(report(world)).toMatchObject({ phase: 'holding', closed: 7, total: 7, left_open: [] });
  await world.live(50);
  world.open = 1;
  await world.live(5);
  expect([world.open, world.serverBreaches.length]).toEqual([0, 1]);
  expect(report(world)).toMatchObject({ phase: 'holding', closed: 8, total: 8 });
});

test('an order that is placed while a breach is held is deleted under it, with no position open', async () => {
  const world = await openWorld([toRule({ actions: ['close_all'] })], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  world.pending = 1;
  await world.live(5);
  expect([world.pending, world.serverBreaches.length]).toEqual([0, 1]);
  expect(report(world)).toMatchObject({ closed: 2, phase: 'holding' });
});

test('a rule that closes nothing holds nothing', async () => {
  const world = await openWorld([toRule({ actions: ['trading_off'] })]);
  world.equity = 9_500;
  await world.live(4);
  expect([world.done, world.open]).toEqual([['journal', 'trading off'], 3]);
  expect(report(world)).toMatchObject({ phase: 'ended', has_ended: true });
});

test('nothing counts as closed before two states a second apart show nothing', async () => {
  const world = await openWorld([toRule()], { open: 1 });
  world.equity = 9_500;
  world.show();
  for (let step = 0; step < 10; step += 1) await world.advance(10);
  expect(world.done.at(-1)).toBe('closed 1');
  // The terminal writes nothing new.
  await world.advance(5_000);
  expect(report(world).actions).toEqual(none);
  world.open = 1;
  await world.live(4);
  expect(world.done.slice(-3)).toEqual(['closed 1', 'closed 1', 'trading off']);
});

test('what a closed session keeps open is left, and closed under the same breach when its price moves', async () => {
  const world = await openWorld([toRule()], { open: 1, isSessionOpen: false });
  world.equity = 9_500;
  await world.live(10);
  expect(report(world)).toMatchObject({ phase: 'holding', left_open: [{ symbol: 'EURUSD' }] });
  expect(report(world).actions).toMatchObject([
    { action: 'close_all', ok: false },
    { ok: true },
    { ok: true },
    { ok: true },
  ]);
  await world.live(30);
  Object.assign(world, { isSessionOpen: true, equity: 9_400 });
  await world.live(10);
  expect([world.open, world.serverBreaches.length]).toEqual([0, 1]);
  expect(report(world)).toMatchObject({ closed: 1, left_open: [] });
  expect(report(world).actions[only]).toMatchObject({ action: 'close_all', ok: true });
});

test('a breach of a day is held over a kill, and ends with its day', async () => {
  const world = await openWorld([toRule({ actions: ['close_all'] })], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  await world.kill();
  world.open = 2;
  await world.start();
  await world.live(6);
  expect([world.open, world.serverBreaches.length]).toEqual([0, 1]);
  Object.assign(world, { balance: 9_500, lastDeal: 2 });
  world.clockMs += 12 * 3_600_000;
  await world.live(3);
  expect(report(world)).toMatchObject({ phase: 'ended', has_ended: true, closed: 3 });
  world.open = 1;
  await world.live(5);
  expect(world.open).toBe(1);
});

test('a breach that was held for days is held after a kill as well', async () => {
  const world = await openWorld([toRule({ kind: 'max_drawdown', actions: ['close_all'] })], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  await world.kill();
  world.clockMs += 3 * 86_400_000;
  world.open = 1;
  await world.start();
  await world.live(6);
  expect([world.open, report(world).phase]).toEqual([0, 'holding']);
});

test.each<[string, (world: GuardWorld, rule: GuardRule) => Promise<unknown> | void]>([
  ['the account has recovered', (world) => void (world.equity = 9_700)],
  ['the rule is deleted', (world) => world.guard.setRules({ ...world.rules, rules: [], terminals: [] })],
  [
    'the rule does not close any more',
    (world, rule) => {
      const rules = [{ ...rule, actions: ['notify' as const] }];
      return world.guard.setRules({ ...world.rules, rules });
    },
  ],
  [
    'a person has released it',
    (world) => {
      const released = [report(world).id];
      return world.guard.setRules({
        ...world.rules,
        terminals: world.rules.terminals.map((each) => ({ ...each, released })),
      });
    },
  ],
])('nothing is held any more once %s', async (_, end) => {
  const rule = toRule({ kind: 'max_drawdown', actions: ['close_all'] });
  const world = await openWorld([rule], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  expect(report(world).phase).toBe('holding');
  await end(world, rule);
  await world.live(3);
  expect(report(world)).toMatchObject({ phase: 'ended', has_ended: true });
});

test('a rule acts again, by another breach, on what is opened after a person has released the first one', async () => {
  const world = await openWorld([toRule({ kind: 'max_drawdown', actions: ['close_all'] })], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  const released = [report(world).id];
  const terminals = world.rules.terminals.map((each) => ({ ...each, released }));
  await world.guard.setRules({ ...world.rules, terminals });
  await world.live(10);
  expect(world.serverBreaches).toHaveLength(1);
  world.open = 1;
  await world.live(6);
  expect([world.open, world.serverBreaches.length]).toEqual([0, 2]);
});

test('a server that never says what is released gets nothing held that is locked, since nobody could end that', async () => {
  const world = new GuardWorld([toRule({ kind: 'max_drawdown' })], createRandom(1));
  const [{ released: _, ...terminal }] = world.rules.terminals as [GuardWorld['rules']['terminals'][number]];
  world.rules.terminals = [terminal];
  Object.assign(world, { refusals: 0, open: 1 });
  await world.start();
  await world.live(2);
  world.equity = 9_500;
  await world.live(10);
  world.open = 1;
  await world.live(3);
  expect([report(world).phase, world.open]).toEqual(['ended', 1]);
});

test('while its numbers are not those of now, a held breach closes nothing and does not end', async () => {
  const world = await openWorld([toRule({ kind: 'max_drawdown', actions: ['close_all'] })], { open: 1 });
  world.equity = 9_500;
  await world.live(6);
  Object.assign(world, { open: 1, equity: 10_000 });
  for (let second = 0; second < 20; second += 1) {
    world.show({ isSynchronised: false });
    await world.advance(1_000);
  }
  expect([world.open, report(world).phase]).toEqual([1, 'holding']);
});

test.each([
  [[], true],
  [['terminal'], true],
  [['terminal', 'broker'], false],
  [['password'], false],
] as const)(
  'a rule that closes says that %j stands against its orders before there is any',
  async (deniedBy, can_act) => {
    const world = await openWorld([toRule()]);
    await world.advance(6_000);
    world.isServerAway = true;
    world.show({ deniedBy });
    world.guard.news.reportAgain();
    expect(world.guard.news.take()?.states).toMatchObject([
      { terminal_id: TERMINAL, can_act, trade_denied_by: deniedBy },
    ]);
  },
);

test('a rule that only locks can always act', async () => {
  const world = await openWorld([toRule({ actions: ['lock'] })]);
  world.isServerAway = true;
  world.show({ deniedBy: ['password'] });
  world.guard.news.reportAgain();
  expect(world.guard.news.take()?.states).toMatchObject([{ can_act: true, trade_denied_by: ['password'] }]);
});
