import type { Period } from '@berth/contract/values';
import { createBlock, findValue } from './chart-text.ts';
import { findFlags, type ChartForm } from './charts.ts';

/** The nine periods of MetaTrader 4, by the minutes that its charts write. */
const minutesOf: Partial<Record<Period, number>> = {
  M1: 1,
  M5: 5,
  M15: 15,
  M30: 30,
  H1: 60,
  H4: 240,
  D1: 1_440,
  W1: 10_080,
  MN1: 43_200,
};
const periods = Object.keys(minutesOf) as Period[];

/**
 * The bits of `flags` are undocumented; 275, 279, 339, 343 and 347 have been observed. 343 is an EA that may trade and
 * 339 one that may not, so this bit is read and set. All others stay as the terminal wrote them, including the one for
 * DLLs, whichever it is.
 */
const FLAG_TRADE = 4;
const NEW_FLAGS = 339;

const toExpertPath = (name: string): string => `Experts\\${name}.ex4`;

export const mt4Charts: ChartForm = {
  encoding: 'utf8',
  periods,
  canAllowDll: false,
  isUnicode: false,
  expertsFirst: false,
  toExpertPath,
  toExpertName: (name) => name,
  findPeriod: (chart) => periods.find((period) => String(minutesOf[period]) === findValue(chart, 'period')?.trim()),
  toPeriodLines: (period) => [`period=${minutesOf[period] ?? ''}`],
  findExpert: (block, name) => ({
    path: toExpertPath(name),
    allowsAlgoTrading: (Number(findValue(block, 'flags') ?? 0) & FLAG_TRADE) !== 0,
    allowsDll: false,
  }),
  toExpertPairs: ({ name, allowsAlgoTrading }, former) => {
    const others = findFlags(former, 'flags', NEW_FLAGS) & ~FLAG_TRADE;
    return [
      ['name', name],
      ['flags', String(others | (allowsAlgoTrading ? FLAG_TRADE : 0))],
      ...(former ? [] : [['window_num', '0'] satisfies [string, string]]),
    ];
  },
  toWindow: () => createBlock('window', ['height=100', createBlock('indicator', ['name=main'])]),
};
