/**
 * Amounts are integers everywhere in the ledger: money in the smallest unit of its currency, prices in points (the last
 * digit of the symbol), volumes in hundredths of a lot. So sums are exact, and a division rounds in one place.
 */

/** 12.345 with two digits is 1234: further digits are cut off. The text is digits with at most one point. */
export const toUnits = (text: string, digits: number): bigint => {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`);
};

/** Whether a text has no more digits than these, but for zeros. */
export const fitsDigits = (text: string, digits: number): boolean =>
  /^0*$/.test((text.split('.')[1] ?? '').slice(digits));

/** 1234 with two digits is `12.34`. */
export const toDecimal = (units: bigint, digits: number): string => {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  const sign = units < 0n ? '-' : '';
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
};

/** The quotient, rounded half away from zero. The divisor is positive. */
export const divideRounded = (dividend: bigint, divisor: bigint): bigint => {
  const half = divisor / 2n;
  return dividend < 0n ? -((-dividend + half) / divisor) : (dividend + half) / divisor;
};

export const toPower = (digits: number): bigint => 10n ** BigInt(digits);

/** The smallest unit of a currency: yen have none below the yen. */
export const toCurrencyDigits = (currency: string): number => (currency === 'JPY' ? 0 : 2);

export const VOLUME_DIGITS = 2;
/** One lot in units of a volume. */
export const LOT = 100n;
