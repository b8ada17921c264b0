import type { GuardRule } from '@berth/contract/agent';
import { RuleOracle } from './guard-oracle.ts';
import { createRandom, GuardWorld, type Defects } from './guard-world.ts';

const kinds = ['daily_loss', 'max_drawdown', 'equity_floor'] as const;
/** Each of the rules acts at this equity at first: it is 500 below the first one, and moves with deposits except for a floor. */
const LIMIT = 9_500;
const STEPS = 90;
const IDS = ['22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333'];
const CONFIRMATIONS = [0, 0, 1_500, 4_000, 12_000];
/** How far the equity falls for a moment. */
const SPIKE = 500;

type Random = () => number;

/** Rules that fight: one may need the switch that the other one turns off. */
const listRules = (random: Random): GuardRule[] =>
  IDS.map((id) => {
    const kind = kinds[Math.floor(random() * kinds.length)]!;
    return {
      ...{ id, kind, amount: kind === 'equity_floor' ? String(LIMIT) : '500', percent: null, basis: 'balance' },
      ...{ trail: 'equity', trail_stops_at: null, day_starts: '00:00', time_zone: 'UTC', warn_percent: 80 },
      ...{ confirm_ms: CONFIRMATIONS[Math.floor(random() * CONFIRMATIONS.length)]!, version: 1 },
      actions: random() < 0.5 ? ['close_all'] : ['close_all', 'trading_off'],
    };
  });

/** Numbers that nothing may act on. */
const WRONG = [{ login: '7777' }, { isSynchronised: false }, { tickAgeMs: 20_000 }] as const;

/** A person, an expert and a copy trader, each of whom opens when it likes. */
const trade = (world: GuardWorld, random: Random): void => {
  if (world.open > 9) return;
  if (world.experts > 0 && world.isTradingOn && random() < 0.3) world.open += 1;
  if (world.acted.size > 0 && random() < 0.1) world.open += 1;
  if (random() < 0.05) world.pending += 1;
};

interface Watched {
  world: GuardWorld;
  oracles: RuleOracle[];
  random: Random;
}

const show = ({ world, oracles }: Watched): void => {
  if (world.isAlive) for (const oracle of oracles) oracle.see();
  world.show();
};

const loosen = (rule: GuardRule): GuardRule => {
  const amount = Number(rule.amount) + (rule.kind === 'equity_floor' ? -300 : 300);
  return { ...rule, amount: String(amount), version: (rule.version ?? 0) + 1 };
};

/** People change a rule, or end what the rules hold. What they do reaches the host at once. */
const changeRules = async ({ world, oracles, random }: Watched): Promise<void> => {
  if (!world.isAlive || world.isServerAway) return;
  const ids = world.rules.rules.map(({ id }) => [...world.listDecided(id)]).flat();
  const isKnown = ids.every((id) => world.reports.has(id));
  if (random() < 0.02) {
    const [chosen, at] = [Math.floor(random() * IDS.length), world.rules.rules];
    const rules = at.map((rule, index) => (index === chosen ? loosen(rule) : rule));
    oracles[chosen]!.change(rules[chosen]!);
    await world.change({ rules });
    show({ world, oracles, random });
    await world.rest();
  } else if (world.hasBreach && !world.hasOpenBreach && isKnown && random() < 0.15) {
    const resetsMarks = random() < 0.6;
    for (const oracle of oracles) oracle.unlock(resetsMarks);
    await world.unlock({ resetsMarks });
    show({ world, oracles, random });
    await world.rest();
  }
};

const listEndings = ({ world, oracles }: Watched, wasOn: boolean): string[] => {
  const problems: string[] = [...world.violations, ...oracles.flatMap((oracle) => [...oracle.problems])];
  const reports = [...world.reports.values()];
  if (world.hasBreach && world.open + world.pending > 0) problems.push('missed what was opened');
  if (world.hasOpenBreach) problems.push('left a breach open');
  const reported = new Set(world.serverBreaches);
  if (reported.size !== world.serverBreaches.length) problems.push('reported twice');
  if ([...world.acted].some((id) => !reported.has(id))) problems.push('not reported');
  const isOff = reports.some(({ actions }) => actions.some(({ action, ok }) => action === 'trading_off' && ok));
  if (world.isTradingOn !== (wasOn && !isOff)) problems.push('left the switch wrong');
  const touches = oracles.reduce((sum, oracle) => sum + oracle.touches, 0);
  if (world.warnings.filter((kind) => kind === 'touched').length !== touches) problems.push('miscounted touches');
  return problems;
};

/** Runs one schedule of faults. @returns what it violates; empty: nothing */
export const runGuardSchedule = async (seed: number, defects: Defects = {}): Promise<string[]> => {
  const random = createRandom(seed);
  const rules = listRules(random);
  const world = new GuardWorld(rules, random, defects);
  const watched: Watched = { world, oracles: rules.map((rule) => new RuleOracle(world, rule)), random };
  const { oracles } = watched;
  const paysCash = rules.every(({ kind }) => kind !== 'equity_floor');
  const wasOn = random() < 0.7;
  Object.assign(world, { isTradingOn: wasOn, experts: random() < 0.5 ? 1 : 0 });
  await world.start();
  show(watched);
  let [downSteps, silentSteps, shifted, spike] = [0, 0, 0, 0];
  const drift = random() < 0.6 ? -20 : 5;
  for (let step = 0; step < STEPS; step += 1) {
    if (random() < 0.08) world.isServerAway = !world.isServerAway;
    if (world.isAlive && random() < 0.08) await world.kill();
    else if (!world.isAlive && (downSteps += 1) > 2) [downSteps] = [0, await world.start()];
    if (random() < 0.05) silentSteps = Math.ceil(random() * 20);
    // Three hours at most, so that no other day begins.
    const jumpMs = random() < 0.05 ? Math.round((random() - 0.5) * 3 * 3_600_000) : 0;
    if (Math.abs(shifted + jumpMs) < 3 * 3_600_000) {
      [shifted, world.clockMs] = [shifted + jumpMs, world.clockMs + jumpMs];
      if (!world.isAlive) for (const oracle of oracles) oracle.setClock(jumpMs);
    }
    await changeRules(watched);
    trade(world, random);
    const amount = Math.round((random() - 0.6) * 4_000);
    if (paysCash && random() < 0.1) {
      world.pay(amount);
      for (const oracle of oracles) oracle.pay(amount);
    }
    silentSteps -= 1;
    const isVisible = silentSteps < 0;
    // Nothing moves while a breach is not over, and nothing rises unseen: the breach would be over if the account recovered.
    if (world.open > 0 && !world.hasBreach) {
      const move = spike + drift + (random() - 0.5) * 60;
      const next = random() < 0.1 ? SPIKE : 0;
      if (isVisible && world.isAlive) [world.equity, spike] = [world.equity + move - next, next];
      else world.equity += Math.min(0, move);
    }
    if (isVisible) show(watched);
    else if (random() < 0.3) world.show(WRONG[Math.floor(random() * WRONG.length)]);
    await world.advance(1_000);
    await world.rest();
    for (const oracle of oracles) oracle.check();
  }
  world.isServerAway = false;
  if (!world.isAlive) await world.start();
  for (let second = 0; second < 90; second += 1) {
    show(watched);
    await world.advance(1_000);
  }
  for (const oracle of oracles) oracle.check();
  const problems = listEndings(watched, wasOn);
  await world.kill();
  return [...new Set(problems)];
};
