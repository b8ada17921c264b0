/**
 * Tasks that were created in this tab and have not ended: their results are shown when they end, even on another tab of
 * the page. At most 50 are followed; older ones are only in the list.
 */
import { useSyncExternalStore } from 'react';

export interface FollowedTask {
  terminalId: string;
  id: string;
}

const MAX_FOLLOWED = 50;

let followed: readonly FollowedTask[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly FollowedTask[]): void => {
  followed = next;
  for (const listener of listeners) listener();
};

export const follow = (terminalId: string, id: string): void => {
  if (!followed.some((task) => task.id === id)) set([...followed, { terminalId, id }].slice(-MAX_FOLLOWED));
};

export const unfollow = (id: string): void => set(followed.filter((task) => task.id !== id));

const watch = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useFollowed = (): readonly FollowedTask[] => useSyncExternalStore(watch, () => followed);
