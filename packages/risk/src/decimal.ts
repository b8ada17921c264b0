/** Exact decimal numbers: amounts of money never pass through a float. */

const DECIMALS = 8;
const ONE = 10n ** BigInt(DECIMALS);
const PATTERN = /^(-?)([0-9]{1,15})(?:\.([0-9]{1,8}))?$/;

/** In units of 10⁻⁸. Undefined where the text is not a decimal number of this size. */
export const parseDecimal = (text: string): bigint | undefined => {
  const [, sign, whole, fraction = ''] = PATTERN.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -value : value;
};

/** @throws TypeError for a text that is not a decimal number: a defect, because texts are checked where they come in */
export const toUnits = (text: string): bigint => {
  const value = parseDecimal(text);
  if (value === undefined) throw new TypeError(`not a decimal number: ${text.slice(0, 40)}`);
  return value;
};

/**
 * As text, without trailing zeros beyond `decimals`.
 * @example
 * import { formatDecimal, toUnits } from '@berth/risk';
 * formatDecimal(toUnits('250.5'), 2); // => '250.50'
 */
export const formatDecimal = (units: bigint, decimals = 2): string => {
  const size = units < 0n ? -units : units;
  const digits = (size % ONE).toString().padStart(DECIMALS, '0');
  const kept = digits.slice(0, decimals) + digits.slice(decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / ONE}${kept ? `.${kept}` : ''}`;
};

/** A share in percent, rounded down. */
export const takePercent = (units: bigint, percent: bigint): bigint => (units * percent) / (100n * ONE);

export const highest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
