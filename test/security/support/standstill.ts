/**
 * The longest time for which the event loop of this process stood still while something was done: nobody else was served
 * in it. Time in which another process had the core does not count.
 * @returns milliseconds
 */
export const measureStandstill = async (work: () => Promise<unknown>): Promise<number> => {
  let longestMs = 0;
  let isOver = false;
  let turn = { atMs: performance.now(), cpu: process.cpuUsage() };
  const look = (): void => {
    const next = { atMs: performance.now(), cpu: process.cpuUsage() };
    const computedMs = (next.cpu.user - turn.cpu.user + next.cpu.system - turn.cpu.system) / 1000;
    longestMs = Math.max(longestMs, Math.min(next.atMs - turn.atMs, computedMs));
    turn = next;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    look();
  }
  return longestMs;
};
