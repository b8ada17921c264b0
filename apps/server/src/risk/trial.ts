/** A rule, tried on the history that is kept of the accounts of its terminals. */
import { setImmediate } from 'node:timers/promises';
import { historyDays, MAX_TRY_TERMINALS, type GuardRule, type HistoryStep, type RiskTrial } from '@berth/contract';
import { walkRule, type TrialDay, type TrialStep } from '@berth/risk';
import { sql, type Queryable } from '../db/database.ts';
import { readHistory } from '../trading/history.ts';
import type { RiskRuleSettings } from './queries.ts';

const DAY_MS = 86_400_000;
/** The finest first; days are too coarse for a rule. */
const steps: readonly HistoryStep[] = [60, 900, 3600];

/** The finest step that is kept for so long, and of which one answer holds all points. */
const toStep = (from: Date, now: Date): HistoryStep =>
  steps.find((step) => now.getTime() - from.getTime() <= historyDays[step] * DAY_MS) ?? 3600;

const terminalsStatement = sql(
  'list_terminals_to_try',
  `select id from (
     select id from terminals where user_id = $1 and deleted_at is null
       and ($2::boolean or project_id = $3::uuid or id = any($4::uuid[])) offset 0
   ) t order by id limit ${MAX_TRY_TERMINALS}`,
);

const toGuardRule = (rule: RiskRuleSettings): GuardRule => ({
  ...{ id: '', kind: rule.kind, amount: rule.amount, percent: rule.percent === null ? null : String(rule.percent) },
  ...{ percent_of: rule.percent_of, basis: rule.basis, cash_flows: rule.cash_flows, buffer: rule.buffer },
  ...(rule.measure === null ? {} : { measure: rule.measure }),
  trail: rule.kind === 'trailing_drawdown' ? (rule.trail ?? 'equity') : 'equity',
  day_trail: rule.kind === 'daily_loss' && rule.trail !== 'day_end_balance' ? rule.trail : null,
  trail_stops_at: rule.trail_stops_at?.amount ?? null,
  trail_stops_at_initial_plus: rule.trail_stops_at?.initial_plus ?? null,
  ...{ day_starts: rule.day_starts, time_zone: rule.time_zone, warn_percent: rule.warn_percent, actions: rule.actions },
});

/** Steps between two turns of others: some milliseconds. */
const STEPS_PER_TURN = 100;

const tryInTurns = async (rule: GuardRule, history: readonly TrialStep[]): Promise<TrialDay[]> => {
  const walk = walkRule(rule, history);
  for (let count = 1; ; count += 1) {
    const { done, value } = walk.next();
    if (done) return value;
    if (count % STEPS_PER_TURN === 0) await setImmediate();
  }
};

/** The days on which it would have acted, by terminal. One history at a time, so that memory holds no more than that. */
export const tryRiskRule = async (
  db: Queryable,
  userId: string,
  rule: RiskRuleSettings,
  { from, to, now }: { from: Date; to: Date; now: Date },
): Promise<RiskTrial[]> => {
  const values = [userId, rule.all, rule.project_id, rule.terminal_ids];
  const terminals = await db.query<{ id: string }>(terminalsStatement, values);
  const step = toStep(from, now);
  const trials: RiskTrial[] = [];
  for (const { id: terminalId } of terminals) {
    const points = await readHistory(db, { terminalId, userId, step, from, to });
    // A step that ends with a day belongs to it.
    const history = points.map(({ at, ...point }) => ({ ...point, atMs: Date.parse(at) + step * 1000 - 1 }));
    for (const day of await tryInTurns(toGuardRule(rule), history)) {
      trials.push({
        terminal_id: terminalId,
        day: day.day,
        would_have_acted_at: new Date(day.atMs + 1).toISOString(),
        ...{ value: day.value, limit: day.limit, equity_then: day.equityThen, equity_at_day_end: day.equityAtDayEnd },
      });
    }
  }
  return trials;
};
