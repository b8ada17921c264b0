/**
 * Detects when a step has had all its consequences. Between two steps everything runs on microtasks and, in batchers,
 * on turns of the event loop; time is virtual, so nothing else is ever waited for. Turns are given out here for that,
 * which is why one process runs one world at a time.
 *
 * Node.js runs all microtasks after each immediate. So a turn costs an immediate, not a walk around the event loop with
 * its questions to the operating system: many of them are ordered at once. A step costs no promise either.
 */
const nextTurn = globalThis.setImmediate;
/** Turns that are ordered at once. Those that are not taken any more at the end of a world pass unused. */
const TURNS = 256;

let ordered = 0;
const asked: (() => void)[] = [];
let onQuiet: (() => void) | undefined;

const takeTurn = (): void => {
  ordered -= 1;
  const run = asked.shift() ?? onQuiet;
  run?.();
  if (onQuiet) orderTurns();
};

/** There has to be a turn for the caller, and one after it to see that all is quiet. */
const orderTurns = (): void => {
  if (ordered > asked.length) return;
  for (let count = 0; count < TURNS; count += 1) nextTurn(takeTurn);
  ordered += TURNS;
};

globalThis.setImmediate = ((run: () => void) => {
  asked.push(run);
  orderTurns();
}) as typeof setImmediate;

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * Calls `step` each time when nothing happens any more until time goes on, for as long as it says that it goes on itself.
 * Rejects with what it throws.
 */
export const whileQuiet = (step: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    onQuiet = () => {
      try {
        if (step()) return;
        resolve();
      } catch (error) {
        reject(toError(error));
      }
      onQuiet = undefined;
    };
    orderTurns();
  });
