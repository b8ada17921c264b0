import type { RiskRule, RiskState, Terminal, TradingAccount } from '@berth/client';
import { useMemo } from 'react';
import { useRiskRules, useRiskStates } from '../../../data/risk.ts';
import { useNow } from '../../../parts/clock.ts';
import { Failure } from '../../../parts/failure.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { AsOf, OldFigures } from './as-of.tsx';
import { EquityCard } from './chart/equity-card.tsx';
import { toLines } from './chart/lines.ts';
import { Deals } from './deals.tsx';
import { KeyFigures, MarginFacts } from './key-figures.tsx';
import { NoAccountData } from './no-data.tsx';
import { Orders, Positions } from './positions.tsx';
import { RulesCard } from './rules-card.tsx';
import { isWithoutData, useAccount, useAccountOverview, withAge } from './trading-data.ts';

const CLOCK_MS = 5_000;
const none: readonly never[] = [];

/** The rules that are on, and how they fare at this terminal. */
const useRulesOf = (terminalId: string): { rules: readonly RiskRule[]; states: readonly RiskState[] } => {
  const { data: rules } = useRiskRules();
  const { data: states } = useRiskStates(rules, terminalId);
  return { rules: rules ?? none, states: states ?? none };
};

const Shown = ({ terminal, account: read }: { terminal: Terminal; account: TradingAccount }) => {
  const now = useNow(CLOCK_MS);
  const account = useMemo(() => withAge(read, now), [read, now]);
  const { data: overview } = useAccountOverview(terminal.id);
  const { rules, states } = useRulesOf(terminal.id);
  const lines = useMemo(() => toLines(rules, states, account.equity), [rules, states, account.equity]);
  return (
    <>
      <OldFigures account={account} />
      <AsOf account={account} now={now} />
      <KeyFigures account={account} overview={overview?.data.accounts[0]} />
      <div className="split">
        <EquityCard account={account} terminalId={terminal.id} lines={lines} />
        <div className="stack">
          <RulesCard rules={rules} states={states} terminalId={terminal.id} isCurrent={account.is_current} />
          <MarginFacts account={account} terminalId={terminal.id} />
        </div>
      </div>
      <Positions account={account} now={now} />
      <Orders account={account} now={now} />
      <Deals terminalId={terminal.id} account={account} now={now} />
    </>
  );
};

/** The money of a terminal: live, as a chart, and every deal. */
export const TradingTab = ({ terminal }: { terminal: Terminal }) => {
  const { data, error, refetch } = useAccount(terminal.id);
  if (isWithoutData(error)) return <NoAccountData terminal={terminal} />;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <div className="grid gap-4" aria-busy="true">
            <Skeleton className="h-20 w-full" />
            <Skeleton className="chart-none" />
          </div>
        ) : null
      ) : (
        <Shown terminal={terminal} account={data} />
      )}
    </>
  );
};
