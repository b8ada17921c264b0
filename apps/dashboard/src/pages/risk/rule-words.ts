/** Rules in words. */
import type { RiskRule } from '@berth/client';
import { toPercentText } from '../../parts/figure.tsx';
import { formatDecimal } from '../../parts/money/format.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk;

/** "3%" or "250.00". */
export const toLimitText = ({ amount, percent }: Pick<RiskRule, 'amount' | 'percent'>): string =>
  amount === null ? toPercentText(percent ?? 0, 2) : (formatDecimal(amount) ?? amount);

const toWhat = ({ kind, measure }: RiskRule): string =>
  kind === 'profit_target' && measure === 'balance' ? words.measures.closed : words.measures[measure ?? 'equity'];

/** When it acts. */
const toFirst = (rule: RiskRule): string => {
  const { sentences } = words;
  const what = toWhat(rule);
  const limit = rule.percent_of === 'initial' ? words.ofInitial(toLimitText(rule)) : toLimitText(rule);
  switch (rule.kind) {
    case 'daily_loss':
      return sentences.daily_loss(what, limit, rule.basis, rule.day_starts, rule.time_zone.replaceAll('_', ' '));
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

/** What the rule does, in sentences. */
export const toSentence = (rule: RiskRule): string => {
  const { besides } = words;
  const { kind, trail, trail_stops_at: stop, buffer, currency } = rule;
  return [
    toFirst(rule),
    kind === 'daily_loss' && (trail === 'equity' || trail === 'balance') && besides.dayTrail(trail),
    stop?.amount !== undefined && besides.stopsAt(formatDecimal(stop.amount) ?? stop.amount),
    stop?.initial_plus !== undefined && besides.stopsAbove(formatDecimal(stop.initial_plus) ?? stop.initial_plus),
    /[1-9]/.test(buffer) && besides.buffer(formatDecimal(buffer) ?? buffer),
    rule.cash_flows === 'ignore' && besides.cash,
    currency !== null && besides.currency(currency),
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
};
