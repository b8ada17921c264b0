/** Risk rules and their results between server and host. What a host says is untrusted, and bounded here. */
import { Line, Nullable, OneOf, Type, Uuid, type Static } from '../schema.ts';
import { Decimal, NullableDecimal } from './settings.ts';
import {
  blindReasons,
  breachPhases,
  cashFlows,
  dayTrails,
  markSources,
  MAX_LEFT_OPEN,
  MAX_REPORTED_BREACHES,
  MAX_REPORTED_RISK_STATES,
  MAX_REPORTED_WARNINGS,
  MAX_RISK_DAYS,
  riskActions,
  riskBases,
  riskKinds,
  riskMeasures,
  riskReferences,
  riskTrails,
  riskWarnings,
  tradeDenials,
} from './values.ts';

const Instant = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 9_000_000_000_000,
    description: `${description}; Unix milliseconds, host's clock`,
  });
const NullableInstant = (description: string) =>
  Nullable<number>('integer', { minimum: 0, maximum: 9_000_000_000_000, description });
const NullableUuid = (description: string) => Nullable('string', { format: 'uuid', description });

/** A rule as a host applies it. Servers and hosts of before know nothing of what is optional. */
export const GuardRule = Type.Object({
  id: Uuid('Rule'),
  kind: OneOf(riskKinds),
  amount: NullableDecimal('The limit as an amount'),
  percent: NullableDecimal('The limit in percent'),
  basis: OneOf(riskBases),
  trail: OneOf(riskTrails),
  trail_stops_at: NullableDecimal('A trailing limit rises no higher'),
  trail_stops_at_initial_plus: Type.Optional(NullableDecimal('… no higher than so much above the initial balance')),
  day_trail: Type.Optional(
    Nullable<(typeof dayTrails)[number]>('string', {
      enum: [...dayTrails, null],
      description: 'What the limit of a day follows within the day; absent or null: nothing',
    }),
  ),
  percent_of: Type.Optional(OneOf(riskReferences, { description: 'Absent: `reference`' })),
  measure: Type.Optional(
    OneOf(riskMeasures, { description: 'Absent: `balance` for a profit target, `equity` for every other kind' }),
  ),
  cash_flows: Type.Optional(OneOf(cashFlows, { description: 'Absent: `adjust`' })),
  buffer: Type.Optional(Decimal('A loss limit acts so much earlier; absent: 0')),
  currency: Type.Optional(
    Nullable('string', { description: 'Accounts of another one are not watched; absent or null: all are' }),
  ),
  day_starts: Type.String({ description: 'HH:MM' }),
  time_zone: Type.String(),
  warn_percent: Type.Integer(),
  confirm_ms: Type.Optional(
    Type.Integer({ description: 'How long the account must stay beyond the limit; absent: 0' }),
  ),
  version: Type.Optional(Type.Integer({ description: 'Of its settings; rises with each change' })),
  actions: Type.Array(OneOf(riskActions)),
});
export type GuardRule = Static<typeof GuardRule>;

/** Which settings of rules an agent applies: `RULE_SETTINGS`. A rule that has more is not sent to it. */
export const KnownRuleSettings = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Which settings of rules the agent applies. Absent: 1' }),
);

/** The start of a day. */
const RiskDay = Type.Object({
  at: Instant('When the guard first saw it'),
  value: Decimal('What the account came to, by the basis'),
  breach_id: NullableUuid('The breach of this day'),
  high: Type.Optional(Decimal('The highest of what the limit follows within the day')),
  source: Type.Optional(OneOf(markSources, { description: 'Where `value` comes from. Absent: an agent of before' })),
});

/** What a rule remembers of one account. */
export const RiskMarks = Type.Object({
  login: Line({ maxLength: 64 }),
  server: Line({ maxLength: 128 }),
  start: Decimal('What the account came to when the rule began, by the basis'),
  high_water: Decimal('The highest of what a trailing limit follows'),
  last_balance: Decimal('When it was last looked at'),
  seen_at: Instant('When it was last looked at'),
  days: Type.Array(RiskDay, { minItems: 1, maxItems: MAX_RISK_DAYS, description: 'The newest last' }),
  cash_until: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9]\\d{0,17})$',
      description: 'The newest deal whose money is in the marks; absent: deposits and withdrawals are not known',
    }),
  ),
  moved: Type.Optional(Decimal('By how much deposits and withdrawals have moved the marks; absent: 0')),
  waits_since: Type.Optional(Instant('Since when the balance contains deals that are not known')),
  unexplained: Type.Optional(Decimal('By how much the balance has moved without a deal, and counted as a result')),
  breach_id: NullableUuid('A breach from which the account has not recovered'),
  source: Type.Optional(OneOf(markSources, { description: 'Where `start` comes from. Absent: an agent of before' })),
  beyond_since: Type.Optional(Instant('Since when the account has been beyond the limit, unconfirmed')),
  beyond_used: Type.Optional(Decimal('The most that was used since then')),
  reset: Type.Optional(Uuid('The last breach whose unlock let the marks begin anew; absent: none did')),
  is_warned: Type.Boolean({ description: 'Whether there was a warning that the limit is near' }),
});
export type RiskMarks = Static<typeof RiskMarks>;

