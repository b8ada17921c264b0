import { texts } from '../texts/texts.ts';
import { useNow } from './clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const exact = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' });
const exactClock = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'long', hourCycle: 'h23' });
const clock = new Intl.DateTimeFormat(texts.locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const second = new Intl.DateTimeFormat(texts.locale, { timeStyle: 'medium', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(texts.locale, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(texts.locale, { day: 'numeric', month: 'short', year: 'numeric' });

/** "now", "12 s", "4 min", "3 h", "9 d"; a time in the future, due to clock differences, is now. */
export const toSpan = (ms: number): string => {
  const { seconds, minutes, hours, days, justNow } = texts.time;
  if (ms < 2_000) return justNow;
  if (ms < MINUTE) return seconds(Math.floor(ms / 1000));
  if (ms < HOUR) return minutes(Math.floor(ms / MINUTE));
  if (ms < 2 * DAY) return hours(Math.floor(ms / HOUR));
  return days(Math.floor(ms / DAY));
};

/** The time of day; with the date where it is not today, with the year where it is not this one. */
export const toMoment = (at: number, now: number): string => {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clock.format(then);
  const date = then.getFullYear() === today.getFullYear() ? day.format(then) : dayOfYear.format(then);
  return `${date}, ${clock.format(then)}`;
};

/** The time of day to the second with its zone; with the date where it is not today. */
export const toExactTime = (at: number, now: number): string =>
  (new Date(at).toDateString() === new Date(now).toDateString() ? exactClock : exact).format(at);

/** The reader's time zone at that time: "UTC", "CEST", "GMT+2". */
export const toZone = (at: number): string =>
  exact.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';

/** The time of day, with the date where needed, and its zone: "14:02 CEST". */
export const toZoned = (at: number, now: number): string => `${toMoment(at, now)} ${toZone(at)}`;

/** For an axis: the time of day, and at midnight the date. */
export const toTick = (at: number): string => {
  const then = new Date(at);
  return then.getHours() === 0 && then.getMinutes() === 0 ? day.format(then) : clock.format(then);
};

export interface TimeProps {
  /** ISO 8601, as the API has it. */
  at: string;
  /** `ago`: how long ago, ticking; `moment`: the time of day in the reader's zone; `span`: how long, without "ago"; `second`: the
   * time of day to the second, where the date is next to it; `exact`: that with its zone, and the date unless it is today;
   * `day`: the date alone. */
  as?: 'ago' | 'moment' | 'span' | 'second' | 'exact' | 'day';
}

/** A time in the reader's zone; the exact one is shown as a tooltip. */
export const Time = ({ at, as = 'ago' }: TimeProps) => {
  const ms = Date.parse(at);
  const now = useNow(as === 'moment' ? MINUTE : 1_000);
  if (Number.isNaN(ms)) return <span className="none">{texts.time.unknown}</span>;
  const span = toSpan(now - ms);
  const shown =
    as === 'second'
      ? second.format(ms)
      : as === 'exact'
        ? toExactTime(ms, now)
        : as === 'day'
          ? dayOfYear.format(ms)
          : as === 'moment'
            ? toMoment(ms, now)
            : as === 'span' || now - ms < 2_000
              ? span
              : texts.time.ago(span);
  return (
    <time dateTime={at} title={exact.format(ms)} className="figure">
      {shown}
    </time>
  );
};
