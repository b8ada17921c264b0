/**
 * The clock of the server, as the `Date` of its answers gives it. What is new and how old something is goes by this one: the
 * clock of a browser may be hours wrong. `Date` has whole seconds, so each answer bounds the difference between the two
 * clocks, and several together give it more exactly.
 */

/** Milliseconds by which the server's clock is ahead of the browser's: not less, and not more. */
let [least, most] = [-Infinity, Infinity];

/** @param date the header of an answer @param sentAt when it was asked for, by the browser's clock */
export const noteServerDate = (date: string | null, sentAt: number, receivedAt = Date.now()): void => {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const [low, high] = [at - receivedAt, at + 1_000 - sentAt];
  // Where it contradicts what was known, one of the clocks was set.
  const isKnown = low <= most && high >= least;
  [least, most] = isKnown ? [Math.max(low, least), Math.min(high, most)] : [low, high];
};

/** The time, as the server has it: Unix milliseconds. */
export const serverNow = (): number => Date.now() + (Number.isFinite(least) ? Math.round((least + most) / 2) : 0);
