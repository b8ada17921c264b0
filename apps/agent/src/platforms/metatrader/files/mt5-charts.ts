import { periods } from '@berth/contract/values';
import { findValue } from './chart-text.ts';
import type { ChartForm } from './charts.ts';
import { findPeriod, toChartPeriod } from './period.ts';

/**
 * The bits of `expertmode`. Newer builds set bit 32 as well (33, 35); its meaning is not documented, and every odd value
 * counts as "may trade".
 */
const MODE_TRADE = 1;
const MODE_DLL = 2;
const MODE_NEWER_BUILDS = 32;

const toExpertPath = (name: string): string => `Experts\\${name}.ex5`;

export const mt5Charts: ChartForm = {
  encoding: 'utf16le',
  periods,
  canAllowDll: true,
  expertsFirst: true,
  toExpertPath,
  findPeriod: (chart) =>
    findPeriod({
      type: Number(findValue(chart, 'period_type') ?? NaN),
      size: Number(findValue(chart, 'period_size') ?? NaN),
    }),
  toPeriodLines: (period) => {
    const { type, size } = toChartPeriod(period);
    return [`period_type=${type}`, `period_size=${size}`];
  },
  findExpert: (block, name) => {
    const mode = Number(findValue(block, 'expertmode') ?? 0);
    return {
      path: findValue(block, 'path') ?? toExpertPath(name),
      allowsAlgoTrading: (mode & MODE_TRADE) !== 0,
      allowsDll: (mode & MODE_DLL) !== 0,
    };
  },
  toExpertLines: ({ name, path, allowsAlgoTrading, allowsDll }) => {
    const mode = MODE_NEWER_BUILDS + (allowsAlgoTrading ? MODE_TRADE : 0) + (allowsDll ? MODE_DLL : 0);
    return [`name=${name}`, `path=${path}`, `expertmode=${mode}`];
  },
  toWindow: () => {
    const items = ['name=Main', 'path=', 'apply=1', 'show_data=1', 'expertmode=0', 'fixed_height=-1'];
    return { tag: 'window', items: ['height=100.000000', 'objects=0', { tag: 'indicator', items }] };
  },
};
