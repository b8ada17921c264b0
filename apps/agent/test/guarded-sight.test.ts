/** What a rule does not act on: numbers that look well and are not those of now. */
import { randomUUID } from 'node:crypto';
import type { GuardRule } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { readAccount } from '../src/account/exchange-files.ts';
import { toNumbers } from '../src/host/risk-numbers.ts';
import type { SeenNumbers } from '../src/risk/rule-state.ts';
import { toAccountFile } from './support/account-folder.ts';
import { createRandom, GuardWorld } from './support/guard-world.ts';

const rule: GuardRule = {
  ...{ id: randomUUID(), kind: 'equity_floor', amount: '9500', percent: null, basis: 'balance', trail: 'equity' },
  ...{ trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 99, actions: ['close_all'] },
};

const openWorld = async (): Promise<GuardWorld> => {
  const world = Object.assign(new GuardWorld([rule], createRandom(3)), { refusals: 0 });
  await world.start();
  await world.live(2);
  return world;
};
const showFor = async (world: GuardWorld, seconds: number, numbers: Partial<SeenNumbers>): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) {
    world.show(numbers);
    await world.advance(1_000);
  }
};

test('a terminal that loses its connection and loads its account anew causes one breach, by its numbers of then', async () => {
  const world = await openWorld();
  world.equity = 9_510;
  await world.live(1);
  await world.kill();
  await world.start();
  await showFor(world, 5, { isConnected: false, balance: '0.00', equity: '0.00' });
  await showFor(world, 8, { isSynchronised: false, equity: '9400.00' });
  expect([world.acted.size, world.open]).toEqual([0, 3]);
  world.equity = 9_480;
  await world.live(8);
  expect([world.acted.size, world.open]).toEqual([1, 0]);
  expect([...world.reports.values()]).toMatchObject([{ value: '9480.00', limit: '9500.00' }]);
  expect(world.warnings).toEqual(['not_synchronised', 'sees_again']);
});

test('an agent that was killed between its decision and its first order goes on with the same breach', async () => {
  const world = await openWorld();
  world.equity = 9_480;
  world.show();
  while (!world.done.includes('journal')) await world.advance(1);
  await world.kill();
  expect(world.acted.size).toBe(0);
  await world.start();
  await world.live(8);
  expect([world.acted.size, world.open, world.serverBreaches.length]).toEqual([1, 0, 1]);
});

test('numbers that are written again and again over prices that stand still are not acted on', async () => {
  const world = await openWorld();
  await showFor(world, 5, { tickAgeMs: 15_001, equity: '9400.00' });
  expect([world.acted.size, world.open]).toEqual([0, 3]);
  await showFor(world, 3, { tickAgeMs: 0 });
  await showFor(world, 3, { tickAgeMs: 20_000 });
  await world.live(5);
  expect(world.warnings).toEqual(['old_numbers', 'sees_again', 'old_numbers', 'sees_again']);
});

test('the age of the last price counts from when it came, whatever the age of the file', async () => {
  const world = await openWorld();
  world.show({ tickAgeMs: 14_000 });
  await world.advance(2_000);
  await showFor(world, 5, { tickAgeMs: 0 });
  expect(world.warnings).toEqual(['old_numbers', 'sees_again']);
});

test('where no price is due, and where nobody tells of prices, the age of the numbers alone counts', async () => {
  const world = await openWorld();
  await showFor(world, 3, { tickAgeMs: null });
  await showFor(world, 3, { tickAgeMs: undefined });
  expect(world.warnings).toEqual([]);
  await showFor(world, 8, { tickAgeMs: null, equity: '9400.00' });
  expect(world.acted.size).toBe(1);
});

const at = '2026-06-10T12:00:30.000Z';
test.each([
  [
    { connected: true, last_tick_at: '2026-06-10T12:00:10.000Z' },
    { isConnected: true, tickAgeMs: 20_000 },
  ],
  [
    { connected: false, last_tick_at: null },
    { isConnected: false, tickAgeMs: null },
  ],
  // Its clock was set back in between.
  [
    { connected: true, last_tick_at: '2026-06-10T13:00:00.000Z' },
    { isConnected: true, tickAgeMs: 0 },
  ],
  [{}, { isConnected: undefined, tickAgeMs: null }],
])('a file with %j is seen so', (facts, expected) => {
  const denials = 'connected' in facts ? { trade_denied_by: [] } : {};
  const state = readAccount(Buffer.from(JSON.stringify(toAccountFile({ at, ...facts, ...denials }))));
  if (typeof state === 'string') throw new Error(state);
  expect(toNumbers(state)).toMatchObject(expected);
});
