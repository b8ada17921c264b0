import type { Host, HostSamples } from '@berth/client';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useNow } from '../../parts/clock.ts';
import { Chips } from '../../parts/chips.tsx';
import { Failure } from '../../parts/failure.tsx';
import { toSeriesOf } from '../../parts/series.ts';
import { SideSheet } from '../../parts/side-sheet.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { isolate } from '../../texts/isolate.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { rangeMs, useHostSamples, type Range } from './hosts-data.ts';

const words = pageTexts.hosts;
const MINUTE_MS = 60_000;
const ranges = Object.keys(rangeMs) as Range[];
type Measure = keyof typeof words.measures;
const measures = Object.keys(words.measures) as Measure[];

/** The chart library is loaded when a chart is first shown. */
const LineChart = lazy(async () => ({ default: (await import('../../parts/line-chart.tsx')).LineChart }));

const Graph = ({ samples, measure, range }: { samples: HostSamples; measure: Measure; range: Range }) => {
  const to = Math.floor(useNow(MINUTE_MS) / 1000);
  const { name, unit, per } = words.measures[measure];
  const series = useMemo(() => {
    const { times, values } = toSeriesOf(samples, measure, to - rangeMs[range] / 1000, to);
    return { times, values: values.map((value) => value && value / per) };
  }, [samples, measure, range, to, per]);
  const last = series.values.findLast((value) => value !== null);
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {last === undefined ? (
        <p className="plot-none">{words.nothingMeasured}</p>
      ) : (
        <>
          <p className="sr-only">{words.lastValue(`${Math.round(last * 10) / 10} ${unit}`)}</p>
          <Suspense fallback={<Skeleton className="plot" />}>
            <LineChart series={series} unit={unit} name={name} toTimeName={words.time} />
          </Suspense>
        </>
      )}
    </section>
  );
};

const Graphs = ({ host }: { host: Host }) => {
  const [range, setRange] = useState<Range>('day');
  const { data, error, refetch } = useHostSamples(host.id, range);
  return (
    <div className="grid gap-4">
      <Chips label={words.rangeLabel} values={ranges} chosen={range} onChoose={setRange}>
        {(value) => words.ranges[value]}
      </Chips>
      {error !== null && data === undefined ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined
        ? error === null && <Skeleton className="plot" />
        : measures.map((measure) => <Graph key={measure} samples={data} measure={measure} range={range} />)}
    </div>
  );
};

/** What a host had in use, beside the hosts. */
export const HostGraphs = ({ host, onClose }: { host: Host | undefined; onClose: () => void }) =>
  host === undefined ? null : (
    <SideSheet title={words.usageTitle(isolate(host.name))} isOpen onClose={onClose}>
      <Graphs key={host.id} host={host} />
    </SideSheet>
  );
