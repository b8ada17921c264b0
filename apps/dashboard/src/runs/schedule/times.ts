/** The times of a schedule: in words, and the next ones. The server computes them with the same library. */
import { Cron } from 'croner';
import cronstrue from 'cronstrue';
import { texts } from '../../texts/texts.ts';

const FIVE_FIELDS = /^[^\s@]+( \S+){4}$/;
const SHOWN = 3;

/** "At 21:00, on Friday"; the expression itself where it has no words. */
export const toCronWords = (cron: string): string => {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true, verbose: true }).replace('only on', 'on');
  } catch {
    return cron;
  }
};

/** The next three times; none where the expression or the zone is wrong: the server says what is. */
export const toNextTimes = (cron: string, timeZone: string, after: number): Date[] => {
  if (!FIVE_FIELDS.test(cron)) return [];
  try {
    const times = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true });
    return times.nextRuns(SHOWN, new Date(after));
  } catch {
    return [];
  }
};

const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const day = { ...clock, day: 'numeric', month: 'short' } as const;
const here = { clock: new Intl.DateTimeFormat(texts.locale, clock), day: new Intl.DateTimeFormat(texts.locale, day) };

/** "Fri 4 Dec, 21:00" and "Fri 21:00", for the reader. */
export const toTimeHere = (at: Date) => ({ day: here.day.format(at), clock: here.clock.format(at) });

/** "Fri 4 Dec, 21:00" in a zone; undefined for one that this browser does not know. */
export const toTimeIn = (at: Date, timeZone: string): string | undefined => {
  try {
    return new Intl.DateTimeFormat(texts.locale, { ...day, timeZone }).format(at);
  } catch {
    return undefined;
  }
};
