/**
 * The id by which the server knows a change, so that what is said of it can be looked up in the log. The client tells it
 * with errors; with a success this notices it. When two changes overlap, neither is given one: a wrong id is worse than none.
 */
let underWay = 0;
let overlaps = false;
let lastId: string | undefined;

/** Called by `fetch` with every change that was answered. */
export const noteChange = (requestId: string | null): void => {
  lastId = requestId ?? undefined;
};

/** Carries a change out. @returns its outcome, with the id of its last request */
export const withRequestId = async <Outcome>(
  change: () => Promise<Outcome>,
): Promise<{ outcome: Outcome; requestId: string | undefined }> => {
  underWay += 1;
  if (underWay === 1) [overlaps, lastId] = [false, undefined];
  else overlaps = true;
  try {
    const outcome = await change();
    return { outcome, requestId: overlaps ? undefined : lastId };
  } finally {
    underWay -= 1;
  }
};
