/** Rules in words. */
import type { RiskRule } from '@berth/client';
import { toPercentText } from '../../parts/figure.tsx';
import { formatDecimal } from '../../parts/money/format.ts';
import { pageTexts } from '../../texts/page-texts.ts';

const words = pageTexts.risk;

/** "3%" or "250.00". */
export const toLimitText = ({ amount, percent }: Pick<RiskRule, 'amount' | 'percent'>): string =>
  amount === null ? toPercentText(percent ?? 0, 2) : (formatDecimal(amount) ?? amount);

/** What the rule does, in a sentence. */
export const toSentence = (rule: RiskRule): string => {
  const limit = toLimitText(rule);
  const { sentences } = words;
  switch (rule.kind) {
    case 'daily_loss':
      return sentences.daily_loss(limit, rule.basis, rule.day_starts, rule.time_zone.replaceAll('_', ' '));
    case 'trailing_drawdown':
      return sentences.trailing_drawdown(limit, rule.trail, formatDecimal(rule.trail_stops_at));
    case 'max_drawdown':
    case 'profit_target':
      return sentences[rule.kind](limit, rule.basis);
    default:
      return sentences[rule.kind](limit);
  }
};
