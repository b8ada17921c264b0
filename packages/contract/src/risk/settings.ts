/** The settings of a risk rule: their schemas, and what they demand of each other. */
import type { FieldError } from '../errors.ts';
import { Nullable, notEmpty, OneOf, Type, Uuid, type Static } from '../schema.ts';
import { findTimeZoneErrors } from '../time-zone.ts';
import { MAX_RISK_RULE_TERMINALS, riskActions, riskBases, riskKinds, riskTrails, type RiskAction } from './values.ts';

/** A decimal number as text, so that nothing is rounded on the way. */
export const Decimal = (description: string) =>
  Type.String({ pattern: '^-?[0-9]{1,15}(\\.[0-9]{1,8})?$', maxLength: 25, description, examples: ['250.00'] });
export const NullableDecimal = (description: string) =>
  Nullable('string', {
    pattern: '^-?[0-9]{1,15}(\\.[0-9]{1,8})?$',
    maxLength: 25,
    description,
    examples: ['250.00', null],
  });
const positive = { pattern: '^[0-9]{1,15}(\\.[0-9]{1,8})?$', maxLength: 25, examples: ['250.00'] };

const texts = {
  amount: 'In the currency of the account; for `max_volume` lots, for `max_positions` a number. Or `percent`',
  percent: 'Of the day’s start, the start or the highest equity, as the kind says; two decimals at most. Or `amount`',
  basis: 'What the start of a day, and of the rule, counts',
  trail: 'What a trailing limit follows',
  trail_stops_at: 'A trailing limit rises no higher than this, often the first balance',
  day_starts: '`HH:MM` in `time_zone`',
  time_zone: 'As in the tz database: `America/New_York`',
  warn_percent: 'A warning comes when so much of the limit is used',
} as const;

const time = { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', maxLength: 5, examples: ['00:00'] };
const actions = Type.Array(OneOf(riskActions), {
  ...notEmpty,
  minItems: 1,
  maxItems: riskActions.length,
  description: 'What a breach does: always in the order close_all, trading_off, lock, notify',
});

/** Which terminals a rule is for: exactly one of the three. */
export const riskScope = {
  terminal_ids: Type.Optional(
    Type.Array(Uuid('Terminal'), {
      ...notEmpty,
      minItems: 1,
      maxItems: MAX_RISK_RULE_TERMINALS,
      description: 'Only these',
    }),
  ),
  project_id: Type.Optional(Type.String({ ...notEmpty, format: 'uuid', description: 'The terminals of this project' })),
  all: Type.Optional(Type.Unsafe<true>({ ...notEmpty, type: 'boolean', enum: [true], description: 'All terminals' })),
};

/** What can be changed of a rule; `null` takes a setting out. */
export const riskLimits = {
  amount: Type.Optional(Nullable('string', { ...positive, description: texts.amount })),
  percent: Type.Optional(
    Nullable<number>('number', { exclusiveMinimum: 0, maximum: 1000, description: texts.percent }),
  ),
  trail_stops_at: Type.Optional(Nullable('string', { ...positive, description: texts.trail_stops_at })),
};
export const riskSettings = {
  basis: Type.Optional(OneOf(riskBases, { description: texts.basis })),
  trail: Type.Optional(OneOf(riskTrails, { description: texts.trail })),
  day_starts: Type.Optional(Type.String({ ...time, description: texts.day_starts })),
  time_zone: Type.Optional(Type.String({ maxLength: 64, description: texts.time_zone })),
  warn_percent: Type.Optional(Type.Integer({ minimum: 1, maximum: 99, description: texts.warn_percent })),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether it watches' })),
};
export const riskName = Type.String({ minLength: 1, maxLength: 255, description: 'For people' });

/** What a rule is created with. */
export const NewRiskRule = Type.Object({
  name: riskName,
  ...riskScope,
  kind: OneOf(riskKinds, { description: 'What it watches' }),
  amount: Type.Optional(Type.String({ ...positive, description: texts.amount })),
  percent: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1000, description: texts.percent })),
  trail_stops_at: Type.Optional(Type.String({ ...positive, description: texts.trail_stops_at })),
  ...riskSettings,
  actions,
});
export type NewRiskRule = Static<typeof NewRiskRule>;

/** What can be changed: everything but the kind. What it has measured so far, it keeps. */
export const RiskRuleChanges = Type.Object({
  name: Type.Optional(riskName),
  ...riskScope,
  ...riskLimits,
  ...riskSettings,
  actions: Type.Optional(actions),
});
export type RiskRuleChanges = Static<typeof RiskRuleChanges>;

