import type { Terminal, TerminalChart } from '@berth/client';
import { Puzzle } from 'lucide-react';
import { useState } from 'react';
import { Banner } from '../../../parts/banner.tsx';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StatusMark, type Tone } from '../../../parts/status-mark.tsx';
import { Card } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { whyNotNow } from '../../../data/create-task.ts';
import { useCharts } from '../terminal-data.ts';
import { InputsDialog, RemoveDialog, UpdateDialog, type ChartWithExpert } from './expert-dialogs.tsx';

const words = pageTexts.terminalExperts;

type Expert = NonNullable<TerminalChart['expert']>;

const tones: Record<Expert['state'], Tone> = { running: 'good', failed: 'bad', stopped: 'rest', unknown: 'wait' };

const hasExpert = (chart: TerminalChart): chart is ChartWithExpert => chart.expert !== null;

const ExpertFacts = ({ expert }: { expert: Expert }) => (
  <p className="expert-facts">
    <span>{words.inputs(Object.keys(expert.inputs).length)}</span>
    {expert.allow_algo_trading === null ? null : (
      <span>{expert.allow_algo_trading === 1 ? words.mayTrade : words.mayNotTrade}</span>
    )}
    {expert.allow_dll === 1 ? <span>{words.mayDll}</span> : null}
    {expert.sha256 === null ? null : (
      <span title={expert.sha256}>
        {words.program} <code className="figure">{expert.sha256.slice(0, 10)}</code>
      </span>
    )}
  </p>
);

type Doing = 'inputs' | 'update' | 'remove';

const ChartCard = ({ terminal, chart }: { terminal: Terminal; chart: TerminalChart }) => {
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const whyNot = whyNotNow(terminal, 'EA_UPDATE');
  const about = { terminalId: terminal.id, platform: terminal.platform };
  return (
    <Card className="chart-card">
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-baseline gap-x-3">
          <bdi className="clip">{chart.expert?.name ?? words.noExpert}</bdi>
          <span className="figure text-ink-3">
            <bdi>{chart.symbol}</bdi> {chart.period ?? words.noPeriod}
          </span>
        </h2>
        {chart.expert === null ? null : <ExpertFacts expert={chart.expert} />}
      </div>
      {hasExpert(chart) ? (
        <>
          <div>
            <StatusMark tone={tones[chart.expert.state]}>{words.states[chart.expert.state]}</StatusMark>
            {chart.expert.line === undefined ? null : (
              <p className="text-ink-3">
                <bdi>{chart.expert.line}</bdi>
              </p>
            )}
          </div>
          <div className="chart-tools">
            {(['inputs', 'update', 'remove'] as const).map((what) => (
              <Button
                key={what}
                kind={what === 'remove' ? 'danger' : 'quiet'}
                whyNot={whyNot}
                onClick={() => setDoing(what)}
              >
                {words.actions[what]}
              </Button>
            ))}
          </div>
          {doing === 'inputs' ? <InputsDialog {...about} chart={chart} onClose={close} /> : null}
          {doing === 'update' ? <UpdateDialog {...about} chart={chart} onClose={close} /> : null}
          {doing === 'remove' ? <RemoveDialog {...about} chart={chart} onClose={close} /> : null}
        </>
      ) : null}
    </Card>
  );
};

const Empty = ({ terminal, onInstall }: ChartsTabProps) => (
  <Card>
    <EmptyState
      icon={<Puzzle aria-hidden="true" />}
      title={words.empty}
      action={
        <Button kind="primary" whyNot={whyNotNow(terminal, 'EA_INSTALL')} onClick={onInstall}>
          {words.chooseFile}
        </Button>
      }
    >
      {words.emptyText}
    </EmptyState>
  </Card>
);

export interface ChartsTabProps {
  terminal: Terminal;
  onInstall: () => void;
}

/** The terminal's charts and their experts, as last reported by its host. */
export const ChartsTab = ({ terminal, onInstall }: ChartsTabProps) => {
  const { data, error, refetch } = useCharts(terminal.id);
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-40 w-full" />;
  return (
    <div className="grid gap-3">
      {data.truncated ? <Banner kind="warning">{words.truncated}</Banner> : null}
      <p className="text-ink-3">
        {data.seen_at === null ? (
          words.notSeen
        ) : (
          <>
            {words.seen} <Time at={data.seen_at} />
          </>
        )}
      </p>
      {data.data.map((chart) => (
        <ChartCard key={chart.chart_id} terminal={terminal} chart={chart} />
      ))}
      {data.data.some(hasExpert) ? null : <Empty terminal={terminal} onInstall={onInstall} />}
    </div>
  );
};
