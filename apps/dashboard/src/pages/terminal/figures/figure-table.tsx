import { withUnit } from '../../../parts/figure.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { toMoment, toZone } from '../../../parts/time.tsx';
import type { Measure, Range } from '../search.ts';
import { toParts, toSummary, type Series } from './series.ts';

const words = pageTexts.terminal.figures;
const PARTS = 12;

const toText = (value: number | null, unit: string): string =>
  value === null ? words.notMeasured : withUnit(value.toLocaleString(texts.locale, { maximumFractionDigits: 1 }), unit);

/** The line for people who cannot see it: a sentence, and a dozen figures. */
export const FigureTable = ({ series, measure, range }: { series: Series; measure: Measure; range: Range }) => {
  const summary = toSummary(series.values);
  if (!summary) return null;
  const [name, unit, time] = [words.measures[measure], words.units[measure], words.ranges[range]];
  const now = (series.times.at(-1) ?? 0) * 1000;
  return (
    <div className="sr-only">
      <p>
        {words.summary(
          name,
          time,
          ...([summary.low, summary.mean, summary.high].map((value) => toText(value, unit)) as [
            string,
            string,
            string,
          ]),
        )}
      </p>
      <table>
        <caption>{words.table(name, time)}</caption>
        <thead>
          <tr>
            <th scope="col">{words.time(toZone(now))}</th>
            <th scope="col">{name}</th>
          </tr>
        </thead>
        <tbody>
          {toParts(series, PARTS).map(({ from, value }) => (
            <tr key={from}>
              <th scope="row">{toMoment(from * 1000, now)}</th>
              <td>{toText(value, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
