import type { Period } from '@berth/contract/values';
import type { TextEncoding } from './text-file.ts';
import { findBlock, findValue, listPairs, putBlock, type ChartBlock } from './chart-text.ts';

/** An expert as a chart file names it. */
export interface ChartExpert {
  name: string;
  /** The program, relative to the folder of all programs, with backslashes: `Experts\Name.ex5`. */
  path: string;
  allowsAlgoTrading: boolean;
  allowsDll: boolean;
  inputs: Record<string, string>;
}

export interface Chart {
  /** The number that the terminal keeps for the chart's whole life, whatever its file is called. */
  id: string | undefined;
  symbol: string;
  /** undefined where the file holds no period that we know. */
  period: Period | undefined;
  expert: ChartExpert | undefined;
}

/** How one program of the family writes what charts have in common. */
export interface ChartForm {
  encoding: TextEncoding;
  /** Those that the program knows. */
  periods: readonly Period[];
  /** False where it is not known how a chart allows an expert to call DLLs. */
  canAllowDll: boolean;
  expertsFirst: boolean;
  toExpertPath(name: string): string;
  findPeriod(chart: ChartBlock): Period | undefined;
  toPeriodLines(period: Period): string[];
  findExpert(block: ChartBlock, name: string): Omit<ChartExpert, 'name' | 'inputs'>;
  /** The lines of an expert but its inputs. @param former what stood in its place */
  toExpertLines(expert: ChartExpert, former: ChartBlock | undefined): string[];
  /** The block of the chart's main window. */
  toWindow(): ChartBlock;
}

const findExpert = (form: ChartForm, chart: ChartBlock): ChartExpert | undefined => {
  const block = findBlock(chart, 'expert');
  const name = block && findValue(block, 'name');
  if (!block || !name) return undefined;
  const inputs = findBlock(block, 'inputs');
  return { name, ...form.findExpert(block, name), inputs: inputs ? Object.fromEntries(listPairs(inputs)) : {} };
};

export const toChart = (form: ChartForm, block: ChartBlock): Chart => ({
  id: findValue(block, 'id'),
  symbol: findValue(block, 'symbol') ?? '',
  period: form.findPeriod(block),
  expert: findExpert(form, block),
});

const toExpertBlock = (form: ChartForm, expert: ChartExpert, former?: ChartBlock): ChartBlock => ({
  tag: 'expert',
  items: [
    ...form.toExpertLines(expert, former),
    { tag: 'inputs', items: Object.entries(expert.inputs).map(([name, value]) => `${name}=${value}`) },
  ],
});

/** Puts the expert on the chart, in the place of the one that may be there. */
export const putExpert = (form: ChartForm, chart: ChartBlock, expert: ChartExpert): void =>
  putBlock(chart, toExpertBlock(form, expert, findBlock(chart, 'expert')), { isFirst: form.expertsFirst });

/** The smallest chart that the terminal loads; it fills in the rest when it saves. */
export const createChartBlock = (
  form: ChartForm,
  { id, symbol, period, expert }: { id: string; symbol: string; period: Period; expert: ChartExpert },
): ChartBlock => {
  const blocks = [toExpertBlock(form, expert), form.toWindow()];
  return {
    tag: 'chart',
    items: [
      `id=${id}`,
      `symbol=${symbol}`,
      ...form.toPeriodLines(period),
      'windows_total=1',
      ...(form.expertsFirst ? blocks : blocks.reverse()),
    ],
  };
};
