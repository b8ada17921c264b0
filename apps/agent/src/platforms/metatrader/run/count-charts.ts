import { UnsafeFileError } from '@berth/kit';
import type { Profile } from '../files/profile.ts';
import { selectExpertCharts, toExpertPlace } from '../tasks/select-charts.ts';
import { toPlaceKey } from './terminal-view.ts';

/** How many charts have an expert at a place, by the place's key. @returns undefined where the charts cannot be read */
export const countCharts = async (profile: Profile): Promise<ReadonlyMap<string, number> | undefined> => {
  try {
    const counts = new Map<string, number>();
    for (const chart of selectExpertCharts(await profile.listCharts(), {})) {
      const key = toPlaceKey(toExpertPlace(chart));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  } catch (error) {
    if (error instanceof UnsafeFileError) return undefined;
    throw error;
  }
};
