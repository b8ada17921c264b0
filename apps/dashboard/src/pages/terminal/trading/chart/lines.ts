/** Where rules act on equity, as lines of the chart. Pure. */
import type { RiskRule, RiskState } from '@berth/client';
import { compare, minus } from '../../../../data/decimal.ts';
import type { Line } from './curve.ts';

export type RuleLine = Pick<Line, 'kind' | 'value'>;

const losses: ReadonlySet<RiskRule['kind']> = new Set([
  'daily_loss',
  'max_drawdown',
  'trailing_drawdown',
  'equity_floor',
]);

/** The equity that is the closest limit below, and what a trailing limit follows. */
export const toLines = (rules: readonly RiskRule[], states: readonly RiskState[], equity: string): RuleLine[] => {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const levels: string[] = [];
  const highs: string[] = [];
  for (const state of states) {
    const kind = byId.get(state.rule_id)?.kind;
    if (kind === undefined || !losses.has(kind) || state.used === null || state.limit === null) continue;
    const level = minus(equity, minus(state.limit, state.used));
    if (level !== undefined) levels.push(level);
    if (kind === 'trailing_drawdown' && state.high_water !== null) highs.push(state.high_water);
  }
  const [limit, high] = [levels.sort(compare).at(-1), highs.sort(compare).at(-1)];
  return [
    ...(limit === undefined ? [] : [{ kind: 'limit' as const, value: limit }]),
    ...(high === undefined ? [] : [{ kind: 'high' as const, value: high }]),
  ];
};
