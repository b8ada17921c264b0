/** When a rule's day began, in its own zone, also when summer time begins or ends. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Zones and times that are remembered: each rule brings one of each. */
const MAX_REMEMBERED = 500;

const formats = new Map<string, Intl.DateTimeFormat>();
const days = new Map<string, { fromMs: number; untilMs: number; date: string }>();

/** Keeps what was added last. */
const remember = <Value>(map: Map<string, Value>, key: string, value: Value): Value => {
  if (map.size >= MAX_REMEMBERED) map.clear();
  map.set(key, value);
  return value;
};

const getFormat = (timeZone: string): Intl.DateTimeFormat =>
  formats.get(timeZone) ??
  remember(
    formats,
    timeZone,
    new Intl.DateTimeFormat('en', {
      ...{ timeZone, hourCycle: 'h23', era: 'short' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    }),
  );

/** The zone's wall clock at an instant, written as if it were UTC. */
const toWallMs = (timeZone: string, instantMs: number): number => {
  const found: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of getFormat(timeZone).formatToParts(instantMs)) found[type] = value;
  const { year, month, day, hour, minute, second } = found;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
};

/** The first instant at which the zone's wall clock shows this time or, where it skips it, a later one. */
const toInstant = (timeZone: string, wallMs: number): number => {
  // No zone is further than 14 hours from UTC, and none changes twice within so little.
  let [lowMs, highMs] = [wallMs - 15 * 60 * MINUTE_MS, wallMs + 15 * 60 * MINUTE_MS];
  const early = wallMs - (toWallMs(timeZone, lowMs) - lowMs);
  const late = wallMs - (toWallMs(timeZone, highMs) - highMs);
  for (const instantMs of early < late ? [early, late] : [late, early]) {
    if (toWallMs(timeZone, instantMs) === wallMs) return instantMs;
  }
  // Skipped: the change is between the two.
  [lowMs, highMs] = early < late ? [early, late] : [late, early];
  while (highMs - lowMs > 1000) {
    const middleMs = lowMs + Math.floor((highMs - lowMs) / 2000) * 1000;
    if (toWallMs(timeZone, middleMs) < wallMs) lowMs = middleMs;
    else highMs = middleMs;
  }
  return highMs;
};

export interface RiskDayRule {
  day_starts: string;
  time_zone: string;
}

/** The day that an instant belongs to: when it began, when the next one begins, and its date (`2026-01-31`). */
export const findDay = (
  { day_starts: starts, time_zone: timeZone }: RiskDayRule,
  nowMs: number,
): { fromMs: number; untilMs: number; date: string } => {
  const key = `${timeZone} ${starts}`;
  const known = days.get(key);
  if (known && nowMs >= known.fromMs && nowMs < known.untilMs) return known;
  const [hours = 0, minutes = 0] = starts.split(':').map(Number);
  const offsetMs = (hours * 60 + minutes) * MINUTE_MS;
  const todayMs = Math.floor(toWallMs(timeZone, nowMs) / DAY_MS) * DAY_MS;
  const begin = (midnightMs: number) => toInstant(timeZone, midnightMs + offsetMs);
  const startMs = begin(todayMs) <= nowMs ? todayMs : todayMs - DAY_MS;
  const date = new Date(startMs).toISOString().slice(0, 10);
  return remember(days, key, { fromMs: begin(startMs), untilMs: begin(startMs + DAY_MS), date });
};
