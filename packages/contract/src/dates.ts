const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * True for a real day written `YYYY-MM-DD`.
 * @example
 * import { isIsoDate } from '@berth/contract';
 * isIsoDate('2026-02-28'); // => true
 * isIsoDate('2026-02-30'); // => false
 */
export const isIsoDate = (text: string): boolean => {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && new Date(`${text}T00:00:00Z`).getUTCDate() === day && month >= 1 && month <= 12;
};

const isFourDigitYear = (date: Date): boolean => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;

/**
 * Reads an ISO 8601 date with time; without a zone it is UTC, without a time midnight. Undefined for anything else.
 * @example
 * import { parseIsoDateTime } from '@berth/contract';
 * parseIsoDateTime('2026-01-31 10:00+02:00')?.toISOString(); // => '2026-01-31T08:00:00.000Z'
 */
export const parseIsoDateTime = (text: string): Date | undefined => {
  if (isIsoDate(text)) return new Date(`${text}T00:00:00Z`);
  const match = DATE_TIME.exec(text);
  if (!match || !isIsoDate(match[1] ?? '')) return undefined;
  const [, day, hours, minutes, seconds = '00', fraction = '0', zone = 'Z'] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const date = new Date(`${day}T${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  // An offset can push the first and the last day out of the years that four digits can write.
  return Number.isNaN(date.getTime()) || !isFourDigitYear(date) ? undefined : date;
};