/** How a rule fares at one terminal. */
export const ReportedRiskState = Type.Object({
  terminal_id: Uuid('Terminal'),
  rule_id: Uuid('Rule'),
  used: NullableDecimal('null: nothing was seen yet'),
  limit: NullableDecimal('null: nothing was seen yet'),
  warn_at: NullableDecimal('null: nothing was seen yet'),
  blind: Nullable<(typeof blindReasons)[number]>('string', {
    enum: [...blindReasons, null],
    description: 'null: it is watched',
  }),
  as_of: NullableInstant('Of the numbers'),
  marks: Type.Optional(RiskMarks),
  can_act: Type.Optional(
    Type.Boolean({ description: 'Whether orders of the rule would be taken now. Absent: not known' }),
  ),
  trade_denied_by: Type.Optional(
    Type.Array(OneOf(tradeDenials), {
      maxItems: tradeDenials.length,
      description: 'What stands against orders. `terminal` alone does not: the rule switches algo trading on to close',
    }),
  ),
});
export type ReportedRiskState = Static<typeof ReportedRiskState>;

/** A position or order that could not be closed. */
export const LeftOpen = Type.Object({
  ticket: Line({ maxLength: 32 }),
  symbol: Line({ maxLength: 64 }),
  message: Line({ maxLength: 500 }),
});
export type LeftOpen = Static<typeof LeftOpen>;

/** What happened to experts, so that nothing is opened while everything is closed. */
export const BreachExperts = Type.Object({
  removed: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Charts with an expert that were closed' }),
  message: Nullable('string', {
    maxLength: 500,
    singleLine: true,
    description: 'Why some may be left; null: none is',
  }),
});

/** A breach, as far as it has got: reported again until it has ended and the server has said so. */
export const ReportedBreach = Type.Object({
  id: Uuid('Breach'),
  terminal_id: Uuid('Terminal'),
  rule_id: Uuid('Rule'),
  decided_at: Instant('When it was decided'),
  value: Decimal('What was reached'),
  limit: Decimal('The limit then'),
  first_order_ms: Nullable<number>('integer', { minimum: 0, maximum: 1_000_000_000 }),
  closed: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  total: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  left_open: Type.Array(LeftOpen, { maxItems: MAX_LEFT_OPEN }),
  actions: Type.Array(
    Type.Object({
      action: OneOf(riskActions),
      ok: Type.Boolean(),
      at: Instant('When it was done, or given up'),
      message: Nullable('string', { maxLength: 500, singleLine: true }),
    }),
    { maxItems: riskActions.length },
  ),
  has_ended: Type.Boolean({ description: 'Nothing more is done' }),
  phase: Type.Optional(
    OneOf(breachPhases, { description: '`holding`: what is opened is closed again. Absent: an agent of before' }),
  ),
  experts: Type.Optional(BreachExperts),
  rule_version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Of the rule that decided it. Absent: not known' }),
  ),
});
export type ReportedBreach = Static<typeof ReportedBreach>;

/** Something to know before a limit is reached. */
export const ReportedWarning = Type.Object({
  id: Uuid('Warning; the same when it is repeated'),
  terminal_id: Uuid('Terminal'),
  rule_id: Uuid('Rule'),
  kind: OneOf(riskWarnings),
  blind: Nullable<(typeof blindReasons)[number]>('string', { enum: [...blindReasons, null] }),
  at: Instant('When it was noticed'),
  used: NullableDecimal('null: not known'),
  limit: NullableDecimal('null: not known'),
});
export type ReportedWarning = Static<typeof ReportedWarning>;

/** What a host reports of rules. */
export const riskReport = {
  states: Type.Array(ReportedRiskState, { maxItems: MAX_REPORTED_RISK_STATES }),
  warnings: Type.Array(ReportedWarning, { maxItems: MAX_REPORTED_WARNINGS }),
  breaches: Type.Array(ReportedBreach, { maxItems: MAX_REPORTED_BREACHES }),
};

/** What a host needs to guard one terminal. */
export const GuardedTerminal = Type.Object({
  terminal_id: Uuid('Terminal'),
  login: Type.String(),
  server: Type.String(),
  initial_balance: Type.Optional(NullableDecimal('What the account began with; absent or null: not known')),
  released: Type.Optional(
    Type.Array(Uuid('Breach'), { description: 'Breaches that a person has ended: they hold nothing any more' }),
  ),
  rules: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Of the rule in `rules`' }),
      /** As a host reported them last. */
      marks: Type.Optional(RiskMarks),
      reset: Type.Optional(
        Uuid(
          'Breach whose unlock lets the marks begin anew, with the next numbers; marks with this `reset` have done so',
        ),
      ),
    }),
  ),
});
export type GuardedTerminal = Static<typeof GuardedTerminal>;
