import { Link, useParams } from '@tanstack/react-router';
import { Download, ShieldAlert } from 'lucide-react';
import { isGone } from '../../../data/query-client.ts';
import { saveFile } from '../../../data/save-file.ts';
import { Button } from '../../../parts/button.tsx';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { PageHead } from '../../../parts/page-head.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Card, Sheet } from '../../../parts/surfaces.tsx';
import { Time } from '../../../parts/time.tsx';
import { pageTexts } from '../../../texts/page-texts.ts';
import { BreachBody, Outcome } from '../breach-body.tsx';
import { AfterCard } from './after-card.tsx';
import { useEvidence } from './breach-data.ts';
import { ChainCard } from './chain-card.tsx';
import { DoneCard } from './done-card.tsx';
import type { Evidence } from './evidence.ts';
import { RuleCard } from './rule-card.tsx';
import { SeenCard } from './seen-card.tsx';

const words = pageTexts.breach;

const Crumb = () => (
  <>
    <Link to="/risk">{pageTexts.risk.title}</Link>
    {' / '}
    <Link to="/risk" search={{ tab: 'breaches' }}>
      {pageTexts.risk.tabs.breaches}
    </Link>
  </>
);

const Gone = () => (
  <>
    <PageHead title={words.gone} crumb={<Crumb />} />
    <Sheet>
      <EmptyState
        icon={<ShieldAlert aria-hidden="true" />}
        title={words.gone}
        action={
          <Link to="/risk" search={{ tab: 'breaches' }} className="button" data-kind="primary">
            {words.toList}
          </Link>
        }
      >
        {words.goneText}
      </EmptyState>
    </Sheet>
  </>
);

const Shown = ({ evidence, text }: { evidence: Evidence; text: string }) => {
  const { breach } = evidence;
  const address: string = `/terminals/${breach.terminal_id}?tab=trading`;
  return (
    <>
      <PageHead
        title={words.title(breach.terminal_name, breach.rule_name)}
        crumb={<Crumb />}
        tools={
          <>
            <Link to={address} className="button">
              {words.toTerminal}
            </Link>
            <Button icon={<Download />} onClick={() => saveFile(words.file(breach.id), text, 'application/jsonl')}>
              {words.download}
            </Button>
          </>
        }
      >
        <Outcome breach={breach} />
        <p className="say">
          {words.decided} <Time at={breach.decided_at} as="exact" />
        </p>
      </PageHead>
      <div className="stack">
        <Card className="breach">
          <BreachBody breach={breach} />
        </Card>
        <SeenCard evidence={evidence} />
        <div className="split">
          <DoneCard evidence={evidence} />
          <div className="stack">
            <RuleCard evidence={evidence} />
            <AfterCard evidence={evidence} />
          </div>
        </div>
        <ChainCard evidence={evidence} />
      </div>
    </>
  );
};

const OfId = ({ id }: { id: string }) => {
  const { data, error, refetch } = useEvidence(id);
  if (isGone(error) || (data && !data.evidence)) return <Gone />;
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data?.evidence ? (
        <Shown evidence={data.evidence} text={data.text} />
      ) : error === null ? (
        <Skeleton className="h-64 w-full" />
      ) : null}
    </>
  );
};

/** A breach as a trader and a firm read it the same way: what was seen, decided, done and left. */
export const BreachPage = () => {
  const { id } = useParams({ from: '/in/risk/breaches/$id' });
  return <OfId key={id} id={id} />;
};
