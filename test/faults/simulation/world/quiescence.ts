/**
 * Tells when a step has had all its consequences. Between two steps everything runs on microtasks and, in batchers, on
 * turns of the event loop; time is virtual, so nothing else is ever waited for. Immediates are counted for that, which is
 * why one process runs one world at a time.
 */
const nextTurn = globalThis.setImmediate;
let pending = 0;

globalThis.setImmediate = ((run: () => void) => {
  pending += 1;
  return nextTurn(() => {
    pending -= 1;
    run();
  });
}) as typeof setImmediate;

/** Resolves when nothing happens any more until time goes on. */
export const untilQuiet = async (): Promise<void> => {
  do await new Promise((resolve) => nextTurn(resolve));
  while (pending > 0);
};
