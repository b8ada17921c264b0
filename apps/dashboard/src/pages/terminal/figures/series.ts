/** From rows of samples to lines: a step without measurements is a gap; the line does not bridge it. Pure. */
import type { Samples } from '@berth/client';
import type { Measure } from '../search.ts';

const columns: Record<Measure | 'link', Samples['columns'][number]> = {
  ping: 'ping_ms',
  memory: 'memory_mb',
  cpu: 'cpu_percent',
  link: 'link',
};

export interface Series {
  /** Unix seconds, one per step, without holes. */
  times: number[];
  values: (number | null)[];
}

type Sampled = Pick<Samples, 'columns' | 'rows' | 'step'>;

/**
 * One value for each step between the two times.
 * @param from Unix seconds
 * @param to Unix seconds
 */
export const toSeries = (
  { columns: names, rows, step }: Sampled,
  name: Measure | 'link',
  from: number,
  to: number,
): Series => {
  const [atColumn, column] = [names.indexOf('at'), names.indexOf(columns[name])];
  const stepSeconds = step * 60;
  const known = new Map(rows.map((row) => [row[atColumn] ?? NaN, row[column] ?? null]));
  const first = Math.ceil(from / stepSeconds) * stepSeconds;
  const count = Math.max(0, Math.floor((to - first) / stepSeconds) + 1);
  const times = Array.from({ length: count }, (_, index) => first + index * stepSeconds);
  return { times, values: times.map((time) => known.get(time) ?? null) };
};

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
