/** What the settings of a risk rule demand of each other. */
import type { FieldError } from '../errors.ts';
import { findTimeZoneErrors } from '../time-zone.ts';
import type { TrailStop } from './settings.ts';

/** The settings that `findRiskRuleErrors` compares; null, like an absent one, is not set. */
export interface RiskRuleInput {
  kind?: unknown;
  terminal_ids?: unknown;
  project_id?: unknown;
  all?: unknown;
  amount?: unknown;
  percent?: unknown;
  percent_of?: unknown;
  measure?: unknown;
  trail?: unknown;
  trail_stops_at?: unknown;
  cash_flows?: unknown;
  buffer?: unknown;
  lock_until?: unknown;
  actions?: unknown;
  time_zone?: unknown;
}

const countsOnly: readonly unknown[] = ['equity_floor', 'max_volume', 'max_positions'];
const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const isLoss = (kind: unknown): boolean =>
  kind === 'daily_loss' || kind === 'max_drawdown' || kind === 'trailing_drawdown';

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
  if (typeof percent === 'number' && isLoss(kind) && percent > 100) {
    errors.push({ field: 'percent', text: 'The percent field must not be greater than 100.' });
  }
  return errors;
};

const isPositive = (value: unknown): value is string => typeof value === 'string' && /[1-9]/.test(value);

/** Settings that a rule of this kind would ignore. */
const findIgnored = (rule: RiskRuleInput): FieldError[] => {
  const { kind } = rule;
  const only = (field: string, kinds: string): FieldError => ({
    field,
    text: `The ${field.replaceAll('_', ' ')} field is only for ${kinds}.`,
  });
  const errors: FieldError[] = [];
  const isCount = kind === 'max_volume' || kind === 'max_positions';
  if (rule.percent_of === 'initial' && kind !== 'daily_loss' && kind !== 'trailing_drawdown')
    errors.push(only('percent_of', 'daily_loss and trailing_drawdown'));
  else if (rule.percent_of === 'initial' && !isSet(rule.percent))
    errors.push(only('percent_of', 'a rule with percent'));
  if (isSet(rule.measure) && isCount) errors.push(only('measure', 'kinds that measure money'));
  if (isSet(rule.trail) && kind === 'daily_loss' && rule.trail === 'day_end_balance')
    errors.push({ field: 'trail', text: 'A daily_loss follows equity or balance.' });
  else if (isSet(rule.trail) && kind !== 'daily_loss' && kind !== 'trailing_drawdown')
    errors.push(only('trail', 'daily_loss and trailing_drawdown'));
  if (isSet(rule.trail_stops_at) && kind !== 'trailing_drawdown')
    errors.push(only('trail_stops_at', 'trailing_drawdown'));
  if (rule.cash_flows === 'ignore' && (isCount || kind === 'equity_floor'))
    errors.push(only('cash_flows', 'limits that count from something'));
  if (isPositive(rule.buffer) && !isLoss(kind) && kind !== 'equity_floor')
    errors.push(only('buffer', 'losses and equity_floor'));
  return errors;
};

const toUnits = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
};
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^\d+(\.\d{1,8})?$/.test(value);

/** A buffer as large as the limit would act at once. */
const findBufferErrors = ({ kind, amount, buffer }: RiskRuleInput): FieldError[] =>
  isLoss(kind) && isDecimal(amount) && isDecimal(buffer) && toUnits(buffer) >= toUnits(amount) && isPositive(buffer)
    ? [{ field: 'buffer', text: 'The buffer field must be less than amount.' }]
    : [];

const findStopErrors = ({ trail_stops_at: stop }: RiskRuleInput): FieldError[] => {
  if (typeof stop !== 'object' || stop === null) return [];
  const given = (['amount', 'initial_plus'] as const).filter((name) => isSet((stop as TrailStop)[name]));
  if (given.length === 1) return [];
  return [
    {
      field: 'trail_stops_at',
      text: 'The trail stops at field needs amount or initial_plus, and not both.',
      hint: 'Send {"amount": "10000.00"}, or null.',
    },
  ];
};

/** What nothing locks, nothing has to unlock. */
const findLockErrors = ({ lock_until: end, actions }: RiskRuleInput): FieldError[] =>
  end !== 'next_day' || (Array.isArray(actions) && actions.includes('lock'))
    ? []
    : [
        {
          field: 'lock_until',
          text: 'The lock until field is only for rules with the action lock.',
          hint: 'Add lock to actions, or send lock_until: "unlocked".',
        },
      ];

/** What the settings of a rule demand of each other. A setting that its kind would ignore is refused. */
export const findRiskRuleErrors = (rule: RiskRuleInput): FieldError[] => {
  const errors = [
    ...findScopeErrors(rule),
    ...findLimitErrors(rule),
    ...findIgnored(rule),
    ...findBufferErrors(rule),
    ...findStopErrors(rule),
    ...findLockErrors(rule),
  ];
  if (typeof rule.time_zone === 'string') errors.push(...findTimeZoneErrors('time_zone', rule.time_zone));
  return errors;
};
