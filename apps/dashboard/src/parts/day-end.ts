/** When a day of a rule ends. Pure. */

export interface RuleDay {
  /** `HH:MM` in `time_zone`. */
  day_starts: string;
  time_zone: string;
}

const DAY_MS = 86_400_000;

/** The zone's wall clock at an instant, written as if it were UTC. */
const toWallMs = (timeZone: string, at: number): number => {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second);
};

/** The offset is the one of that time, not of now: clocks may change in between. A time that they skip is an hour later. */
const toInstant = (timeZone: string, wallMs: number): number => {
  const near = wallMs - (toWallMs(timeZone, wallMs) - wallMs);
  return wallMs - (toWallMs(timeZone, near) - near);
};

/** The next instant at which a day of the rule begins; undefined where the browser doesn't know the zone. */
export const findDayEnd = ({ day_starts: starts, time_zone: timeZone }: RuleDay, now: number): number | undefined => {
  try {
    const [hours = 0, minutes = 0] = starts.split(':').map(Number);
    const midnight = Math.floor(toWallMs(timeZone, now) / DAY_MS) * DAY_MS;
    const begins = [0, 1, 2].map((days) =>
      toInstant(timeZone, midnight + days * DAY_MS + (hours * 60 + minutes) * 60_000),
    );
    return begins.find((at) => at > now);
  } catch {
    return undefined;
  }
};
