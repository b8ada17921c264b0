import type { AccountOverview, TradingAccount } from '@berth/client';
import type { ReactNode } from 'react';
import { withUnit } from '../../../parts/figure.tsx';
import { Amount, Result } from '../../../parts/money/amount.tsx';
import { minus, sum, toPercent } from '../../../data/decimal.ts';
import { formatDecimal, type AmountFormat } from '../../../parts/money/format.ts';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { InitialBalance } from './initial-balance.tsx';

const words = pageTexts.terminalTrading;

const Key = ({ name, value, note, isLead }: { name: string; value: ReactNode; note: ReactNode; isLead?: boolean }) => (
  <div className="key" data-lead={isLead ? '' : undefined}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd className="sub">{note}</dd>
  </div>
);

const toPercentText = (value: string | null | undefined, format: AmountFormat = {}): string => {
  const shown = formatDecimal(value, { digits: 2, ...format });
  return shown === undefined ? '–' : withUnit(shown, '%');
};

const Today = ({ overview, equity }: { overview: AccountOverview | undefined; equity: string }) => {
  const share = toPercent(overview?.result_today, minus(equity, overview?.result_today));
  return (
    <Key
      name={words.keys.today}
      value={<Result value={overview?.result_today} />}
      note={
        <>
          {share === undefined ? null : <span className="figure">{toPercentText(share, { isSigned: true })} </span>}
          {words.keys.sinceMidnight}
        </>
      }
    />
  );
};

export interface KeyFiguresProps {
  account: TradingAccount;
  overview: AccountOverview | undefined;
}

/** Equity first, and what it is made of; each says what it measures. */
export const KeyFigures = ({ account, overview }: KeyFiguresProps) => {
  const { keys } = words;
  const isAll = account.positions.length === account.positions_total;
  const lots = isAll ? formatDecimal(sum(account.positions.map(({ volume }) => volume))) : undefined;
  const drawdown = overview?.drawdown_today_percent;
  return (
    <dl className="keys" data-aged={account.is_current ? undefined : ''}>
      <Key
        isLead
        name={keys.equity}
        value={<Amount value={account.equity} currency={account.currency} />}
        note={keys.withOpen}
      />
      <Key name={keys.balance} value={<Amount value={account.balance} />} note={keys.withoutOpen} />
      <Key
        name={keys.floating}
        value={<Result value={account.profit} />}
        note={keys.positions(account.positions_total, lots)}
      />
      <Today overview={overview} equity={account.equity} />
      <Key
        name={keys.drawdown}
        value={toPercentText(drawdown === undefined ? undefined : drawdown.toFixed(2))}
        note={keys.belowPeak}
      />
      <Key
        name={keys.marginLevel}
        value={toPercentText(account.margin_level)}
        note={account.margin_level === null ? keys.nothingOpen : keys.free(formatDecimal(account.free_margin) ?? '–')}
      />
    </dl>
  );
};

const toLink = ({ connected, synchronized }: TradingAccount): string | undefined => {
  const { links } = words.margin;
  if (connected === null) return undefined;
  return connected ? (synchronized ? links.connected : links.synchronizing) : links.cut;
};

/** What is rarely looked at, beside the chart. */
export const MarginFacts = ({ account, terminalId }: { account: TradingAccount; terminalId: string }) => {
  const link = toLink(account);
  const { margin } = words;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [margin.margin, <Amount key="margin" value={account.margin} />],
    [margin.free, <Amount key="free" value={account.free_margin} />],
    [margin.credit, <Amount key="credit" value={account.credit} />],
    [margin.leverage, <span key="leverage" className="figure">{`1:${account.leverage}`}</span>],
    [margin.mode, margin.modes[account.margin_mode]],
    [
      margin.login,
      <bdi key="login" className="figure">
        {account.login}
      </bdi>,
    ],
    [margin.server, <bdi key="server">{account.server}</bdi>],
    ...(link === undefined ? [] : [[margin.link, link] as const]),
    ...(account.last_tick_at === null
      ? []
      : [[margin.lastPrice, <Time key="price" at={account.last_tick_at} />] as const]),
    [words.initial.name, <InitialBalance key="initial" account={account} terminalId={terminalId} />],
  ];
  return (
    <Card aria-label={margin.label} data-aged={account.is_current ? undefined : ''}>
      <dl className="facts margin-facts">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};
