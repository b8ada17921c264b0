import type { GuardRule } from '@berth/contract/agent';
import { createRandom, GuardWorld, type Defects } from './guard-world.ts';

const kinds = ['daily_loss', 'max_drawdown', 'equity_floor'] as const;
/** Each of the rules acts at this equity: it is 500 below the first one, and moves with deposits except for a floor. */
const LIMIT = 9_500;
const STEPS = 60;
const IDS = ['22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333'];

type Random = () => number;

/** Rules that fight: one may need the switch that the other one turns off. */
const listRules = (random: Random): GuardRule[] =>
  IDS.map((id) => {
    const kind = kinds[Math.floor(random() * kinds.length)]!;
    return {
      ...{ id, kind, amount: kind === 'equity_floor' ? String(LIMIT) : '500', percent: null, basis: 'balance' },
      ...{ trail: 'equity', trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80 },
      actions: random() < 0.5 ? ['close_all'] : ['close_all', 'trading_off'],
    };
  });

/** Numbers that nothing may act on. */
const WRONG = [{ login: '7777' }, { isSynchronised: false }, { tickAgeMs: 20_000 }] as const;

/** A person, an expert and a copy trader, each of whom opens when it likes. */
const trade = (world: GuardWorld, random: Random): void => {
  if (world.experts > 0 && world.isTradingOn && random() < 0.3) world.open += 1;
  if (world.acted.size > 0 && random() < 0.1) world.open += 1;
  if (random() < 0.05) world.pending += 1;
};

const listEndings = (world: GuardWorld, hadToAct: boolean, wasOn: boolean): string[] => {
  const problems: string[] = [...world.violations];
  const reports = [...world.reports.values()];
  const acted = reports.filter(({ id }) => world.acted.has(id));
  for (const id of IDS) if (acted.filter(({ rule_id }) => rule_id === id).length > 1) problems.push('acted twice');
  if (hadToAct && (world.acted.size === 0 || world.open + world.pending > 0)) problems.push('missed a breach');
  if (world.hasOpenBreach) problems.push('left a breach open');
  const reported = new Set(world.serverBreaches);
  if (reported.size !== world.serverBreaches.length) problems.push('reported twice');
  if ([...world.acted].some((id) => !reported.has(id))) problems.push('not reported');
  // A breach that got too old is given up: it says that its actions were not done.
  const isOff = reports.some(({ actions }) => actions.some(({ action, ok }) => action === 'trading_off' && ok));
  if (world.isTradingOn !== (wasOn && !isOff)) problems.push('left the switch wrong');
  return problems;
};

/** Runs one schedule of faults. @returns what it violates; empty: nothing */
export const runGuardSchedule = async (seed: number, defects: Defects = {}): Promise<string[]> => {
  const random = createRandom(seed);
  const rules = listRules(random);
  const world = new GuardWorld(rules, random, defects);
  const paysCash = rules.every(({ kind }) => kind !== 'equity_floor');
  const wasOn = random() < 0.7;
  Object.assign(world, { isTradingOn: wasOn, experts: random() < 0.5 ? 1 : 0 });
  const problems: string[] = [];
  await world.start();
  world.show();
  let [visibleMs, downSteps, silentSteps, paid] = [0, 0, 0, 0];
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
    trade(world, random);
    const amount = Math.round((random() - 0.6) * 4_000);
    if (paysCash && random() < 0.1) [paid] = [paid + amount, world.pay(amount)];
    // Nothing moves any more once something is closed: a breach would be over if the account recovered.
    if (world.open > 0 && world.acted.size === 0) world.equity += drift + (random() - 0.5) * 60;
    const isShown = silentSteps <= 0;
    silentSteps -= 1;
    if (isShown) world.show();
    else if (random() < 0.3) world.show(WRONG[Math.floor(random() * WRONG.length)]);
    const isBelow = world.equity <= LIMIT + paid;
    wasVisible ||= isBelow && isShown && world.isAlive;
    visibleMs = isBelow && isShown && world.isAlive ? visibleMs + 1_000 : 0;
    hadToAct ||= visibleMs >= 2_000;
    await world.advance(1_000);
    if (world.acted.size > 0 && !wasVisible) problems.push('acted without a breach');
  }
  world.isServerAway = false;
  if (!world.isAlive) await world.start();
  await world.live(90);
  problems.push(...listEndings(world, hadToAct, wasOn));
  await world.kill();
  return [...new Set(problems)];
};
