import { texts } from '../texts/texts.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** "320 B", "1.4 MB": a size for people, in steps of 1,024, as in the limits of the service. */
export const toBytesText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  const digits = power === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString(texts.locale, { maximumFractionDigits: digits })} ${UNITS[power]}`;
};
