import { MINUS } from '../../../parts/money/format.ts';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';

const words = pageTexts.breach.seen;

/** "−12.340 s", "+118 ms" since the decision. */
export const toOffset = (ms: number): string => {
  const sign = ms < 0 ? MINUS : '+';
  const size = Math.abs(Math.round(ms));
  if (size < 1000) return words.ms(`${sign}${size}`);
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return words.seconds(sign + (size / 1000).toLocaleString(texts.locale, digits));
};
