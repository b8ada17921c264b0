/** Live events for listeners that follow single objects, besides the cache: each is published once in every tab. */
import type { LiveEvent } from '@berth/client';

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();

/** @returns a function that stops listening */
export const watchEvents = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const publishEvent = (event: LiveEvent): void => {
  for (const listener of listeners) listener(event);
};
