import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useAlertChannels, useAlerts } from '../../data/alerts.ts';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Incident } from './incident.tsx';

const words = pageTexts.alerts.open;
/** No event reports that a message was sent, or that somebody acknowledged by the link in one. */
const SENT_EVERY_MS = 5_000;

/** What is wrong at the moment: one card for each incident. */
export const OpenTab = () => {
  const { after } = useSearch({ from: '/in/alerts' });
  const navigate = useNavigate({ from: '/alerts' });
  const { data, error, refetch } = useAlerts({ status: 'open', after, everyMs: SENT_EVERY_MS });
  const { data: channels } = useAlertChannels();
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Skeleton className="h-40 w-full" /> : null}
      {data?.data.length === 0 ? (
        <Sheet>
          <EmptyState icon={<CircleCheck aria-hidden="true" />} title={words.none}>
            {words.noneText}
          </EmptyState>
        </Sheet>
      ) : (
        <ul className="grid gap-4" aria-label={words.list}>
          {data?.data.map((alert) => (
            <Incident key={alert.id} alert={alert} channels={channels} />
          ))}
        </ul>
      )}
      <CursorPager
        isFirst={after === undefined}
        next={data?.pagination.next_cursor ?? null}
        onGo={(next) => void navigate({ search: next === undefined ? {} : { after: next } })}
      />
    </>
  );
};
