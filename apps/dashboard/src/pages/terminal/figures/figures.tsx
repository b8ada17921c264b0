import type { Samples, Terminal } from '@berth/client';
import { lazy, Suspense, useMemo } from 'react';
import { useNow } from '../../../parts/clock.ts';
import { Chips } from '../../../parts/chips.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Figure } from '../../../parts/figure.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card, Fact } from '../../../parts/surfaces.tsx';
import { Moment } from '../../../parts/zone.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { useAddress } from '../address.ts';
import { measures, ranges, type Measure, type Range } from '../search.ts';
import { rangeMs, useSamples } from '../terminal-data.ts';
import { FigureTable } from './figure-table.tsx';
import { toSeries } from './series.ts';
import { UptimeStrip } from './uptime-strip.tsx';

const words = pageTexts.terminal.figures;
const MINUTE_MS = 60_000;

/** The chart library is loaded when a chart is first shown. */
const LineChart = lazy(async () => ({ default: (await import('../../../parts/line-chart.tsx')).LineChart }));

interface SpanProps {
  range: Range;
  /** When the terminal was created, if within the range. */
  since: string | undefined;
}

/** For the whole range, or since the terminal exists: three minutes must not look like a day. */
const UptimeName = ({ range, since }: SpanProps) =>
  since === undefined ? (
    words.uptime[range]
  ) : (
    <>
      {words.uptimeSince} <Moment at={since} />
    </>
  );

interface PlotProps extends SpanProps {
  samples: Samples;
  measure: Measure;
}

const Plot = ({ samples, range, measure, since }: PlotProps) => {
  const to = Math.floor(useNow(MINUTE_MS) / 1000);
  const from = to - rangeMs[range] / 1000;
  const series = useMemo(() => toSeries(samples, measure, from, to), [samples, measure, from, to]);
  const link = useMemo(() => toSeries(samples, 'link', from, to), [samples, from, to]);
  const isEmpty = series.values.every((value) => value === null);
  return (
    <>
      {isEmpty ? (
        <p className="plot-none">{words.nothing}</p>
      ) : (
        <Suspense fallback={<Skeleton className="plot" />}>
          <LineChart
            series={series}
            unit={words.units[measure]}
            name={words.measures[measure]}
            toTimeName={words.time}
          />
        </Suspense>
      )}
      <FigureTable series={series} measure={measure} range={range} />
      <UptimeStrip link={link} uptime={samples.uptime[range]} range={range} since={since} />
    </>
  );
};

/** How well the terminal was connected and what it used, as figures, a line and a strip. */
export const Figures = ({ terminal }: { terminal: Terminal }) => {
  const { search, change } = useAddress();
  const { range = 'day', measure = 'ping' } = search;
  const { data: samples, error, refetch } = useSamples(terminal.id, range);
  const now = useNow(MINUTE_MS);
  const since = Date.parse(terminal.created_at) > now - rangeMs[range] ? terminal.created_at : undefined;
  return (
    <Card aria-label={words.title} className="figures">
      <Fact value={<Figure value={samples?.uptime[range]} unit="%" digits={1} />}>
        <UptimeName range={range} since={since} />
      </Fact>
      <div className="flex flex-wrap justify-between gap-2">
        <Chips
          label={words.measureLabel}
          values={measures}
          chosen={measure}
          onChoose={(value) => change({ measure: value === 'ping' ? undefined : value }, { replace: true })}
        >
          {(value) => words.measures[value]}
        </Chips>
        <Chips
          label={words.rangeLabel}
          values={ranges}
          chosen={range}
          onChoose={(value) => change({ range: value === 'day' ? undefined : value }, { replace: true })}
        >
          {(value) => words.ranges[value]}
        </Chips>
      </div>
      {error !== null && samples === undefined ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {samples === undefined ? (
        error === null ? (
          <Skeleton className="plot" />
        ) : null
      ) : (
        <Plot samples={samples} range={range} measure={measure} since={since} />
      )}
    </Card>
  );
};
