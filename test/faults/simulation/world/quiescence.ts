/**
 * Tells when a step has had all its consequences. Between two steps everything runs on microtasks and, in batchers, on
 * turns of the event loop; time is virtual, so nothing else is ever waited for. Turns are given out here for that, which is
 * why one process runs one world at a time.
 *
 * Node.js runs all microtasks after each immediate. So a turn costs an immediate, not a walk around the event loop with its
 * questions to the operating system: many of them are ordered at once.
 */
const nextTurn = globalThis.setImmediate;
/** Turns that are ordered at once. Those that nobody takes any more at the end of a world pass unused. */
const TURNS = 256;

let ordered = 0;
const asked: (() => void)[] = [];
let onQuiet: (() => void) | undefined;

const takeTurn = (): void => {
  ordered -= 1;
  const run = asked.shift();
  if (run) return run();
  const resolve = onQuiet;
  onQuiet = undefined;
  resolve?.();
};

/** There has to be a turn for whoever asks: now, and after each of those that others take before. */
const orderTurns = (): void => {
  if (ordered > asked.length) return;
  for (let count = 0; count < TURNS; count += 1) nextTurn(takeTurn);
  ordered += TURNS;
};

globalThis.setImmediate = ((run: () => void) => {
  asked.push(run);
  orderTurns();
}) as typeof setImmediate;

/** Resolves when nothing happens any more until time goes on. */
export const untilQuiet = (): Promise<void> =>
  new Promise((resolve) => {
    onQuiet = resolve;
    orderTurns();
  });
