import { useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useAlertChannels, useAlerts } from '../../data/alerts.ts';
import { CursorPager } from '../../parts/cursor-pager.tsx';
import { Listing } from '../../parts/listing.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { Incident } from './incident.tsx';

const words = pageTexts.alerts.open;
/** No event reports that a message was sent, or that somebody acknowledged by the link in one. */
const SENT_EVERY_MS = 5_000;

/** What is wrong at the moment: one card for each incident. */
export const OpenTab = () => {
  const { after } = useSearch({ from: '/in/alerts' });
  const navigate = useNavigate({ from: '/alerts' });
  const alerts = useAlerts({ status: 'open', after, everyMs: SENT_EVERY_MS });
  const { data } = alerts;
  const { data: channels } = useAlertChannels();
  return (
    <>
      <Listing
        reading={alerts}
        isBare
        empty={{ icon: <CircleCheck aria-hidden="true" />, title: words.none, children: words.noneText }}
      >
        {data === undefined ? <Skeleton className="h-40 w-full" /> : null}
        <ul className="grid gap-4" aria-label={words.list}>
          {data?.data.map((alert) => (
            <Incident key={alert.id} alert={alert} channels={channels} />
          ))}
        </ul>
      </Listing>
      <CursorPager
        isFirst={after === undefined}
        next={data?.pagination.next_cursor ?? null}
        onGo={(next) => void navigate({ search: next === undefined ? {} : { after: next } })}
      />
    </>
  );
};
