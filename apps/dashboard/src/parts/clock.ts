/** One clock for everything on the page that says how long ago something was. */
import { useSyncExternalStore } from 'react';
import { serverNow } from '../data/server-clock.ts';

const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = (): void => {
  // A page that nobody sees is not drawn.
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
 * The time, as the server has it.
 * @param stepMs how exact it has to be: what is shown in minutes is not drawn each second
 */
export const useNow = (stepMs = TICK_MS): number =>
  useSyncExternalStore(watch, () => Math.floor(now / stepMs) * stepMs);
