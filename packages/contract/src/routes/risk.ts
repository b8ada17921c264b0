import { parseIsoDateTime } from '../dates.ts';
import type { FieldError } from '../errors.ts';
import { BreachExperts, LeftOpen } from '../risk/host-schema.ts';
import { findRiskRuleErrors, type RiskRuleInput } from '../risk/rule-errors.ts';
import { NewRiskRule, Decimal, riskRuleFields, RiskRuleChanges } from '../risk/settings.ts';
import { RiskState } from '../risk/state.ts';
import { breachPhases, MAX_TRY_DAYS, MAX_TRY_TERMINALS, riskActions, riskKinds } from '../risk/values.ts';
import {
  CursorPagination,
  Envelope,
  EnvelopeOrRefusal,
  FIRST_CURSOR,
  Null,
  Nullable,
  NullableTimestamp,
  OneOf,
  orNull,
  perPageQuery,
  Timestamp,
  Type,
  Uuid,
  type Static,
  type TSchema,
} from '../schema.ts';
import { defineRoute } from './route.ts';

/** A rule that acts on terminals by itself. */
export const RiskRule = Type.Object({
  id: Uuid('Rule'),
  ...riskRuleFields,
  version: Type.Integer({ description: 'Rises with each change of its settings' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
/** A rule that acts on terminals by itself. */
export type RiskRule = Static<typeof RiskRule>;

/** A limit that was reached, and what was done. */
export const RiskBreach = Type.Object({
  id: Uuid('Breach'),
  rule_id: Uuid('Rule'),
  rule_name: Type.String({ description: 'Its name then' }),
  kind: OneOf(riskKinds),
  terminal_id: Uuid('Terminal'),
  terminal_name: Type.String({ description: 'Its name then' }),
  rule_version: Nullable<number>('integer', { description: 'Of the rule that decided it; null: not known' }),
  at: Timestamp('When the server learned of it'),
  decided_at: Timestamp('When the host decided it, by its clock'),
  value: Decimal('What was reached'),
  limit: Decimal('The limit then'),
  first_order_ms: Nullable<number>('integer', {
    description: 'From the decision to the first order to close; null: there was none',
  }),
  closed: Type.Integer({ description: 'Positions closed and orders deleted' }),
  total: Type.Integer({ description: 'Positions and orders that were open' }),
  left_open: Type.Array(LeftOpen, { description: 'What could not be closed' }),
  experts: orNull(BreachExperts, { description: 'What happened to experts before anything was closed; null: nothing' }),
  actions: Type.Array(
    Type.Object({
      action: OneOf(riskActions),
      ok: Type.Boolean(),
      at: Timestamp(),
      message: Nullable('string', { description: 'why it failed; null: it did not' }),
    }),
    { description: 'What was done so far, in order' },
  ),
  phase: OneOf(breachPhases, { description: '`holding`: what is opened meanwhile is closed, too' }),
  ended_at: NullableTimestamp('null: its host still acts, or holds it'),
});
/** A limit that was reached, and what was done. */
export type RiskBreach = Static<typeof RiskBreach>;

/** A day on which a rule would have acted. */
export const RiskTrial = Type.Object({
  terminal_id: Uuid('Terminal'),
  day: Type.String({ description: 'By `day_starts` and `time_zone`', examples: ['2026-01-31'] }),
  would_have_acted_at: Timestamp('The end of the step of history in which it would have'),
  value: Decimal('What would have been reached'),
  limit: Decimal('The limit then'),
  equity_then: Decimal('The lowest equity of that step; for a profit target, equity with nothing open'),
  equity_at_day_end: Decimal('The last equity of the day'),
});
/** A day on which a rule would have acted. */
export type RiskTrial = Static<typeof RiskTrial>;

const list = <Item extends TSchema>(item: Item) =>
  Type.Object({ ok: Type.Literal(true), msg: Type.String(), data: Type.Array(item), pagination: CursorPagination });
const after = Type.Optional(
  Type.String({
    maxLength: 40,
    description: `Goes on after the item with this id (\`next_cursor\`); \`${FIRST_CURSOR}\`: from the beginning`,
  }),
);
const user = <const Ability extends 'read' | 'write' | 'delete'>(ability: Ability) =>
  ({ tag: 'Risk', auth: 'user', ability }) as const;

const DAY_MS = 86_400_000;

/** The rule as for a creation, and a period of the past that has both ends. */
const toTrialErrors = ({ rule, from, to }: Record<string, unknown>): FieldError[] => {
  const given = typeof rule === 'object' && rule !== null ? (rule as RiskRuleInput) : {};
  const errors = findRiskRuleErrors(given).map((error) => ({ ...error, field: `rule.${error.field}` }));
  if (given.kind === 'max_volume' || given.kind === 'max_positions') {
    const text = `A rule of the kind ${given.kind} cannot be tried: the history has no positions.`;
    errors.push({ field: 'rule.kind', text });
  }
  const period = [from, to].map((text) => (typeof text === 'string' ? parseIsoDateTime(text) : undefined));
  const [begin, end] = period;
  if (!begin || !end) return errors;
  const days = (end.getTime() - begin.getTime()) / DAY_MS;
  if (days <= 0) errors.push({ field: 'to', text: 'The to field must be a time after from.' });
  if (days > MAX_TRY_DAYS)
    errors.push({ field: 'from', text: `The period must not be longer than ${MAX_TRY_DAYS} days.` });
  return errors;
};

export const riskRoutes = {
  listRiskRules: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/risk-rules',
    summary: 'List risk rules, oldest first',
    query: Type.Object({ after, ...perPageQuery() }),
    response: list(RiskRule),
  }),
  createRiskRule: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: 'risk_rule.create',
    url: '/v1/my/risk-rules',
    summary: 'Create a risk rule; the hosts of its terminals watch from then on',
    isStrict: true,
    isIdempotent: true,
    body: NewRiskRule,
    rules: ({ body }) => findRiskRuleErrors(body),
    response: EnvelopeOrRefusal(RiskRule),
  }),
  readRiskRule: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/risk-rules/:rule_id',
    summary: 'Read a risk rule',
    response: Envelope(RiskRule),
  }),
  updateRiskRule: defineRoute({
    ...user('write'),
    method: 'PATCH',
    audit: 'risk_rule.update',
    url: '/v1/my/risk-rules/:rule_id',
    summary: 'Change a risk rule; the start of its day and its high-water mark stay',
    input: 'patch',
    isStrict: true,
    body: RiskRuleChanges,
    response: Envelope(RiskRule),
  }),
  deleteRiskRule: defineRoute({
    ...user('delete'),
    method: 'DELETE',
    audit: 'risk_rule.delete',
    url: '/v1/my/risk-rules/:rule_id',
    summary: 'Delete a risk rule; its breaches stay, and what it has begun is carried out to the end',
    response: Envelope(Null),
  }),
  readRiskState: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/risk-rules/:rule_id/state',
    summary: 'Read how a rule fares at each of its terminals',
    query: Type.Object({ after, ...perPageQuery(100) }),
    response: list(RiskState),
  }),
  tryRiskRule: defineRoute({
    ...user('write'),
    method: 'POST',
    audit: null,
    url: '/v1/my/risk-rules/try',
    summary: 'Say on which days of the past a rule would have acted, from the history that is kept',
    isStrict: true,
    body: Type.Object({
      rule: NewRiskRule,
      from: Type.String({ isoDateTime: true, description: `ISO 8601; ${MAX_TRY_DAYS} days at most until \`to\`` }),
      to: Type.String({ isoDateTime: true, description: 'ISO 8601' }),
    }),
    rules: ({ body }) => toTrialErrors(body),
    response: Envelope(
      Type.Array(RiskTrial, { description: `The first ${MAX_TRY_TERMINALS} terminals of the rule, by id` }),
    ),
  }),
  listRiskBreaches: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/risk-breaches',
    summary: 'List breaches of risk rules, newest first',
    query: Type.Object({
      after,
      terminal_id: Type.Optional(Uuid('Only of this terminal')),
      rule_id: Type.Optional(Uuid('Only of this rule')),
      ...perPageQuery(),
    }),
    response: list(RiskBreach),
  }),
  readBreachEvidence: defineRoute({
    ...user('read'),
    method: 'GET',
    url: '/v1/my/risk-breaches/:breach_id/evidence',
    summary: 'Download the evidence of a breach: one JSON object per line, chained by hashes',
    download: { mediaTypes: ['application/jsonl'] },
    response: Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' }),
  }),
};
