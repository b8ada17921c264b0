/** One clock for all relative times on the page. */
import { useSyncExternalStore } from 'react';
import { serverNow } from '../data/server-clock.ts';

const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = (): void => {
  // A hidden page is not updated.
  if (document.visibilityState === 'hidden') return;
  now = serverNow();
  for (const listener of listeners) listener();
};

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/**
 * The server's time.
 * @param stepMs the required precision: what is shown in minutes is not rendered each second
 */
export const useNow = (stepMs = TICK_MS): number =>
  useSyncExternalStore(watch, () => Math.floor(now / stepMs) * stepMs);
