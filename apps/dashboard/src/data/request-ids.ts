/**
 * The id by which the server's log refers to a change. The client includes it in errors; for a success it is recorded
 * here. When two changes overlap, neither gets one: a wrong id is worse than none.
 */
let underWay = 0;
let overlaps = false;
let lastId: string | undefined;

/** Called by `fetch` with every change that was answered. */
export const noteChange = (requestId: string | null): void => {
  lastId = requestId ?? undefined;
};

/** Carries out a change. @returns its outcome, with the id of its last request */
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
