/** From rows of samples to lines: a step without measurements is a gap; the line does not bridge it. Pure. */

export interface Series {
  /** Unix seconds, one per step, without holes. */
  times: number[];
  values: (number | null)[];
}

interface Sampled<Column extends string> {
  columns: readonly Column[];
  rows: readonly (readonly (number | null)[])[];
  /** Minutes of one row. */
  step: number;
}

/**
 * One value for each step between the two times.
 * @param from Unix seconds
 * @param to Unix seconds
 */
export const toSeriesOf = <Column extends string>(
  { columns, rows, step }: Sampled<Column>,
  name: NoInfer<Column>,
  from: number,
  to: number,
): Series => {
  const [atColumn, column] = [(columns as readonly string[]).indexOf('at'), columns.indexOf(name)];
  const stepSeconds = step * 60;
  const known = new Map(rows.map((row) => [row[atColumn] ?? NaN, row[column] ?? null]));
  const first = Math.ceil(from / stepSeconds) * stepSeconds;
  const count = Math.max(0, Math.floor((to - first) / stepSeconds) + 1);
  const times = Array.from({ length: count }, (_, index) => first + index * stepSeconds);
  return { times, values: times.map((time) => known.get(time) ?? null) };
};
