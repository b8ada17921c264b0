import type { RiskBreach } from '@berth/client';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Card, Sheet } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { BreachBody, Outcome } from './breach-body.tsx';
import { useBreaches } from './risk-data.ts';

const words = pageTexts.risk.breaches;

const Breach = ({ breach }: { breach: RiskBreach }) => {
  const address: string = `/terminals/${breach.terminal_id}?tab=trading`;
  return (
    <Card className="breach">
      <div className="breach-head">
        <div>
          <h2>
            <Link to={address} className="row-link">
              <bdi>{breach.terminal_name}</bdi>
            </Link>
          </h2>
          <p>
            <bdi>{breach.rule_name}</bdi>, <Time at={breach.decided_at} as="exact" />
          </p>
        </div>
        <Outcome breach={breach} />
      </div>
      <BreachBody breach={breach} />
      <Link
        to="/risk/breaches/$id"
        params={{ id: breach.id }}
        className="button"
        aria-label={words.evidenceOf(breach.terminal_name, breach.rule_name)}
      >
        {words.evidence}
      </Link>
    </Card>
  );
};

/** What was reached, and what was done about it and when. */
export const Breaches = ({ terminalId }: { terminalId: string | undefined }) => {
  const { data, error, refetch, showMore, isFetching } = useBreaches(terminalId);
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full" />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  }
  if (data.breaches.length === 0) {
    return (
      <Sheet>
        <EmptyState icon={<ShieldCheck aria-hidden="true" />} title={words.empty}>
          {words.emptyText}
        </EmptyState>
      </Sheet>
    );
  }
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data.breaches.map((breach) => (
        <Breach key={breach.id} breach={breach} />
      ))}
      {data.hasMore ? (
        <Button className="mt-4" isBusy={isFetching} onClick={showMore}>
          {words.more}
        </Button>
      ) : null}
    </>
  );
};
