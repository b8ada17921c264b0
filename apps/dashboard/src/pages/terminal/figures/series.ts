/** From the samples of a terminal to lines, and what they come to. Pure. */
import type { Samples } from '@berth/client';
import { toSeriesOf, type Series } from '../../../parts/series.ts';
import type { Measure } from '../search.ts';

const columns: Record<Measure | 'link', Samples['columns'][number]> = {
  ping: 'ping_ms',
  memory: 'memory_mb',
  cpu: 'cpu_percent',
  link: 'link',
};

export type { Series } from '../../../parts/series.ts';

type Sampled = Pick<Samples, 'columns' | 'rows' | 'step'>;

/**
 * One value for each step between the two times.
 * @param from Unix seconds
 * @param to Unix seconds
 */
export const toSeries = (samples: Sampled, name: Measure | 'link', from: number, to: number): Series =>
  toSeriesOf(samples, columns[name], from, to);

export interface Summary {
  low: number;
  mean: number;
  high: number;
}

export const toSummary = (values: readonly (number | null)[]): Summary | undefined => {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const sum = known.reduce((all, value) => all + value, 0);
  return {
    low: known.reduce((least, value) => Math.min(least, value)),
    mean: sum / known.length,
    high: known.reduce((most, value) => Math.max(most, value)),
  };
};

export interface Part {
  /** Unix seconds. */
  from: number;
  /** Mean of the measurements in it; null where there were none. */
  value: number | null;
}

/** The same in a few equal parts. */
export const toParts = ({ times, values }: Series, count: number): Part[] => {
  const size = Math.ceil(values.length / count) || 1;
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) => ({
    from: times[index * size] ?? 0,
    value: toSummary(values.slice(index * size, (index + 1) * size))?.mean ?? null,
  }));
};
