import type { AccountOverview, AccountTotals } from '@berth/client';
import { Figure, withUnit } from '../../parts/figure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Time } from '../../parts/time.tsx';
import { Amount, Result } from '../../parts/money/amount.tsx';
import { minus, toPercent } from '../../data/decimal.ts';
import { formatDecimal } from '../../parts/money/format.ts';
import { texts } from '../../texts/texts.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { MoneyColumn } from './columns.ts';

const words = pageTexts.terminals.money;

const Count = ({ value }: { value: number | undefined }) =>
  value === undefined ? (
    <Amount value={undefined} />
  ) : (
    <span className="figure">{value.toLocaleString(texts.locale)}</span>
  );

/** The result of the day, and how much that is of what the day began with. */
const Today = ({ result, equity }: { result: string; equity: string }) => {
  const share = toPercent(result, minus(equity, result));
  return (
    <>
      <Result value={result} />
      {share === undefined ? null : (
        <small className="figure pct">{withUnit(formatDecimal(share, { isSigned: true }) ?? '–', '%')}</small>
      )}
    </>
  );
};

const Equity = ({ account }: { account: AccountOverview }) => (
  <>
    <Amount value={account.equity} currency={account.currency} />
    {account.is_current ? null : (
      <small className="old-note">
        {words.asOf} <Time at={account.seen_at} />
      </small>
    )}
  </>
);

export interface MoneyCellProps {
  column: MoneyColumn;
  /** null: there is none; undefined: it is loading. */
  account: AccountOverview | null | undefined;
}

/** A figure of an account; old ones lose their colour and say of when they are. */
export const MoneyCell = ({ column, account }: MoneyCellProps) => {
  if (account === undefined) return <Skeleton className="ml-auto h-4 w-14" />;
  if (account === null) return <Amount value={undefined} />;
  if (column === 'equity') return <Equity account={account} />;
  if (column === 'today') return <Today result={account.result_today} equity={account.equity} />;
  if (column === 'drawdown') {
    return <Figure value={account.drawdown_today_percent} unit="%" digits={2} />;
  }
  if (column === 'profit') return <Result value={account.profit} />;
  return column === 'balance' ? <Amount value={account.balance} /> : <Count value={account.positions} />;
};

/** The same of all accounts of a currency. */
export const TotalCell = ({ column, totals }: { column: MoneyColumn; totals: AccountTotals }) => {
  if (column === 'equity') return <Amount value={totals.equity} currency={totals.currency} />;
  if (column === 'today') return <Today result={totals.result_today} equity={totals.equity} />;
  if (column === 'profit') return <Result value={totals.profit} />;
  if (column === 'balance') return <Amount value={totals.balance} />;
  return column === 'positions' ? <Count value={totals.positions} /> : null;
};
