import { texts } from '../texts/texts.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

const toPower = (bytes: number): number => Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));

const toFigure = (bytes: number, power: number): string => {
  const value = bytes / 1024 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return value.toLocaleString(texts.locale, { maximumFractionDigits: digits });
};

/** "320 B", "1.4 MB": a size for people, in steps of 1,024, as in the limits of the service. */
export const toBytesText = (bytes: number): string => {
  const power = toPower(bytes);
  return `${toFigure(bytes, power)} ${UNITS[power]}`;
};

/** "2.5": a part of a size, without the unit, which is that of the whole. */
export const toPartFigure = (bytes: number, wholeBytes: number): string => toFigure(bytes, toPower(wholeBytes));
