/** What is sent of a rule that was typed, and what it would say. Pure. */
import type { NewRiskRule } from '@berth/client';
import { isBlank, isWithin } from '../../data/form.ts';
import { toTyped } from '../../data/decimal.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { has, isPlain, type RuleDraft } from './rule-draft.ts';
import type { RuleTerms } from './rule-words.ts';

const words = pageTexts.riskForm;
/** `MAX_CONFIRM_MS` of the contract, as it is typed. */
const MAX_CONFIRM_SECONDS = 60;

/** Whether this browser knows the time zone. */
const isZone = (name: string): boolean => {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
};

const isTime = (text: string): boolean => /^\d\d:\d\d$/.test(text);

/** By the names that the API has for the fields. */
export type DraftErrors = Partial<Record<keyof NewRiskRule, string>>;

const toScope = ({ scope, project, terminals }: RuleDraft): Partial<NewRiskRule> =>
  scope === 'all' ? { all: true } : scope === 'project' ? { project_id: project } : { terminal_ids: [...terminals] };

const toUnit = ({ kind, unit }: RuleDraft): 'percent' | 'amount' =>
  isPlain(kind) || unit === 'amount' ? 'amount' : 'percent';

const isInitial = (draft: RuleDraft): boolean => has.initial(draft) && draft.unit === 'initial';

/** Undefined: no number of seconds that a rule can wait. */
const toConfirmMs = (typed: string): number | undefined => {
  const seconds = isBlank(typed) ? 0 : Number(toTyped(typed) ?? NaN);
  return seconds >= 0 && seconds <= MAX_CONFIRM_SECONDS ? Math.round(seconds * 1000) : undefined;
};

const toBuffer = (typed: string): string | undefined => (isBlank(typed) ? '0' : toTyped(typed));

const toStop = ({ stop, stopsAt }: RuleDraft): NewRiskRule['trail_stops_at'] =>
  stop === 'never' ? null : { [stop]: toTyped(stopsAt) ?? stopsAt };

const findErrors = (draft: RuleDraft): DraftErrors => {
  const errors: DraftErrors = {};
  if (isBlank(draft.name)) errors.name = words.enterName;
  if (toTyped(draft.limit) === undefined) errors[toUnit(draft)] = words.badAmount;
  if (has.trail(draft) && draft.stop !== 'never' && toTyped(draft.stopsAt) === undefined)
    errors.trail_stops_at = words.badAmount;
  if (has.warning(draft) && !isWithin(draft.warn, 1, 99)) errors.warn_percent = words.enterWarn;
  if (has.days(draft) && !isTime(draft.dayStarts)) errors.day_starts = words.enterTime;
  if (has.days(draft) && !isZone(draft.zone.trim())) errors.time_zone = words.enterZone;
  if (has.buffer(draft) && toBuffer(draft.buffer) === undefined) errors.buffer = words.badAmount;
  if (toConfirmMs(draft.confirm) === undefined) errors.confirm_ms = words.enterSeconds;
  if (!/^([A-Z0-9]{2,16})?$/.test(draft.currency.trim().toUpperCase())) errors.currency = words.enterCurrency;
  if (draft.scope === 'project' && draft.project === '') errors.project_id = words.noProject;
  if (draft.scope === 'terminals' && draft.terminals.length === 0) errors.terminal_ids = words.noneChosen;
  if (draft.actions.length === 0) errors.actions = words.noAction;
  return errors;
};

/** Those settings that count for the rule. */
const toSettings = (draft: RuleDraft): Partial<NewRiskRule> => ({
  ...(has.initial(draft) ? { percent_of: isInitial(draft) ? 'initial' : 'reference' } : {}),
  ...(has.basis(draft) ? { basis: draft.basis } : {}),
  ...(has.measure(draft) ? { measure: draft.measure } : {}),
  ...(has.trail(draft) ? { trail: draft.trail, trail_stops_at: toStop(draft) } : {}),
  ...(has.dayTrail(draft) && draft.dayTrail !== 'none' ? { trail: draft.dayTrail } : {}),
  ...(has.cash(draft) ? { cash_flows: draft.cash } : {}),
  ...(has.buffer(draft) ? { buffer: toBuffer(draft.buffer) ?? '0' } : {}),
  // Also where no limit counts by days: trying a rule does.
  ...(isTime(draft.dayStarts) && isZone(draft.zone.trim())
    ? { day_starts: draft.dayStarts, time_zone: draft.zone.trim() }
    : {}),
  ...(has.warning(draft) ? { warn_percent: Number(draft.warn) } : {}),
  currency: draft.currency.trim() === '' ? null : draft.currency.trim().toUpperCase(),
  confirm_ms: toConfirmMs(draft.confirm) ?? 0,
  lock_until: has.lockEnd(draft) ? draft.lockUntil : 'unlocked',
});

/**
 * What is sent, or what is wrong with what was typed. Everything else is for the API to check: it names the field, too.
 * Nothing chosen is never "all".
 */
export const toValues = (draft: RuleDraft): { values: NewRiskRule } | { errors: DraftErrors } => {
  const errors = findErrors(draft);
  const limit = toTyped(draft.limit);
  if (limit === undefined || Object.keys(errors).length > 0) return { errors };
  return {
    values: {
      name: draft.name.trim(),
      kind: draft.kind,
      ...toScope(draft),
      ...(toUnit(draft) === 'percent' ? { percent: Number(limit) } : { amount: limit }),
      ...toSettings(draft),
      actions: [...draft.actions],
    },
  };
};

/** What the rule says as it stands, also while something of it is missing. */
export const toTerms = (draft: RuleDraft): RuleTerms => {
  const limit = toTyped(draft.limit);
  const isPercent = toUnit(draft) === 'percent' && limit !== undefined;
  return {
    kind: draft.kind,
    amount: isPercent ? null : (limit ?? words.unfinished),
    percent: isPercent ? Number(limit) : null,
    percent_of: isInitial(draft) ? 'initial' : 'reference',
    measure: has.measure(draft) ? draft.measure : null,
    basis: draft.basis,
    trail: has.trail(draft) ? draft.trail : draft.dayTrail === 'none' || !has.dayTrail(draft) ? null : draft.dayTrail,
    trail_stops_at: has.trail(draft) ? (toStop(draft) ?? null) : null,
    cash_flows: has.cash(draft) ? draft.cash : 'adjust',
    buffer: has.buffer(draft) ? (toBuffer(draft.buffer) ?? '0') : '0',
    currency: draft.currency.trim() === '' ? null : draft.currency.trim().toUpperCase(),
    confirm_ms: toConfirmMs(draft.confirm) ?? 0,
    lock_until: has.lockEnd(draft) ? draft.lockUntil : 'unlocked',
    day_starts: draft.dayStarts,
    time_zone: draft.zone.trim(),
    actions: [...draft.actions],
  };
};
