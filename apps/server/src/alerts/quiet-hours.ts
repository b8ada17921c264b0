/** Quiet hours are hours on the wall of their user: a night in spring has one less, and one in autumn one more. */
import type { QuietHours } from '@berth/contract';

const MINUTE_MS = 60_000;
const DAY = 1_440;

/** Minutes since midnight. */
const toMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Minutes from one time on the wall until the next that shows another; a day where both are the same. */
const toSpan = (from: number, to: number): number => (to - from + DAY) % DAY || DAY;

/** What the wall shows at a minute, which is counted since 1970. */
const createWall = (timeZone: string): ((minute: number) => number) => {
  const parts = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, ...parts });
  return (minute) => toMinutes(format.format(minute * MINUTE_MS));
};

/** The minute within a day or so at which the wall is set forward or back; undefined: it is not. */
const findChange = (toWall: (minute: number) => number, first: number, last: number): number | undefined => {
  const isChanged = (minute: number): boolean => (toWall(minute) - toWall(first) - (minute - first)) % DAY !== 0;
  if (!isChanged(last)) return undefined;
  let [before, after] = [first, last];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isChanged(middle)) after = middle;
    else before = middle;
  }
  return after;
};

/**
 * When the quiet hours are over in which a moment lies; undefined: it lies in none. A minute that the clock skips in
 * spring ends them at the next one that it has. Pure.
 * @param at milliseconds since 1970
 */
export const findQuietEnd = (quiet: QuietHours, at: number): number | undefined => {
  const [from, to] = [toMinutes(quiet.from), toMinutes(quiet.to)];
  const toWall = createWall(quiet.time_zone);
  /** The minute at which they end if the wall is not set until then; itself where it is not quiet. */
  const toEnd = (minute: number): number => {
    const isQuiet = toSpan(from, to) > (toWall(minute) - from + DAY) % DAY;
    return isQuiet ? minute + toSpan(toWall(minute), to) : minute;
  };
  const now = Math.floor(at / MINUTE_MS);
  const end = toEnd(now);
  if (end === now) return undefined;
  const change = findChange(toWall, now, end);
  return (change === undefined ? end : toEnd(change)) * MINUTE_MS;
};
