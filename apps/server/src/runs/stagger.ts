/** When the tasks of many terminals are due. */
import { MAX_PLANNED_DAYS } from '@berth/contract';
import { ValidationError } from '../errors.ts';

export interface Schedule {
  /** The first one's time; unset = now. */
  plannedAt?: Date | undefined;
  /** The interval between two tasks. */
  staggerSeconds?: number | undefined;
}

const MAX_PLANNED_MS = MAX_PLANNED_DAYS * 86_400_000;

/**
 * A time in the past, or none, means now: the intervals are counted from there.
 * @param count how many terminals there are
 * @returns when the task of each terminal is due, by its position, from 0
 * @throws ValidationError where the last one would be due too far ahead
 */
export const toPlan = (
  { plannedAt, staggerSeconds = 0 }: Schedule,
  now: Date,
  count: number,
): ((place: number) => Date | undefined) => {
  if (staggerSeconds === 0) return () => plannedAt;
  const nowMs = now.getTime();
  const first = Math.max(plannedAt?.getTime() ?? nowMs, nowMs);
  const toTime = (place: number): number => first + place * staggerSeconds * 1000;
  if (toTime(count - 1) > nowMs + MAX_PLANNED_MS) {
    const text = 'The stagger seconds field must not lead more than a year ahead.';
    throw ValidationError.of('stagger_seconds', text, 'Give an earlier planned_at, or fewer seconds.');
  }
  return (place) => new Date(toTime(place));
};
