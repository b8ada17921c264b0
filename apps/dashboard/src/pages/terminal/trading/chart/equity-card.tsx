import type { TradingAccount } from '@berth/client';
import { useMemo, useState } from 'react';
import { Chips } from '../../../../parts/chips.tsx';
import { useNow } from '../../../../parts/clock.ts';
import { Failure } from '../../../../parts/failure.tsx';
import { DealMark } from '../../../../parts/money/side.tsx';
import { formatDecimal } from '../../../../parts/money/format.ts';
import { Skeleton } from '../../../../parts/skeleton.tsx';
import { pageTexts } from '../../../../texts/page-texts.ts';
import { useAddress } from '../../address.ts';
import { chartPeriods, type ChartPeriod, type DealPeriod } from '../../search.ts';
import { toChartSpan, useDeals, useHistory } from '../trading-data.ts';
import { toCurve, type CurvePoint } from './curve.ts';
import type { RuleLine } from './lines.ts';
import { ChartTable } from './chart-table.tsx';
import { EquityChart } from './equity-chart.tsx';
import { toMarks } from './marks.ts';
import { withNow } from './points.ts';

const words = pageTexts.terminalTrading.chart;
const CLOCK_MS = 15_000;

const Legend = ({ isTable, onToggle }: { isTable: boolean; onToggle: () => void }) => (
  <div className="legend">
    <span>
      <svg className="swatch" viewBox="0 0 20 10" aria-hidden="true">
        <path d="M0 1h20v8H0z" fill="color-mix(in srgb, var(--info) 22%, transparent)" />
        <path d="M0 5h20" stroke="var(--info)" strokeWidth="1.6" />
      </svg>
      {words.legend.equity}
    </span>
    <span>
      <svg className="swatch" viewBox="0 0 20 10" aria-hidden="true">
        <path d="M0 7h10V3h10" fill="none" stroke="var(--ink-3)" strokeWidth="1.3" />
      </svg>
      {words.legend.balance}
    </span>
    <span>
      <DealMark kind="buy" />
      <DealMark kind="sell" />
      {words.legend.sides}
    </span>
    <span>
      <DealMark kind="gain" />
      <DealMark kind="loss" />
      {words.legend.results}
    </span>
    <button type="button" className="link" aria-expanded={isTable} onClick={onToggle}>
      {isTable ? words.asChart : words.asTable}
    </button>
  </div>
);

/** The list that has the deals of a period: the same that the tab shows at first, so that it is read once. */
const dealPeriodOf: Record<ChartPeriod, DealPeriod> = {
  today: 'week',
  day: 'week',
  week: 'month',
  month: 'year',
  year: 'year',
};

export interface EquityCardProps {
  account: TradingAccount;
  terminalId: string;
  lines: readonly RuleLine[];
}

const Plot = ({
  period,
  points,
  account,
  terminalId,
  lines,
}: EquityCardProps & { period: ChartPeriod; points: readonly CurvePoint[] }) => {
  const [isTable, setTable] = useState(false);
  const now = useNow(CLOCK_MS);
  const all = useMemo(() => withNow(points, account), [points, account]);
  const { from, step } = toChartSpan(period, now);
  // A little air at the right, so that the last point is not at the edge.
  const span = useMemo(() => ({ from, to: now + (now - from) * 0.02 }), [from, now]);
  const curve = useMemo(
    () => toCurve(all, { span, stepSeconds: step, lines, until: now }),
    [all, span, step, lines, now],
  );
  const { data: known } = useDeals(terminalId, dealPeriodOf[period]);
  const marks = useMemo(() => toMarks(known?.deals ?? [], span), [known, span]);
  const shown = useMemo(() => all.filter(({ at }) => Date.parse(at) >= span.from), [all, span]);
  if (!curve) return <p className="chart-none">{words.none}</p>;
  const label = words.label(words.period[period], `${formatDecimal(account.equity) ?? '–'} ${account.currency}`);
  return (
    <>
      <EquityChart
        curve={curve}
        points={shown}
        marks={marks}
        span={span}
        now={now}
        isCurrent={account.is_current}
        label={label}
      />
      <Legend isTable={isTable} onToggle={() => setTable(!isTable)} />
      {known?.isCut ? <p className="field-note">{words.manyDeals}</p> : null}
      {isTable ? <ChartTable points={shown} caption={words.caption(words.period[period])} now={now} /> : null}
    </>
  );
};

/** Equity and balance over a period. */
export const EquityCard = ({ account, terminalId, lines }: EquityCardProps) => {
  const { search, change } = useAddress();
  const { period = 'today' } = search;
  const { data, error, refetch } = useHistory(terminalId, period);
  return (
    <section className="card" aria-labelledby="equity-chart">
      <div className="card-head">
        <h2 id="equity-chart">{words.title}</h2>
        <Chips
          label={words.periods}
          values={chartPeriods}
          chosen={period}
          onChoose={(value) => change({ period: value === 'today' ? undefined : value }, { replace: true })}
        >
          {(value) => words.period[value]}
        </Chips>
      </div>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton className="chart-none" />
        ) : null
      ) : (
        <Plot period={period} points={data.points} account={account} terminalId={terminalId} lines={lines} />
      )}
    </section>
  );
};
