import { useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import { withUnit } from './figure.tsx';
import { serverNow } from '../data/server-clock.ts';
import { toMoment, toTick, toZone } from './time.tsx';
import { texts } from '../texts/texts.ts';
import type { Series } from './series.ts';

const HEIGHT = 150;

export interface LineChartProps {
  series: Series;
  name: string;
  unit: string;
  /** What the time is called, with its zone. */
  toTimeName: (zone: string) => string;
}

interface Look {
  info: string;
  area: string;
  line: string;
  ink3: string;
  font: string;
}

const read = (): Look => {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  const info = get('--info');
  return { info, area: `${info}24`, line: get('--line'), ink3: get('--ink-3'), font: get('--font-figures') };
};

let look: Look | undefined;

const watch = (listener: () => void): (() => void) => {
  const observer = new MutationObserver(() => {
    look = undefined;
    listener();
  });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
};

/** The colour tokens for drawing on a canvas: read again when the theme changes. */
const useLook = (): Look => useSyncExternalStore(watch, () => (look ??= read()));

const toOptions = (
  width: number,
  { name, unit, toTimeName }: Omit<LineChartProps, 'series'>,
  look: Look,
): uPlot.Options => {
  const axis: uPlot.Axis = {
    stroke: look.ink3,
    font: `11px ${look.font}`,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
  };
  /** The point under the cursor; otherwise the last measurement. */
  const toIndex = ({ data }: uPlot, index: number | null): number =>
    index ?? data[1]?.findLastIndex((value) => typeof value === 'number') ?? -1;
  const toTime = (at: number | undefined): string => (at === undefined ? '–' : toMoment(at * 1000, serverNow()));
  const toText = (value: number | null | undefined): string =>
    value === null || value === undefined
      ? '–'
      : withUnit(value.toLocaleString(texts.locale, { maximumFractionDigits: 1 }), unit);
  return {
    width,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { show: true, live: true, markers: { show: false } },
    scales: { y: { range: (_, __, high) => [0, Math.max(high * 1.15, 1)] } },
    axes: [
      {
        ...axis,
        size: 26,
        values: (_, ticks) => ticks.map((at) => toTick(at * 1000)),
      },
      { ...axis, size: 46, values: (_, ticks) => ticks.map((tick) => tick.toLocaleString(texts.locale)) },
    ],
    series: [
      {
        value: (plot, _at, _series, index) => toTime(plot.data[0][toIndex(plot, index)]),
        label: toTimeName(toZone(serverNow())),
      },
      {
        label: name,
        stroke: look.info,
        fill: look.area,
        width: 1.5,
        spanGaps: false,
        points: { show: false },
        value: (plot, _value, _series, index) => toText(plot.data[1]?.[toIndex(plot, index)]),
      },
    ],
  };
};

/** A line with its axes. The canvas is hidden from screen readers: a table beside it has the same content. */
export const LineChart = ({ series, name, unit, toTimeName }: LineChartProps) => {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const look = useLook();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new uPlot(toOptions(element.clientWidth, { name, unit, toTimeName }, look), [[], []], element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [name, unit, toTimeName, look]);
  useEffect(() => {
    plot.current?.setData([series.times, series.values]);
  }, [series, name, unit, toTimeName, look]);
  return <div className="plot" ref={place} aria-hidden="true" />;
};
