/** Quiet hours are hours on the wall of their user: a night in spring has one less, and one in autumn one more. */
import type { QuietHours } from '@berth/contract';

const MINUTE_MS = 60_000;
/** No quiet hours are longer than a day and the hour that autumn adds. */
const MAX_MINUTES = 25 * 60;

const toClock = (zone: string): ((at: number) => string) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => format.format(at);
};

/**
 * When the quiet hours are over in which a moment lies; undefined: it lies in none. A minute that the clock skips in
 * spring ends them at the next one that it has. Pure.
 * @param at milliseconds since 1970
 */
export const findQuietEnd = ({ from, to, time_zone: zone }: QuietHours, at: number): number | undefined => {
  const toTime = toClock(zone);
  const isQuiet = (moment: number): boolean => {
    const time = toTime(moment);
    return from < to ? time >= from && time < to : time >= from || time < to;
  };
  if (!isQuiet(at)) return undefined;
  let end = Math.floor(at / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let minutes = 0; minutes < MAX_MINUTES && isQuiet(end); minutes += 1) end += MINUTE_MS;
  return end;
};
