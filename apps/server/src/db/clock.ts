/**
 * SQL that holds although the clock of the database was set back: a time that is further ahead than it can be was written
 * before that, and is not believed. What has to wait for less follows the clock (scheduler/downtime.ts).
 */

/** A time near now, before or after it. */
export const isWithin = (time: string, span: string): string => `${time} between now() - ${span} and now() + ${span}`;

/** A time that was ahead when it was written, by no more than the span, and is over now. Also where there is none. */
export const isOver = (until: string, span: string): string =>
  `(${until} is null or ${until} <= now() or ${until} > now() + ${span})`;
