/** Amounts as they are read: grouped for the reader's language, with a real minus, and a sign where it is a result. */
import { texts } from '../../texts/texts.ts';
import { round, toSign } from '../../data/decimal.ts';

const whole = new Intl.NumberFormat(texts.locale, { numberingSystem: 'latn' });
const mark = whole.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** U+2212: as wide as the plus, and no hyphen. */
export const MINUS = '\u2212';

export interface AmountFormat {
  /** Decimals; as many as the text has, otherwise. */
  digits?: number | undefined;
  /** A plus before what is above 0. */
  isSigned?: boolean | undefined;
}

/** "−1,234.50"; undefined where the text is no number. No digit of it is lost, however long it is. */
export const formatDecimal = (
  text: string | null | undefined,
  { digits, isSigned = false }: AmountFormat = {},
): string | undefined => {
  const sign = toSign(text);
  if (sign === undefined || text === null || text === undefined) return undefined;
  const shown = digits === undefined ? text : (round(text, digits) ?? text);
  const [integer = '0', fraction] = shown.replace(/^[+-]/, '').split('.');
  const before = toSign(shown) === '-' ? MINUS : isSigned && toSign(shown) === '+' ? '+' : '';
  return `${before}${whole.format(BigInt(integer))}${fraction === undefined ? '' : mark + fraction}`;
};
