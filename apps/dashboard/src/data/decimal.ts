/**
 * Arithmetic on amounts as the API has them: decimal strings. Exact, because a float has no 0.10, and the sum of a list
 * has to be the sum of its rows. An amount that is missing or no number makes the result undefined: better none than a
 * wrong one.
 */
const DECIMAL = /^([+-]?)(\d{1,40})(?:\.(\d{1,20}))?$/;

/** `units` × 10^-`scale`. */
interface Decimal {
  units: bigint;
  scale: number;
}

const parse = (text: string | null | undefined): Decimal | undefined => {
  const match = DECIMAL.exec(text ?? '');
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
};

const toUnits = ({ units, scale }: Decimal, wanted: number): bigint => units * 10n ** BigInt(wanted - scale);

const toText = ({ units, scale }: Decimal): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  return `${units < 0n ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
};

/** Rounds half away from zero, as statements of brokers do. */
const divide = (part: bigint, whole: bigint): bigint => {
  const isNegative = part < 0n !== whole < 0n;
  const [above, below] = [part < 0n ? -part : part, whole < 0n ? -whole : whole];
  const rounded = (2n * above + below) / (2n * below);
  return isNegative ? -rounded : rounded;
};

type Text = string | null | undefined;

/** Of nothing: `0`; with as many decimals as the longest of them. */
export const sum = (texts: readonly Text[]): string | undefined => {
  const known = texts.map(parse);
  if (!known.every((one) => one !== undefined)) return undefined;
  const scale = Math.max(0, ...known.map((one) => one.scale));
  return toText({ units: known.reduce((total, one) => total + toUnits(one, scale), 0n), scale });
};

export const negate = (text: Text): string | undefined => {
  const known = parse(text);
  return known && toText({ units: -known.units, scale: known.scale });
};

export const minus = (text: Text, other: Text): string | undefined => sum([text, negate(other)]);

export type Sign = '+' | '-' | '0';

export const toSign = (text: Text): Sign | undefined => {
  const known = parse(text);
  return known && (known.units > 0n ? '+' : known.units < 0n ? '-' : '0');
};

/** Below, above 0 or 0, for sorting; what is no number comes first. */
export const compare = (one: Text, other: Text): number => {
  const [a, b] = [parse(one), parse(other)];
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
  const scale = Math.max(a.scale, b.scale);
  const difference = toUnits(a, scale) - toUnits(b, scale);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
};

/** The same with `digits` decimals. */
export const round = (text: Text, digits: number): string | undefined => {
  const known = parse(text);
  if (!known) return undefined;
  if (known.scale <= digits) return toText({ units: toUnits(known, digits), scale: digits });
  return toText({ units: divide(known.units, 10n ** BigInt(known.scale - digits)), scale: digits });
};

/** How many percent of the whole the part is, with two decimals; undefined where the whole is 0. */
export const toPercent = (part: Text, whole: Text, digits = 2): string | undefined => {
  const [above, below] = [parse(part), parse(whole)];
  if (!above || !below || below.units === 0n) return undefined;
  const scale = Math.max(above.scale, below.scale);
  const units = divide(toUnits(above, scale) * 10n ** BigInt(digits + 2), toUnits(below, scale));
  return toText({ units, scale: digits });
};

/** The part as a share of the whole, 0 to 1 and beyond: only to draw with. */
export const toShare = (part: Text, whole: Text): number => {
  const percent = toPercent(part, whole, 4);
  return percent === undefined ? 0 : Number(percent) / 100;
};

/** What a person types as an amount: without blanks and signs of thousands, with a point; undefined if it is none. */
export const toTyped = (text: string): string | undefined => {
  const bare = text.trim().replaceAll(/[\s\u00a0\u202f'’]/g, '');
  // "1,234.50" and "1.234,50": the last mark is the decimal one. A lone comma before three digits may be either: refused.
  const last = Math.max(bare.lastIndexOf(','), bare.lastIndexOf('.'));
  if (last < 0) return parse(bare) && bare;
  const [whole, fraction] = [bare.slice(0, last), bare.slice(last + 1)];
  const mark = bare[last];
  if (whole.includes(mark ?? '')) return undefined;
  if (mark === ',' && fraction.length === 3 && !/[.]/.test(whole)) return undefined;
  const others = whole.replaceAll(/[,.]/g, '');
  if (/[,.]/.test(whole) && !/^[+-]?\d{1,3}(?:[,.]\d{3})+$/.test(whole)) return undefined;
  const typed = `${others}.${fraction}`;
  return parse(typed) && typed;
};
