/** The settings of a risk rule: their schemas. What they demand of each other: `rule-errors.ts`. */
import { Nullable, notEmpty, OneOf, Type, Uuid, type Static } from '../schema.ts';
import {
  cashFlows,
  lockEnds,
  MAX_CONFIRM_MS,
  MAX_RISK_RULE_TERMINALS,
  riskActions,
  riskBases,
  riskKinds,
  riskMeasures,
  riskReferences,
  riskTrails,
  type RiskAction,
  type RiskMeasure,
  type RiskTrail,
} from './values.ts';

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
const currency = { pattern: '^[A-Z0-9]{2,16}$', maxLength: 16, examples: ['EUR', null] };
const positive = { pattern: '^[0-9]{1,15}(\\.[0-9]{1,8})?$', maxLength: 25, examples: ['250.00'] };

const texts = {
  amount: 'In the currency of the account; for `max_volume` lots, for `max_positions` a number. Or `percent`',
  percent: 'Of what `percent_of` says; two decimals at most. Or `amount`',
  percent_of:
    'What `percent` is of: `reference` is what the loss is counted from, `initial` the initial balance of the account. Only for `daily_loss` and `trailing_drawdown`',
  measure:
    'What is compared with the limit: equity without credit, or the balance. A balance counts once nothing is open for a `profit_target`, where it is the default; null for kinds that count positions',
  basis: 'What the start of a day, and of the rule, counts',
  trail:
    'What the limit of a `trailing_drawdown` follows: the highest equity, the highest balance, or the highest balance at the end of a day. Of a `daily_loss` what it follows within the day; null: nothing',
  trail_stops_at: 'A trailing limit rises no higher than `amount`, or than `initial_plus` above the initial balance',
  cash_flows: '`adjust`: deposits and withdrawals move what the limit counts from; `ignore`: they do not',
  buffer: 'A loss limit acts so much earlier, because closing costs commission and spread',
  confirm_ms: 'How long the account must stay beyond the limit before the rule acts, in milliseconds',
  lock_until:
    'When a lock ends: when somebody unlocks the terminal, or by itself when the next day begins. For rules with `lock`',
  currency: 'Accounts of another currency are not watched; null: all are',
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

/** Where a trailing limit stops: one of the two. */
export interface TrailStop {
  /** An amount in the currency of the account. */
  amount?: string;
  /** So much above the initial balance. */
  initial_plus?: string;
}
const decimal = { type: 'string', ...positive };
const TrailStop = (options: object = {}) =>
  Type.Unsafe<TrailStop | null>({
    ...options,
    type: ['object', 'null'],
    properties: { amount: decimal, initial_plus: decimal },
    description: texts.trail_stops_at,
    examples: [{ amount: '10000.00' }, null],
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
  trail: Type.Optional(Nullable<RiskTrail>('string', { enum: [...riskTrails, null], description: texts.trail })),
  trail_stops_at: Type.Optional(TrailStop({ additionalProperties: false })),
  currency: Type.Optional(Nullable('string', { ...currency, description: texts.currency })),
};
export const riskSettings = {
  basis: Type.Optional(OneOf(riskBases, { description: texts.basis })),
  percent_of: Type.Optional(OneOf(riskReferences, { description: texts.percent_of })),
  measure: Type.Optional(OneOf(riskMeasures, { description: texts.measure })),
  cash_flows: Type.Optional(OneOf(cashFlows, { description: texts.cash_flows })),
  buffer: Type.Optional(Type.String({ ...positive, description: texts.buffer })),
  confirm_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CONFIRM_MS, description: texts.confirm_ms })),
  lock_until: Type.Optional(OneOf(lockEnds, { description: texts.lock_until })),
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
  trail: Type.Optional(OneOf(riskTrails, { description: texts.trail })),
  trail_stops_at: riskLimits.trail_stops_at,
  currency: riskLimits.currency,
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
  percent_of: OneOf(riskReferences, { description: texts.percent_of }),
  measure: Nullable<RiskMeasure>('string', { enum: [...riskMeasures, null], description: texts.measure }),
  basis: OneOf(riskBases, { description: texts.basis }),
  trail: Nullable<RiskTrail>('string', { enum: [...riskTrails, null], description: texts.trail }),
  trail_stops_at: TrailStop(),
  cash_flows: OneOf(cashFlows, { description: texts.cash_flows }),
  buffer: Type.String({ description: texts.buffer, examples: ['0'] }),
  currency: Nullable('string', { ...currency, description: texts.currency }),
  confirm_ms: Type.Integer({ description: texts.confirm_ms }),
  lock_until: OneOf(lockEnds, { description: texts.lock_until }),
  day_starts: Type.String({ description: texts.day_starts }),
  time_zone: Type.String({ description: texts.time_zone }),
  warn_percent: Type.Integer({ description: texts.warn_percent }),
  actions: Type.Array(OneOf(riskActions), { description: 'What a breach does, in this order' }),
  enabled: Type.Boolean(),
};

/** In the order in which they are carried out, each once. */
export const toOrderedActions = (given: readonly RiskAction[]): RiskAction[] =>
  riskActions.filter((action) => given.includes(action));
