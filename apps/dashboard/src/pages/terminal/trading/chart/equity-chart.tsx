import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { DealMark } from '../../../../parts/money/side.tsx';
import { formatDecimal } from '../../../../parts/money/format.ts';
import { toMoment, toTick } from '../../../../parts/time.tsx';
import { pageTexts } from '../../../../texts/page-texts.ts';
import { texts } from '../../../../texts/texts.ts';
import { findNearest, HEIGHT, toTimeTicks, WIDTH, type Curve, type CurvePoint, type Span } from './curve.ts';
import type { Mark, MarkedDeal } from './marks.ts';

const words = pageTexts.terminalTrading.chart;

const toPercent = (share: number): string => `${(share * 100).toFixed(2)}%`;
const toWhole = (value: number): string =>
  value.toLocaleString(texts.locale, { maximumFractionDigits: value >= 1000 ? 0 : 2 });
const toFigure = (text: string): string => formatDecimal(text) ?? '–';

export interface EquityChartProps {
  curve: Curve;
  points: readonly CurvePoint[];
  marks: readonly Mark[];
  span: Span;
  now: number;
  /** false: the last point is from then, and the figures are old. */
  isCurrent: boolean;
  label: string;
}

const Lines = ({ curve, cursor }: { curve: Curve; cursor: CurvePoint | undefined }) => {
  const limit = curve.lines.find(({ kind }) => kind === 'limit');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {limit ? <path className="forbidden" d={`M0 ${limit.y}H${WIDTH}V${HEIGHT}H0Z`} /> : null}
      <path className="grid-line" d={curve.ticks.map(({ place }) => `M0 ${place}H${WIDTH}`).join('')} />
      {curve.lines.map(({ kind, y }) => (
        <path key={kind} className={kind} d={`M0 ${y}H${WIDTH}`} />
      ))}
      <path className="band" d={curve.band} />
      <path className="balance" d={curve.balance} />
      <path className="equity" d={curve.equity} />
      {cursor ? <path className="cursor" d={`M${curve.toX(Date.parse(cursor.at))} 0V${HEIGHT}`} /> : null}
    </svg>
  );
};

const Dot = ({ curve, point, isOld }: { curve: Curve; point: CurvePoint; isOld: boolean }) => (
  <i
    className="chart-dot"
    data-aged={isOld ? '' : undefined}
    style={{
      left: toPercent(curve.toX(Date.parse(point.at)) / WIDTH),
      top: toPercent(curve.toY(Number(point.equity)) / HEIGHT),
    }}
  />
);

const Tip = ({ point, isLeft, now }: { point: CurvePoint; isLeft: boolean; now: number }) => (
  <div className="chart-tip" data-left={isLeft ? '' : undefined} aria-hidden="true">
    <dl>
      <dt>{words.time}</dt>
      <dd className="figure">{toMoment(Date.parse(point.at), now)}</dd>
      <dt>{words.equity}</dt>
      <dd className="figure">{toFigure(point.equity)}</dd>
      <dt>{words.low}</dt>
      <dd className="figure">{toFigure(point.equity_min)}</dd>
      <dt>{words.high}</dt>
      <dd className="figure">{toFigure(point.equity_max)}</dd>
      <dt>{words.balance}</dt>
      <dd className="figure">{toFigure(point.balance)}</dd>
    </dl>
  </div>
);

/** The scale, and the values of its lines on it; a round value that one of them covers is left out. */
const Scale = ({ curve, last, isOld }: { curve: Curve; last: CurvePoint | undefined; isOld: boolean }) => {
  const lastY = last ? curve.toY(Number(last.equity)) : -100;
  const taken = [...curve.lines.map(({ y }) => y), lastY];
  const free = curve.ticks.filter(({ place }) => taken.every((y) => Math.abs(y - place) > 16));
  return (
    <div className="chart-y" aria-hidden="true">
      {free.map(({ place, value }) => (
        <span key={value} style={{ top: toPercent(place / HEIGHT) }}>
          {toWhole(value)}
        </span>
      ))}
      {curve.lines.map(({ kind, y, value }) => (
        <b key={kind} data-kind={kind} style={{ top: toPercent(y / HEIGHT) }}>
          {formatDecimal(value, { digits: 0 })}
        </b>
      ))}
      {last ? (
        <b data-aged={isOld ? '' : undefined} style={{ top: toPercent(lastY / HEIGHT) }}>
          {formatDecimal(last.equity, { digits: 0 })}
        </b>
      ) : null}
    </div>
  );
};

const toDealText = ({ at, side, volume, symbol }: MarkedDeal, now: number): string =>
  `${toMoment(Date.parse(at), now)} ${side === 'sell' ? pageTexts.terminalTrading.sides.sell : pageTexts.terminalTrading.sides.buy} ${volume} ${symbol}`;

