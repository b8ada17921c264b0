/** A rule as its form has it: texts that a person types. Pure. */
import type { NewRiskRule, RiskRule } from '@berth/client';
import { isBlank, isWithin } from '../../data/form.ts';
import { toTyped } from '../../parts/money/decimal.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk.form;

export type RiskKind = RiskRule['kind'];
export type RiskAction = RiskRule['actions'][number];

export interface RuleDraft {
  name: string;
  kind: RiskKind;
  unit: 'percent' | 'amount';
  limit: string;
  warn: string;
  basis: RiskRule['basis'];
  trail: NonNullable<RiskRule['trail']>;
  stopsAt: string;
  dayStarts: string;
  zone: string;
  scope: 'all' | 'project' | 'terminals';
  project: string;
  terminals: readonly string[];
  actions: readonly RiskAction[];
}

/** Kinds whose limit is a number of its own, and no share of anything. */
export const isPlain = (kind: RiskKind): boolean =>
  kind === 'equity_floor' || kind === 'max_volume' || kind === 'max_positions';

export const hasBasis = (kind: RiskKind): boolean =>
  kind === 'daily_loss' || kind === 'max_drawdown' || kind === 'profit_target';

const DEFAULT_WARN = 80;

/** A new rule: the one that most people want first. It closes nothing until somebody says so. */
export const toNewDraft = (zone: string, terminals: readonly string[]): RuleDraft => ({
  name: '',
  kind: 'daily_loss',
  unit: 'percent',
  limit: '',
  warn: String(DEFAULT_WARN),
  basis: 'higher',
  trail: 'equity',
  stopsAt: '',
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
  unit: rule.amount === null ? 'percent' : 'amount',
  limit: rule.amount ?? String(rule.percent ?? ''),
  warn: String(rule.warn_percent),
  basis: rule.basis,
  trail: rule.trail ?? 'equity',
  stopsAt: rule.trail_stops_at?.amount ?? '',
  dayStarts: rule.day_starts,
  zone: rule.time_zone,
  scope: rule.terminal_ids ? 'terminals' : rule.project_id === null ? 'all' : 'project',
  project: rule.project_id ?? '',
  terminals: rule.terminal_ids ?? [],
  actions: rule.actions,
});

/** Whether this browser knows the time zone. */
const isZone = (name: string): boolean => {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
};

/** By the names that the API has for the fields. */
export type DraftErrors = Partial<Record<keyof NewRiskRule, string>>;

const toScope = ({ scope, project, terminals }: RuleDraft): Partial<NewRiskRule> =>
  scope === 'all' ? { all: true } : scope === 'project' ? { project_id: project } : { terminal_ids: [...terminals] };

/**
 * What is sent, or what is wrong with what was typed. Everything else is for the API to check: it names the field, too.
 * Nothing chosen is never "all".
 */
export const toValues = (draft: RuleDraft): { values: NewRiskRule } | { errors: DraftErrors } => {
  const errors: DraftErrors = {};
  const unit = isPlain(draft.kind) ? 'amount' : draft.unit;
  const limit = toTyped(draft.limit);
  const stopsAt = draft.stopsAt.trim() === '' ? undefined : toTyped(draft.stopsAt);
  if (isBlank(draft.name)) errors.name = words.enterName;
  if (limit === undefined) errors[unit] = words.badAmount;
  if (draft.stopsAt.trim() !== '' && stopsAt === undefined) errors.trail_stops_at = words.badAmount;
  if (!isWithin(draft.warn, 1, 99)) errors.warn_percent = words.enterWarn;
  if (!/^\d\d:\d\d$/.test(draft.dayStarts)) errors.day_starts = words.enterTime;
  if (!isZone(draft.zone.trim())) errors.time_zone = words.enterZone;
  if (draft.scope === 'project' && draft.project === '') errors.project_id = words.noProject;
  if (draft.scope === 'terminals' && draft.terminals.length === 0) errors.terminal_ids = words.noneChosen;
  if (draft.actions.length === 0) errors.actions = words.noAction;
  if (limit === undefined || Object.keys(errors).length > 0) return { errors };
  const isTrailing = draft.kind === 'trailing_drawdown';
  return {
    values: {
      name: draft.name.trim(),
      kind: draft.kind,
      ...toScope(draft),
      ...(unit === 'percent' ? { percent: Number(limit) } : { amount: limit }),
      ...(hasBasis(draft.kind) ? { basis: draft.basis } : {}),
      ...(isTrailing ? { trail: draft.trail } : {}),
      ...(isTrailing && stopsAt !== undefined ? { trail_stops_at: { amount: stopsAt } } : {}),
      day_starts: draft.dayStarts,
      time_zone: draft.zone.trim(),
      warn_percent: Number(draft.warn),
      actions: [...draft.actions],
    },
  };
};
