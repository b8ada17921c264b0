/** Source of the current time. Decisions take `now` as a parameter; only I/O code holds a clock. */
export interface Clock {
  /** The current time, milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
