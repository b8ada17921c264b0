import type { Region } from '@berth/client';
import { platforms, type Platform } from '@berth/contract/values';

/** A region as a choice: with its capacity, and what its hosts offer. */
export interface Place {
  id: number;
  label: string;
  free: number;
  platforms: readonly Platform[];
}

/** The regions in which a terminal can be created, most capacity first. */
export const toPlaces = (regions: readonly Region[]): Place[] =>
  regions
    .map(({ id, label, free_places: free = 0, platforms: offered = [] }) => ({
      id,
      label,
      free,
      platforms: platforms.filter((platform) => offered.includes(platform)),
    }))
    .sort((a, b) => b.free - a.free || a.id - b.id);
