import { periods, type Period } from '@berth/contract/values';

/** A period as chart files write it: the type 0 counts minutes, 1 hours, 2 weeks, 3 months. */
export interface ChartPeriod {
  type: number;
  size: number;
}

const DAY_HOURS = 24;

export const toChartPeriod = (period: Period): ChartPeriod => {
  if (period === 'MN1') return { type: 3, size: 1 };
  if (period === 'W1') return { type: 2, size: 1 };
  if (period === 'D1') return { type: 1, size: DAY_HOURS };
  return { type: period.startsWith('H') ? 1 : 0, size: Number(period.slice(1)) };
};

const byChartPeriod = new Map(
  periods.map((period) => {
    const { type, size } = toChartPeriod(period);
    return [`${type}:${size}`, period] as const;
  }),
);

/** @returns undefined for a pair that is not a period */
export const findPeriod = ({ type, size }: ChartPeriod): Period | undefined => byChartPeriod.get(`${type}:${size}`);

/** Names of the long periods in captions and journals. */
const longNames: Partial<Record<Period, string>> = { D1: 'Daily', W1: 'Weekly', MN1: 'Monthly' };

/** The caption of a chart's window, and its line in MetaTrader 4's `order.wnd`: `EURUSD,H1` or `EURUSD,Daily`. */
export const toCaption = ({ symbol, period }: { symbol: string; period: Period | undefined }): string =>
  `${symbol},${period ? (longNames[period] ?? period) : ''}`;
