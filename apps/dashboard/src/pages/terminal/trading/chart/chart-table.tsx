import { Amount } from '../../../../parts/money/amount.tsx';
import { toMoment } from '../../../../parts/time.tsx';
import { pageTexts } from '../../../../texts/page-texts.ts';
import type { CurvePoint } from './curve.ts';
import { toTableRows } from './points.ts';

const words = pageTexts.terminalTrading.chart;

/** The chart in figures. */
export const ChartTable = ({
  points,
  caption,
  now,
}: {
  points: readonly CurvePoint[];
  caption: string;
  now: number;
}) => (
  <div className="sheet mt-3">
    <table className="table" data-dense="">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{words.time}</th>
          {[words.equity, words.low, words.high, words.balance].map((name) => (
            <th key={name} scope="col" className="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {toTableRows(points).map((point) => (
          <tr key={point.at}>
            <td data-card="name" className="figure">
              {toMoment(Date.parse(point.at), now)}
            </td>
            <td data-card="end" className="num">
              <Amount value={point.equity} />
            </td>
            <td data-card="below" data-label={words.low} className="num">
              <Amount value={point.equity_min} />
            </td>
            <td data-card="right" data-label={words.high} className="num">
              <Amount value={point.equity_max} />
            </td>
            <td className="num">
              <Amount value={point.balance} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
