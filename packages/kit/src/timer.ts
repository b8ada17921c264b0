/**
 * Calls back once after this many milliseconds, unless the returned function is called before; a parameter, like
 * `Timing`.
 */
export type SetTimer = (run: () => void, ms: number) => () => void;

export const setSystemTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
