import type { Deal, TradingAccount } from '@berth/client';
import { Check, Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAction } from '../../../data/action.ts';
import { serverNow } from '../../../data/server-clock.ts';
import { notify } from '../../../data/notices.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Amount, Result } from '../../../parts/money/amount.tsx';
import { Side } from '../../../parts/money/side.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Sheet } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { texts } from '../../../texts/texts.ts';
import { useAddress } from '../address.ts';
import { dealPeriods, type DealPeriod } from '../search.ts';
import { toDealDays, isTrade, type DealDay } from './deal-days.ts';
import { exportDeals, MAX_EXPORTED_DEALS } from './export-deals.ts';
import { Comment, Section } from './positions.tsx';
import { toSecond } from './as-of.tsx';
import type { ShownDeals } from './newest-deals.ts';
import { toDealStart, useDeals } from './trading-data.ts';

const words = pageTexts.terminalTrading.deals;
/** Rows that are shown at once; a day of a scalper has hundreds. */
const ROWS = 50;
const date = new Intl.DateTimeFormat(texts.locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

const What = ({ deal }: { deal: Deal }) =>
  deal.side === 'buy' || deal.side === 'sell' ? (
    <Side side={deal.side}>{words.kinds[deal.side]}</Side>
  ) : (
    <span>{words.types[deal.type]}</span>
  );

/** "out, stop loss" */
const toEntry = ({ entry, out_by: cause }: Deal): string =>
  cause === null ? words.entries[entry] : `${words.entries[entry]}, ${words.causes[cause]}`;

/** Nothing is earned by what only opens: a dash says so better than a zero. */
const Profit = ({ deal }: { deal: Deal }) =>
  deal.entry === 'in' && isTrade(deal) && /^-?0(?:\.0+)?$/.test(deal.profit) ? (
    <span className="none">–</span>
  ) : (
    <Result value={deal.profit} />
  );

const DealRow = ({ deal }: { deal: Deal }) => (
  <tr>
    <td className="num start">
      <Time at={deal.at} as="second" />
    </td>
    <td data-card="name">
      <b>
        <bdi>{deal.symbol === '' ? words.types[deal.type] : deal.symbol}</bdi>
      </b>
    </td>
    <td data-card="below">
      <What deal={deal} />{' '}
      <span className="card-only-line">
        {isTrade(deal) ? (
          <>
            <Amount value={deal.volume} /> {toEntry(deal)},{' '}
          </>
        ) : null}
        <Time at={deal.at} as="second" />
      </span>
    </td>
    <td className={deal.entry === 'in' ? 'none' : undefined}>{isTrade(deal) ? toEntry(deal) : ''}</td>
    <td className="num">{isTrade(deal) ? <Amount value={deal.volume} /> : null}</td>
    <td className="num" data-card={isTrade(deal) ? 'right' : undefined} data-label={words.at}>
      {isTrade(deal) ? <Amount value={deal.price} /> : null}
    </td>
    <td className="num from-desk">
      <Result value={deal.commission} />
    </td>
    <td className="num from-wide">
      <Result value={deal.fee} />
    </td>
    <td className="num from-desk">
      <Result value={deal.swap} />
    </td>
    <td className="num" data-card="end">
      <Profit deal={deal} />
    </td>
    <td className="num none from-wide">{deal.ticket}</td>
    <td className="clip-ea from-desk">
      <Comment comment={deal.comment} magic={deal.magic} />
    </td>
  </tr>
);

const DayRow = ({ day, now }: { day: DealDay; now: number }) => (
  <tr className="day-row">
    <td colSpan={4} data-card="name">
      <span className="day-name">
        {new Date(day.day).toDateString() === new Date(now).toDateString() ? words.today : date.format(day.day)}
      </span>{' '}
      <small>{words.count(day.deals.length)}</small>
    </td>
    <td className="num">
      <Amount value={day.volume} />
    </td>
    <td />
    <td className="num from-desk">
      <Result value={day.commission} />
    </td>
    <td className="num from-wide">
      <Result value={day.fee} />
    </td>
    <td className="num from-desk">
      <Result value={day.swap} />
    </td>
    <td className="num">
      <Result value={day.profit} />
    </td>
    <td className="from-wide" />
    <td data-card="end">
      <small>{words.net}</small> <Result value={day.net} />
    </td>
  </tr>
);

const { columns } = words;
const heads: readonly (readonly [string, string | undefined])[] = [
  [columns.time, undefined],
  [columns.symbol, undefined],
  [columns.side, undefined],
  [columns.entry, undefined],
  [columns.lots, 'num'],
  [columns.price, 'num'],
  [columns.commission, 'num from-desk'],
  [columns.fee, 'num from-wide'],
  [columns.swap, 'num from-desk'],
  [columns.profit, 'num'],
  [columns.ticket, 'num from-wide'],
  [columns.expert, undefined],
];

const Table = ({ deals, now }: { deals: readonly Deal[]; now: number }) => {
  const [rows, setRows] = useState(ROWS);
  const days = useMemo(() => toDealDays(deals), [deals]);
  const counts = days.map((_, index) => days.slice(0, index).reduce((all, day) => all + day.deals.length, 0));
  const left = deals.length - rows;
  return (
    <>
      <Sheet>
        <table className="table" data-dense="">
          <caption className="sr-only">{words.caption}</caption>
          <thead>
            <tr>
              {heads.map(([name, className]) => (
                <th key={name} scope="col" className={className}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {days.map((day, index) =>
            (counts[index] ?? 0) >= rows ? null : (
              <tbody key={day.day}>
                <DayRow day={day} now={now} />
                {day.deals.slice(0, rows - (counts[index] ?? 0)).map((deal) => (
                  <DealRow key={deal.ticket} deal={deal} />
                ))}
              </tbody>
            ),
          )}
        </table>
      </Sheet>
      {left > 0 ? (
        <button type="button" className="link mt-3" onClick={() => setRows(rows + ROWS * 4)}>
          {words.more(Math.min(left, ROWS * 4))}
        </button>
      ) : null}
    </>
  );
};

const Export = ({
  terminalId,
  account,
  period,
}: {
  terminalId: string;
  account: TradingAccount;
  period: DealPeriod;
}) => {
  const { run, isRunning } = useAction({
    run: (_: undefined) => exportDeals(terminalId, account.login, toDealStart(period, serverNow())),
    done: (count) => words.exported(count),
    onDone: (count) => {
      if (count >= MAX_EXPORTED_DEALS) notify({ kind: 'warning', text: words.exportCut(count) });
    },
  });
  return (
    <Button icon={<Download />} isBusy={isRunning} onClick={() => run(undefined)}>
      {words.export}
    </Button>
  );
};

const Complete = ({ until, now }: { until: string | null | undefined; now: number }) => {
  if (until === undefined) return null;
  if (until === null) return words.notComplete;
  return (
    <>
      <Check aria-hidden="true" className="inline h-3 w-3" /> {words.complete}{' '}
      <span className="figure">{toSecond(until, now)}</span>
    </>
  );
};

export interface DealsProps {
  terminalId: string;
  account: TradingAccount;
  now: number;
}

/** What was traded, by day, and as a file. */
export const Deals = ({ terminalId, account, now }: DealsProps) => {
  const { search, change } = useAddress();
  const { deals: period = 'week' } = search;
  const { data, error, refetch } = useDeals(terminalId, period);
  const shown: ShownDeals | undefined = data;
  return (
    <Section
      title={words.title}
      count={shown?.deals.length ?? 0}
      note={<Complete until={shown?.completeUntil} now={now} />}
      tools={
        <>
          <select
            className="input"
            data-compact=""
            aria-label={words.period}
            value={period}
            onChange={({ target: { value } }) =>
              change({ deals: value === 'week' ? undefined : (value as DealPeriod) }, { replace: true })
            }
          >
            {dealPeriods.map((value) => (
              <option key={value} value={value}>
                {words.periods[value]}
              </option>
            ))}
          </select>
          <Export terminalId={terminalId} account={account} period={period} />
        </>
      }
    >
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {shown?.isCut ? <p className="field-note mb-3">{words.cut(shown.deals.length)}</p> : null}
      {shown === undefined ? (
        error === null ? (
          <Skeleton className="h-40 w-full" />
        ) : null
      ) : shown.deals.length === 0 ? (
        <Sheet>
          <EmptyState title={words.none}>{words.noneText}</EmptyState>
        </Sheet>
      ) : (
        <Table deals={shown.deals} now={now} />
      )}
    </Section>
  );
};
