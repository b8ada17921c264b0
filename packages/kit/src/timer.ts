/** Calls back once after so many milliseconds, unless the function that it answers is called before; a parameter, as `Timing` is. */
export type SetTimer = (run: () => void, ms: number) => () => void;

export const setSystemTimer: SetTimer = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
