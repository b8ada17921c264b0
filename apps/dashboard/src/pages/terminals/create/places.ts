import type { Region } from '@berth/client';
import { platforms, type Platform } from '@berth/contract/values';

/** A region as a choice: with its capacity, and what its hosts offer. */
export interface Place {
  id: number;
  label: string;
  free: number;
  /** It takes no new terminals. */
  isClosed: boolean;
  platforms: readonly Platform[];
}

/** The regions, most capacity first, and those last that take no new terminals. */
export const toPlaces = (regions: readonly Region[]): Place[] =>
  regions
    .map(({ id, label, free_places: free = 0, platforms: offered = [], accepts_terminals: accepts = true }) => ({
      id,
      label,
      free,
      isClosed: !accepts,
      platforms: platforms.filter((platform) => offered.includes(platform)),
    }))
    .sort((a, b) => Number(a.isClosed) - Number(b.isClosed) || b.free - a.free || a.id - b.id);