const toMarkText = ({ lane, deals, profit }: Mark, now: number): string => {
  const last = deals.at(-1);
  const what = last ? toDealText(last, now) : '';
  return lane === 'opened'
    ? words.openedDeals(deals.length, what)
    : words.closedDeals(deals.length, what, formatDecimal(profit, { isSigned: true }) ?? '–');
};

const Lane = ({ lane, marks, now }: { lane: Mark['lane']; marks: readonly Mark[]; now: number }) => (
  <>
    <div className="chart-lane" aria-hidden="true">
      {marks
        .filter((mark) => mark.lane === lane)
        .map((mark) => (
          <DealMark
            key={mark.place}
            kind={mark.kind}
            title={toMarkText(mark, now)}
            left={toPercent(mark.place)}
            isOpening={lane === 'opened'}
          />
        ))}
    </div>
    <div className="chart-lane-name" aria-hidden="true">
      {words[lane]}
    </div>
  </>
);

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -24, PageDown: 24 };

/** The point under the pointer, or where the arrow keys went. */
const useCursor = (points: readonly CurvePoint[], span: Span) => {
  const [at, setAt] = useState<string>();
  const index = at === undefined ? -1 : points.findIndex((point) => point.at === at);
  const move = (next: number): void => setAt(points[Math.min(points.length - 1, Math.max(0, next))]?.at);
  return {
    index,
    leave: () => setAt(undefined),
    onPointer: ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      setAt(points[findNearest(points, span, (clientX - left) / (width || 1))]?.at);
    },
    onKey: (event: KeyboardEvent) => {
      const last = points.length - 1;
      const from = index < 0 ? points.length : index;
      const step = steps[event.key];
      if (event.key === 'Escape') setAt(undefined);
      else if (event.key === 'Home') move(0);
      else if (event.key === 'End') move(last);
      else if (step !== undefined) move(from + step);
      else return;
      event.preventDefault();
    },
  };
};

const Words = ({ curve }: { curve: Curve }) =>
  curve.lines.map(({ kind, y }) => (
    <span key={kind} className="chart-word" data-kind={kind} style={{ top: toPercent(y / HEIGHT) }}>
      {kind === 'limit' ? words.limit : words.highWater}
    </span>
  ));

const toPointText = (point: CurvePoint, now: number): string =>
  words.point(
    toMoment(Date.parse(point.at), now),
    toFigure(point.equity),
    toFigure(point.equity_min),
    toFigure(point.equity_max),
    toFigure(point.balance),
  );

/**
 * Equity from its lowest to its highest, the balance, and the deals in lanes below. With the keyboard it is a slider
 * whose value is the point; all the points are in the table that can be shown beside it.
 */
export const EquityChart = ({ curve, points, marks, span, now, isCurrent, label }: EquityChartProps) => {
  const cursor = useCursor(points, span);
  const last = points.at(-1);
  const chosen = points[cursor.index];
  const shown = chosen ?? last;
  return (
    <div className="chart">
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${label} ${words.slider}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={cursor.index < 0 ? Math.max(0, points.length - 1) : cursor.index}
        aria-valuetext={shown ? toPointText(shown, now) : ''}
        onPointerMove={cursor.onPointer}
        onPointerLeave={cursor.leave}
        onKeyDown={cursor.onKey}
        onBlur={cursor.leave}
      >
        <Lines curve={curve} cursor={chosen} />
        {curve.gaps.map(({ from, to, span: gap }) => (
          <span
            key={from}
            className="chart-gap"
            title={words.gap(toMoment(gap.from, now), toMoment(gap.to, now))}
            style={{ left: toPercent(from), width: toPercent(to - from) }}
          />
        ))}
        <Words curve={curve} />
        {last ? <Dot curve={curve} point={last} isOld={!isCurrent} /> : null}
        {chosen ? <Dot curve={curve} point={chosen} isOld={false} /> : null}
        {chosen ? <Tip point={chosen} now={now} isLeft={curve.toX(Date.parse(chosen.at)) > WIDTH / 2} /> : null}
      </div>
      <Scale curve={curve} last={last} isOld={!isCurrent} />
      <Lane lane="opened" marks={marks} now={now} />
      <Lane lane="closed" marks={marks} now={now} />
      <div className="chart-x" aria-hidden="true">
        {toTimeTicks(span, 9).map((at) => (
          <span key={at} style={{ left: toPercent((at - span.from) / (span.to - span.from || 1)) }}>
            {toTick(at)}
          </span>
        ))}
      </div>
    </div>
  );
};
