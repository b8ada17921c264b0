/** The points that a chart and its table show. Pure. */
import type { TradingAccount } from '@berth/client';
import { compare } from '../../../../data/decimal.ts';
import type { CurvePoint } from './curve.ts';

const TABLE_ROWS = 24;

/** The history, and the figures of this moment as its last point. */
export const withNow = (points: readonly CurvePoint[], account: TradingAccount): readonly CurvePoint[] => {
  const last = points.at(-1);
  if (last && Date.parse(last.at) >= Date.parse(account.seen_at)) return points;
  const { seen_at: at, balance, equity } = account;
  return [...points, { at, balance, equity, equity_min: equity, equity_max: equity }];
};

/** A few points for the table: of each part the lowest and the highest, and how it ended. */
export const toTableRows = (points: readonly CurvePoint[], count = TABLE_ROWS): CurvePoint[] => {
  const size = Math.ceil(points.length / count) || 1;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const part = points.slice(index * size, (index + 1) * size);
    const [first, last] = [part[0], part.at(-1)];
    if (!first || !last) return [];
    return [
      {
        at: first.at,
        balance: last.balance,
        equity: last.equity,
        equity_min: part.reduce(
          (least, { equity_min: low }) => (compare(low, least) < 0 ? low : least),
          first.equity_min,
        ),
        equity_max: part.reduce(
          (most, { equity_max: high }) => (compare(high, most) > 0 ? high : most),
          first.equity_max,
        ),
      },
    ];
  }).flat();
};
