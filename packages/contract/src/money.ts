/**
 * Amounts of money, prices and volumes are decimal strings (`"10000.00"`): a float cannot hold most of them exactly. What
 * has to be added or compared is turned into whole numbers of the smallest unit.
 */

/** At most 15 digits before the point and 8 after it, without an exponent: neither NaN nor 1e308 is one. */
export const DECIMAL_PATTERN = '^-?\\d{1,15}(\\.\\d{1,8})?$';
const DECIMAL = new RegExp(DECIMAL_PATTERN);
const SCALE = 8;

/**
 * Whether a text is a decimal number as the API writes and takes it.
 * @example
 * import { isDecimal } from '@berth/contract/values';
 * isDecimal('-12.50'); // => true
 * isDecimal('1e308'); // => false
 */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

const toUnits = (text: string): bigint => {
  if (!isDecimal(text)) throw new RangeError('not a decimal number');
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return isNegative ? -units : units;
};

const countDigits = (text: string): number => text.split('.')[1]?.length ?? 0;

/**
 * The exact sum, with as many digits after the point as the summand that has most.
 * @throws RangeError for what is no decimal number
 * @example
 * import { addDecimals } from '@berth/contract/values';
 * addDecimals('0.10', '0.20'); // => '0.30'
 * addDecimals(); // => '0'
 */
export const addDecimals = (...amounts: readonly string[]): string => {
  const digits = Math.max(0, ...amounts.map(countDigits));
  const units = amounts.reduce((sum, amount) => sum + toUnits(amount), 0n) / 10n ** BigInt(SCALE - digits);
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  const fraction = digits === 0 ? '' : `.${text.slice(-digits)}`;
  return `${units < 0n ? '-' : ''}${digits === 0 ? text : text.slice(0, -digits)}${fraction}`;
};

/**
 * Less than 0 where the first is smaller, 0 where they are equal, more than 0 otherwise: for `sort`.
 * @throws RangeError for what is no decimal number
 * @example
 * import { compareDecimals } from '@berth/contract/values';
 * compareDecimals('9.50', '10'); // => -1
 * compareDecimals('1.0', '1.00'); // => 0
 */
export const compareDecimals = (left: string, right: string): number => {
  const difference = toUnits(left) - toUnits(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};
