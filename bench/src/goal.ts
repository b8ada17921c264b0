import type { Bench } from './bench.ts';

/** Figures by name; a name ends in its unit. */
export type Figures = Record<string, number>;

export interface Goal {
  id: string;
  title: string;
  /** What one run measures, Berth and its peers in turn. */
  measure: (bench: Bench) => Promise<Figures[]>;
  /** What is compared with the targets, from the medians of all runs. */
  judge: (medians: Figures) => Judgement[];
}

export interface Judgement {
  what: string;
  value: number;
  goal: number;
  moonshot: number;
  /** 'least': the value should be at least the goal. */
  direction: 'least' | 'most';
}

/** Repeats a run. */
export const repeat = async <Value>(times: number, run: (index: number) => Promise<Value>): Promise<Value[]> => {
  const values: Value[] = [];
  for (let index = 0; index < times; index += 1) values.push(await run(index));
  return values;
};
