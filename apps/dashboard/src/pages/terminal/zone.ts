import { texts } from '../../texts/texts.ts';

const format = new Intl.DateTimeFormat(texts.locale, { hour: 'numeric', timeZoneName: 'short' });

/** The reader's time zone at that time: "UTC", "CEST", "GMT+2". */
export const toZone = (at: number = Date.now()): string =>
  format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
