import { periods } from '@berth/contract/values';
import { withoutFolder } from '../journal/journal-events.ts';
import { createBlock, findValue } from './chart-text.ts';
import { findFlags, type ChartForm } from './charts.ts';
import { findPeriod, toChartPeriod } from './period.ts';

/**
 * The known bits of `expertmode`. Terminals write 1, 5, 33, 35 and 37: the meaning of the others is undocumented, so
 * they are left alone. A new EA gets the one that newer builds set.
 */
const MODE_TRADE = 1;
const MODE_DLL = 2;
const NEW_MODE = 32;

const toExpertPath = (name: string): string => `Experts\\${name}.ex5`;

export const mt5Charts: ChartForm = {
  encoding: 'utf16le',
  periods,
  canAllowDll: true,
  isUnicode: true,
  expertsFirst: true,
  toExpertPath,
  toExpertName: withoutFolder,
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
  toExpertPairs: ({ name, path, allowsAlgoTrading, allowsDll }, former) => {
    const others = findFlags(former, 'expertmode', NEW_MODE) & ~(MODE_TRADE | MODE_DLL);
    const mode = others | (allowsAlgoTrading ? MODE_TRADE : 0) | (allowsDll ? MODE_DLL : 0);
    return [
      ['name', name],
      ['path', path],
      ['expertmode', String(mode)],
    ];
  },
  toWindow: () => {
    const items = ['name=Main', 'path=', 'apply=1', 'show_data=1', 'expertmode=0', 'fixed_height=-1'];
    return createBlock('window', ['height=100.000000', 'objects=0', createBlock('indicator', items)]);
  },
};
