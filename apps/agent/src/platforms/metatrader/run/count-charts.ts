import { UnsafeFileError } from '@berth/kit';
import type { Profile } from '../files/profile.ts';
import type { Chart, ChartExpert } from '../files/charts.ts';
import type { ExpertPlace } from '../journal/journal-events.ts';
import { toPlaceKey } from './expert-roster.ts';

/** The place of the chart's EA, as the journal names it. */
export const toExpertPlace = ({ symbol, period }: Chart, { name }: ChartExpert): ExpertPlace => ({
  name,
  symbol,
  period: period ?? '',
});

/** How many charts have an EA at a place, by the place's key. @returns undefined where the charts cannot be read */
export const countCharts = async (profile: Profile): Promise<ReadonlyMap<string, number> | undefined> => {
  try {
    const counts = new Map<string, number>();
    for (const chart of await profile.listCharts()) {
      if (!chart.expert) continue;
      const key = toPlaceKey(toExpertPlace(chart, chart.expert));
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  } catch (error) {
    if (error instanceof UnsafeFileError) return undefined;
    throw error;
  }
};
