import type { Period } from '@berth/contract/values';
import { findBlock, findValue, listPairs, putBlock, type ChartBlock } from './chart-text.ts';
import { findPeriod, toChartPeriod } from './period.ts';

/** An expert as a chart file names it. */
export interface ChartExpert {
  name: string;
  /** The program, relative to MQL5, with backslashes: `Experts\Name.ex5`. */
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

/**
 * The bits of `expertmode`. Newer builds set bit 32 as well (33, 35); its meaning is not documented, and every odd value
 * counts as "may trade".
 */
const MODE_TRADE = 1;
const MODE_DLL = 2;
const MODE_NEWER_BUILDS = 32;

const toExpertMode = ({ allowsAlgoTrading, allowsDll }: ChartExpert): number =>
  MODE_NEWER_BUILDS + (allowsAlgoTrading ? MODE_TRADE : 0) + (allowsDll ? MODE_DLL : 0);

export const toExpertPath = (name: string): string => `Experts\\${name}.ex5`;

const findExpert = (chart: ChartBlock): ChartExpert | undefined => {
  const block = findBlock(chart, 'expert');
  const name = block && findValue(block, 'name');
  if (!block || !name) return undefined;
  const mode = Number(findValue(block, 'expertmode') ?? 0);
  const inputs = findBlock(block, 'inputs');
  return {
    name,
    path: findValue(block, 'path') ?? toExpertPath(name),
    allowsAlgoTrading: (mode & MODE_TRADE) !== 0,
    allowsDll: (mode & MODE_DLL) !== 0,
    inputs: inputs ? Object.fromEntries(listPairs(inputs)) : {},
  };
};

export const toChart = (block: ChartBlock): Chart => ({
  id: findValue(block, 'id'),
  symbol: findValue(block, 'symbol') ?? '',
  period: findPeriod({
    type: Number(findValue(block, 'period_type') ?? NaN),
    size: Number(findValue(block, 'period_size') ?? NaN),
  }),
  expert: findExpert(block),
});

const toExpertBlock = (expert: ChartExpert): ChartBlock => ({
  tag: 'expert',
  items: [
    `name=${expert.name}`,
    `path=${expert.path}`,
    `expertmode=${toExpertMode(expert)}`,
    { tag: 'inputs', items: Object.entries(expert.inputs).map(([name, value]) => `${name}=${value}`) },
  ],
});

/** Puts the expert on the chart, in the place of the one that may be there. */
export const putExpert = (chart: ChartBlock, expert: ChartExpert): void => putBlock(chart, toExpertBlock(expert));

/** The smallest chart that the terminal loads; it fills in the rest when it saves. */
export const createChartBlock = (chart: {
  id: string;
  symbol: string;
  period: Period;
  expert: ChartExpert;
}): ChartBlock => {
  const { type, size } = toChartPeriod(chart.period);
  const mainIndicator: ChartBlock = {
    tag: 'indicator',
    items: ['name=Main', 'path=', 'apply=1', 'show_data=1', 'expertmode=0', 'fixed_height=-1'],
  };
  return {
    tag: 'chart',
    items: [
      `id=${chart.id}`,
      `symbol=${chart.symbol}`,
      `period_type=${type}`,
      `period_size=${size}`,
      'windows_total=1',
      toExpertBlock(chart.expert),
      { tag: 'window', items: ['height=100.000000', 'objects=0', mainIndicator] },
    ],
  };
};
