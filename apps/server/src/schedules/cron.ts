/**
 * When schedules are due. Over a change to summer time, a time that does not exist is taken an hour later, and one that
 * comes twice is taken once, unless the hour or the minute has a wildcard: those go by the time that passes.
 */
import { findTimeZoneErrors, MIN_SCHEDULE_MINUTES, type FieldError } from '@berth/contract';
import { Cron } from 'croner';

const CRON_HINT =
  'Five fields: minute, hour, day of the month, month, day of the week. 0 21 * * 5 is Fridays at 21:00.';
const FIELDS = /^[^\s@]+( [^\s]+){4}$/;
/** Runs that are looked at for their distance; what repeats does so within them. */
const LOOKED_AT = 300;

const toCron = ({ cron, time_zone }: CronTimes): Cron =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true });

export interface CronTimes {
  cron: string;
  /** IANA name. */
  time_zone: string;
}

/** The next times after a moment. @returns fewer than `count` where no more come */
export const toNextRuns = (times: CronTimes, after: Date, count: number): Date[] =>
  toCron(times).nextRuns(count, after);

const isTooDense = (runs: readonly Date[]): boolean =>
  runs.some((run, index) => index > 0 && run.getTime() - runs[index - 1]!.getTime() < MIN_SCHEDULE_MINUTES * 60_000);

/** What is wrong with a cron expression and its time zone. */
export const findCronErrors = (times: CronTimes, now: Date): FieldError[] => {
  const zoneErrors = findTimeZoneErrors('time_zone', times.time_zone);
  if (zoneErrors.length > 0) return zoneErrors;
  const toError = (text: string): FieldError[] => [{ field: 'cron', text, hint: CRON_HINT }];
  if (!FIELDS.test(times.cron)) return toError('The cron field must have five fields.');
  try {
    const runs = toNextRuns(times, now, LOOKED_AT);
    if (runs.length === 0) return toError('The cron field must name a time that comes.');
    if (isTooDense(runs))
      return toError(`The cron field must name times that are ${MIN_SCHEDULE_MINUTES} minutes apart or more.`);
    return [];
  } catch {
    return toError('The cron field is invalid.');
  }
};
