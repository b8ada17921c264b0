/** A rule as its form has it: texts that a person types. Pure. */
import type { RiskRule } from '@berth/client';

export type RiskKind = RiskRule['kind'];
export type RiskAction = RiskRule['actions'][number];

export interface RuleDraft {
  name: string;
  kind: RiskKind;
  /** `initial`: percent of the initial balance. */
  unit: 'percent' | 'initial' | 'amount';
  limit: string;
  warn: string;
  basis: RiskRule['basis'];
  measure: NonNullable<RiskRule['measure']>;
  /** Of a trailing drawdown. */
  trail: NonNullable<RiskRule['trail']>;
  stop: 'never' | 'amount' | 'initial_plus';
  stopsAt: string;
  /** Of a daily loss: what it follows within the day. */
  dayTrail: 'none' | 'equity' | 'balance';
  cash: RiskRule['cash_flows'];
  buffer: string;
  /** Empty: all. */
  currency: string;
  /** In seconds. */
  confirm: string;
  lockUntil: RiskRule['lock_until'];
  dayStarts: string;
  zone: string;
  scope: 'all' | 'project' | 'terminals';
  project: string;
  terminals: readonly string[];
  actions: readonly RiskAction[];
}

const isCount = (kind: RiskKind): boolean => kind === 'max_volume' || kind === 'max_positions';
const isLoss = (kind: RiskKind): boolean =>
  kind === 'daily_loss' || kind === 'max_drawdown' || kind === 'trailing_drawdown';

/** Kinds whose limit is a number of its own, and no share of anything. */
export const isPlain = (kind: RiskKind): boolean => isCount(kind) || kind === 'equity_floor';

/** Whether a setting counts for a rule: the others are not asked for, and the API refuses some of them. */
export const has = {
  initial: ({ kind }: RuleDraft): boolean => kind === 'daily_loss' || kind === 'trailing_drawdown',
  basis: ({ kind }: RuleDraft): boolean => kind === 'daily_loss' || kind === 'max_drawdown' || kind === 'profit_target',
  measure: ({ kind }: RuleDraft): boolean => !isCount(kind),
  trail: ({ kind }: RuleDraft): boolean => kind === 'trailing_drawdown',
  dayTrail: ({ kind }: RuleDraft): boolean => kind === 'daily_loss',
  cash: ({ kind }: RuleDraft): boolean => isLoss(kind) || kind === 'profit_target',
  buffer: ({ kind }: RuleDraft): boolean => isLoss(kind) || kind === 'equity_floor',
  warning: ({ kind }: RuleDraft): boolean => kind !== 'profit_target',
  lockEnd: ({ actions }: RuleDraft): boolean => actions.includes('lock'),
  limitByDays: ({ kind, trail }: RuleDraft): boolean =>
    kind === 'daily_loss' || (kind === 'trailing_drawdown' && trail === 'day_end_balance'),
  days: (draft: RuleDraft): boolean => has.limitByDays(draft) || (has.lockEnd(draft) && draft.lockUntil === 'next_day'),
};

const DEFAULT_WARN = 80;

/** A profit counts once it is closed. */
export const toMeasure = (kind: RiskKind): RuleDraft['measure'] => (kind === 'profit_target' ? 'balance' : 'equity');

const rareDefaults = {
  dayTrail: 'none',
  cash: 'adjust',
  buffer: '0',
  currency: '',
  confirm: '0',
} as const satisfies Partial<RuleDraft>;

/** Whether anything that is rarely set is set. */
export const isSpecial = (draft: RuleDraft): boolean =>
  (has.measure(draft) && draft.measure !== toMeasure(draft.kind)) ||
  (has.dayTrail(draft) && draft.dayTrail !== rareDefaults.dayTrail) ||
  (has.cash(draft) && draft.cash !== rareDefaults.cash) ||
  (has.buffer(draft) && /[1-9]/.test(draft.buffer)) ||
  draft.currency !== rareDefaults.currency ||
  /[1-9]/.test(draft.confirm);

/** A new rule: the one that most people want first. It closes nothing until somebody says so. */
export const toNewDraft = (zone: string, terminals: readonly string[]): RuleDraft => ({
  name: '',
  kind: 'daily_loss',
  unit: 'percent',
  limit: '',
  warn: String(DEFAULT_WARN),
  basis: 'higher',
  measure: 'equity',
  trail: 'equity',
  stop: 'never',
  stopsAt: '',
  ...rareDefaults,
  lockUntil: 'unlocked',
  dayStarts: '00:00',
  zone,
  scope: terminals.length > 0 ? 'terminals' : 'all',
  project: '',
  terminals,
  actions: ['notify'],
});

export const toDraft = (rule: RiskRule): RuleDraft => ({
  name: rule.name,
  kind: rule.kind,
  unit: rule.amount === null ? (rule.percent_of === 'initial' ? 'initial' : 'percent') : 'amount',
  limit: rule.amount ?? String(rule.percent ?? ''),
  warn: String(rule.warn_percent),
  basis: rule.basis,
  measure: rule.measure ?? toMeasure(rule.kind),
  trail: rule.trail ?? 'equity',
  stop: rule.trail_stops_at === null ? 'never' : rule.trail_stops_at.amount === undefined ? 'initial_plus' : 'amount',
  stopsAt: rule.trail_stops_at?.amount ?? rule.trail_stops_at?.initial_plus ?? '',
  dayTrail: rule.kind === 'daily_loss' && (rule.trail === 'equity' || rule.trail === 'balance') ? rule.trail : 'none',
  cash: rule.cash_flows,
  buffer: rule.buffer,
  currency: rule.currency ?? '',
  confirm: String(rule.confirm_ms / 1000),
  lockUntil: rule.lock_until,
  dayStarts: rule.day_starts,
  zone: rule.time_zone,
  scope: rule.terminal_ids ? 'terminals' : rule.project_id === null ? 'all' : 'project',
  project: rule.project_id ?? '',
  terminals: rule.terminal_ids ?? [],
  actions: rule.actions,
});
