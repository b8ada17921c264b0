/** Waits, or until the signal ends it. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true });
  });
