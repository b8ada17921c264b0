import type { GuardRule } from '@berth/contract/agent';
import { createRandom, GuardWorld, type Defects } from './guard-world.ts';

const kinds = ['daily_loss', 'max_drawdown', 'equity_floor'] as const;
/** Each of the rules acts at this equity: it is 500 below the first one. */
const LIMIT = 9_500;
const STEPS = 60;

const toRule = (kind: (typeof kinds)[number]): GuardRule => ({
  id: '22222222-2222-4222-8222-222222222222',
  kind,
  amount: kind === 'equity_floor' ? String(LIMIT) : '500',
  percent: null,
  basis: 'balance',
  trail: 'equity',
  trail_stops_at: null,
  day_starts: '00:00',
  time_zone: 'UTC',
  warn_percent: 80,
  actions: ['close_all', 'trading_off'],
});

/** Runs one schedule of faults. @returns what it violates; empty: nothing */
export const runGuardSchedule = async (seed: number, defects: Defects = {}): Promise<string[]> => {
  const random = createRandom(seed);
  const world = new GuardWorld(toRule(kinds[Math.floor(random() * kinds.length)]!), random, defects);
  const problems: string[] = [];
  await world.start();
  world.show();
  let [visibleMs, downSteps, silentSteps] = [0, 0, 0];
  let [wasVisible, hadToAct, shifted] = [false, false, 0];
  const drift = random() < 0.6 ? -20 : 5;
  for (let step = 0; step < STEPS; step += 1) {
    if (random() < 0.08) world.isServerAway = !world.isServerAway;
    if (world.isAlive && random() < 0.08) await world.kill();
    else if (!world.isAlive && (downSteps += 1) > 2) [downSteps] = [0, await world.start()];
    if (random() < 0.05) silentSteps = Math.ceil(random() * 20);
    // Three hours at most, so that no other day begins.
    const jumpMs = random() < 0.05 ? (random() - 0.5) * 3 * 3_600_000 : 0;
    if (Math.abs(shifted + jumpMs) < 3 * 3_600_000)
      [shifted, world.clockMs] = [shifted + jumpMs, world.clockMs + jumpMs];
    // Nothing moves any more once everything is closed.
    if (world.open > 0) world.equity += drift + (random() - 0.5) * 60;
    const isShown = silentSteps <= 0;
    silentSteps -= 1;
    if (isShown) world.show();
    else if (random() < 0.3) world.show(random() < 0.5 ? { login: '7777' } : { isSynchronised: false });
    const isBelow = world.equity <= LIMIT;
    wasVisible ||= isBelow && isShown && world.isAlive;
    visibleMs = isBelow && isShown && world.isAlive ? visibleMs + 1_000 : 0;
    hadToAct ||= visibleMs >= 2_000;
    await world.advance(1_000);
    if (world.acted.size > 0 && !wasVisible) problems.push('acted without a breach');
  }
  world.isServerAway = false;
  if (!world.isAlive) await world.start();
  for (let step = 0; step < 60; step += 1) {
    world.show();
    await world.advance(1_000);
  }
  if (world.acted.size > 1) problems.push('acted twice');
  if (hadToAct && (world.acted.size === 0 || world.open > 0)) problems.push('missed a breach');
  if (world.hasOpenBreach) problems.push('left a breach open');
  const reported = new Set(world.serverBreaches);
  if (reported.size !== world.serverBreaches.length) problems.push('reported twice');
  if ([...world.acted].some((id) => !reported.has(id))) problems.push('not reported');
  await world.kill();
  return [...new Set(problems)];
};