/** A rule as it is read. */
export const riskRuleFields = {
  name: Type.String(),
  terminal_ids: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Uuid('Terminal'),
    description: 'Only these; null: those of the project, or all',
  }),
  project_id: Nullable('string', { format: 'uuid', description: 'The terminals of this project' }),
  all: Type.Boolean({ description: 'All terminals of the account' }),
  kind: OneOf(riskKinds),
  amount: Nullable('string', { description: texts.amount, examples: ['250.00', null] }),
  percent: Nullable<number>('number', { description: texts.percent }),
  basis: OneOf(riskBases, { description: texts.basis }),
  trail: OneOf(riskTrails, { description: texts.trail }),
  trail_stops_at: Nullable('string', { description: texts.trail_stops_at, examples: ['10000.00', null] }),
  day_starts: Type.String({ description: texts.day_starts }),
  time_zone: Type.String({ description: texts.time_zone }),
  warn_percent: Type.Integer({ description: texts.warn_percent }),
  actions: Type.Array(OneOf(riskActions), { description: 'What a breach does, in this order' }),
  enabled: Type.Boolean(),
};

/** The settings that `findRiskRuleErrors` compares; null, like an absent one, is not set. */
export interface RiskRuleInput {
  kind?: unknown;
  terminal_ids?: unknown;
  project_id?: unknown;
  all?: unknown;
  amount?: unknown;
  percent?: unknown;
  trail?: unknown;
  trail_stops_at?: unknown;
  time_zone?: unknown;
}

const countsOnly: readonly unknown[] = ['equity_floor', 'max_volume', 'max_positions'];
const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const findScopeErrors = (rule: RiskRuleInput): FieldError[] => {
  const given = (['terminal_ids', 'project_id', 'all'] as const).filter(
    (name) => isSet(rule[name]) && rule[name] !== false,
  );
  if (given.length === 1) return [];
  const hint = 'Send terminal_ids, project_id, or all: true.';
  return given.length === 0
    ? [{ field: 'terminal_ids', text: 'A rule needs terminal_ids, project_id, or all: true.', hint }]
    : given.slice(1).map((field) => ({ field, text: `The ${field} field cannot be combined with ${given[0]}.`, hint }));
};

const findLimitErrors = ({ kind, amount, percent }: RiskRuleInput): FieldError[] => {
  const errors: FieldError[] = [];
  const isCount = countsOnly.includes(kind);
  if (isSet(percent) && isCount) {
    const text = `The percent field is not for ${String(kind)}.`;
    errors.push({ field: 'percent', text, hint: 'Send amount instead.' });
  } else if (isSet(amount) && isSet(percent)) {
    errors.push({
      field: 'percent',
      text: 'The percent field cannot be combined with amount.',
      hint: 'Send one of them.',
    });
  }
  if (!isSet(amount) && !isSet(percent)) {
    const text = isCount ? 'The amount field is required.' : 'A rule needs amount or percent.';
    errors.push({ field: 'amount', text, hint: 'Send amount as text, such as "250.00".' });
  }
  if (typeof amount === 'string' && !/[1-9]/.test(amount)) {
    errors.push({ field: 'amount', text: 'The amount field must be greater than 0.' });
  }
  if (typeof amount === 'string' && kind === 'max_positions' && !/^[0-9]{1,6}(\.0+)?$/.test(amount)) {
    errors.push({ field: 'amount', text: 'The amount field must be a whole number for max_positions.' });
  }
  if (typeof percent === 'number' && Number(percent.toFixed(2)) !== percent) {
    errors.push({ field: 'percent', text: 'The percent field must have 2 decimals at most.' });
  }
  const isLoss = kind === 'daily_loss' || kind === 'max_drawdown' || kind === 'trailing_drawdown';
  if (typeof percent === 'number' && isLoss && percent > 100) {
    errors.push({ field: 'percent', text: 'The percent field must not be greater than 100.' });
  }
  return errors;
};

/** What the settings of a rule demand of each other. A setting that its kind would ignore is refused. */
export const findRiskRuleErrors = (rule: RiskRuleInput): FieldError[] => {
  const errors = [...findScopeErrors(rule), ...findLimitErrors(rule)];
  for (const field of ['trail', 'trail_stops_at'] as const) {
    if (isSet(rule[field]) && rule.kind !== 'trailing_drawdown') {
      errors.push({ field, text: `The ${field.replaceAll('_', ' ')} field is only for trailing_drawdown.` });
    }
  }
  if (typeof rule.time_zone === 'string') errors.push(...findTimeZoneErrors('time_zone', rule.time_zone));
  return errors;
};

/** In the order in which they are carried out, each once. */
export const toOrderedActions = (given: readonly RiskAction[]): RiskAction[] =>
  riskActions.filter((action) => given.includes(action));
