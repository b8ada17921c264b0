/** Period codes of a chart, as the terminal's start file writes them. */
export const periods = [
  'M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M10', 'M12', 'M15', 'M20', 'M30',
  'H1', 'H2', 'H3', 'H4', 'H6', 'H8', 'H12', 'D1', 'W1', 'MN1',
] as const; // prettier-ignore
export type Period = (typeof periods)[number];

/** False for what JSON has rounded, or may have: integers that a float does not hold, and what is not finite. */
export const isExactNumber = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

/** With every digit that the number has, and without an exponent, which the terminal's reader does not know. */
const toDecimal = (value: number): string => {
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e');
  const sign = value < 0 ? '-' : '';
  if (exponent === undefined) return sign + mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = Number(exponent);
  return places < 0
    ? `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(places, '0')}`;
};

/**
 * A value as chart files and presets write it: numbers without exponents, `true` and `false`; '' for what is none.
 * @example
 * import { toInputText } from '@berth/contract/values';
 * toInputText(1.5e-17); // => '0.000000000000000015'
 */
export const toInputText = (value: unknown): string => {
  if (typeof value === 'number') return toDecimal(value);
  return typeof value === 'boolean' || typeof value === 'string' ? String(value) : '';
};
