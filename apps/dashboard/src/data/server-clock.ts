/**
 * The server's clock, according to the `Date` of its answers. It determines what is new and how old something is: a
 * browser's clock may be hours off. `Date` has whole seconds, so each answer limits the possible difference between the
 * two clocks, and several together determine it more exactly.
 */

/** By how many milliseconds the server's clock is ahead of the browser's: at least, and at most. */
let [least, most] = [-Infinity, Infinity];

/** @param date the header of an answer @param sentAt when the request was sent, by the browser's clock */
export const noteServerDate = (date: string | null, sentAt: number, receivedAt = Date.now()): void => {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return;
  const [low, high] = [at - receivedAt, at + 1_000 - sentAt];
  // A contradiction means that one of the clocks was set.
  const isKnown = low <= most && high >= least;
  [least, most] = isKnown ? [Math.max(low, least), Math.min(high, most)] : [low, high];
};

/** The server's time: Unix milliseconds. */
export const serverNow = (): number => Date.now() + (Number.isFinite(least) ? Math.round((least + most) / 2) : 0);
