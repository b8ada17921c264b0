/** Rules in words. */
import type { RiskRule } from '@berth/client';
import { toPercentText } from '../../parts/figure.tsx';
import { formatDecimal } from '../../parts/money/format.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk;

/** What a sentence about a rule is made of. */
export type RuleTerms = Pick<
  RiskRule,
  | 'kind'
  | 'amount'
  | 'percent'
  | 'percent_of'
  | 'measure'
  | 'basis'
  | 'trail'
  | 'trail_stops_at'
  | 'cash_flows'
  | 'buffer'
  | 'currency'
  | 'confirm_ms'
  | 'lock_until'
  | 'day_starts'
  | 'time_zone'
  | 'actions'
>;

const toAmountText = (amount: string): string => formatDecimal(amount) ?? amount;

/** "3%" or "250.00". */
export const toLimitText = ({ amount, percent }: Pick<RiskRule, 'amount' | 'percent'>): string =>
  amount === null ? toPercentText(percent ?? 0, 2) : toAmountText(amount);

/** "Europe/Prague" and "New York" read better than the names of the database. */
export const toZoneText = (zone: string): string => zone.replaceAll('_', ' ');

const toWhat = ({ kind, measure }: RuleTerms): string =>
  kind === 'profit_target' && measure === 'balance' ? words.measures.closed : words.measures[measure ?? 'equity'];

/** When it acts. */
const toFirst = (rule: RuleTerms): string => {
  const { sentences } = words;
  const what = toWhat(rule);
  const limit =
    rule.percent_of === 'initial' && rule.amount === null ? words.ofInitial(toLimitText(rule)) : toLimitText(rule);
  switch (rule.kind) {
    case 'daily_loss':
      return sentences.daily_loss(what, limit, rule.basis, rule.day_starts, toZoneText(rule.time_zone));
    case 'trailing_drawdown':
      return sentences.trailing_drawdown(what, limit, rule.trail ?? 'equity');
    case 'max_drawdown':
    case 'profit_target':
      return sentences[rule.kind](what, limit, rule.basis);
    case 'equity_floor':
      return sentences.equity_floor(what, limit);
    default:
      return sentences[rule.kind](limit);
  }
};

const toDays = (rule: RuleTerms): string | false =>
  rule.kind === 'trailing_drawdown' &&
  rule.trail === 'day_end_balance' &&
  words.besides.days(rule.day_starts, toZoneText(rule.time_zone));

const toStopText = (plus: string): string =>
  /[1-9]/.test(plus) ? words.besides.stopsAbove(toAmountText(plus)) : words.besides.stopsAtInitial;

/** What it then does: "Then it closes everything, locks the terminal, and notifies you." */
const toThen = ({ actions }: RuleTerms): string => words.doesThen(actions.map((action) => words.does[action]));

/**
 * What the rule does, in sentences.
 * @param isWhole false: without its actions, which are shown beside it
 */
export const toSentence = (rule: RuleTerms, isWhole = false): string => {
  const { besides } = words;
  const { kind, trail, trail_stops_at: stop, buffer, currency } = rule;
  return [
    toFirst(rule),
    toDays(rule),
    kind === 'daily_loss' && (trail === 'equity' || trail === 'balance') && besides.dayTrail(trail),
    stop?.amount !== undefined && besides.stopsAt(toAmountText(stop.amount)),
    stop?.initial_plus !== undefined && toStopText(stop.initial_plus),
    /[1-9]/.test(buffer) && besides.buffer(toAmountText(buffer)),
    rule.confirm_ms > 0 && besides.confirm(rule.confirm_ms / 1000),
    rule.cash_flows === 'ignore' && besides.cash,
    currency !== null && besides.currency(currency),
    isWhole && toThen(rule),
    rule.lock_until === 'next_day' && besides.lockEnds(rule.day_starts, toZoneText(rule.time_zone)),
  ]
    .filter((sentence) => sentence !== false && sentence !== '')
    .join(' ');
};
