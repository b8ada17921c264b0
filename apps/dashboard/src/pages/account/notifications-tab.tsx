import type { UserNotification } from '@berth/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useUnread } from '../../data/notifications.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { Listing, PagedListing } from '../../parts/listing.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Shape } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { isUrgent, toLine, toNews, toPlace, toTone, type News } from '../../parts/notifications/news.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useNotifications } from './account-data.ts';
import { NotificationSettingsDialog } from './notification-settings.tsx';

const words = pageTexts.account.notifications;

const Item = ({ news }: { news: News }) => {
  const { newest } = news;
  const isUnread = newest.read_at === null && isUrgent(newest);
  const place = toPlace(news);
  const line = <bdi>{toLine(news)}</bdi>;
  const read = useAction({
    run: () => berth.account.notifications.read(newest.id),
    done: () => words.readNow,
    touches: () => [keys.notifications.all],
  });
  return (
    <li className="news" data-unread={isUnread ? '' : undefined}>
      <Shape tone={toTone(newest)} />
      <p>
        {isUnread ? <span className="sr-only">{words.isUnread}: </span> : null}
        {place === undefined ? line : <Link {...place}>{line}</Link>}
        <small className="block">
          <Time at={newest.created_at} />
        </small>
      </p>
      {isUnread ? (
        <Button kind="bare" isBusy={read.isRunning} onClick={() => read.run(undefined)}>
          {words.read}
        </Button>
      ) : null}
    </li>
  );
};

/** Failures each on a line of their own, then what went well, a line for each kind. */
const List = ({ notifications }: { notifications: readonly UserNotification[] | undefined }) =>
  notifications === undefined ? (
    <Skeleton className="m-4 h-64" />
  ) : (
    <ul aria-label={words.list}>
      {toNews(notifications, { isEach: true }).map((one) => (
        <Item key={one.newest.id} news={one} />
      ))}
    </ul>
  );

const ReadAll = ({ isNothingUnread }: { isNothingUnread: boolean }) => {
  const readAll = useAction({
    run: () => berth.account.notifications.readAll(),
    done: (read: unknown[]) => pageTexts.frame.markedRead(read.length),
    touches: () => [keys.notifications.all],
  });
  return (
    <Button
      isBusy={readAll.isRunning}
      whyNot={isNothingUnread ? words.nothingUnread : undefined}
      onClick={() => readAll.run(undefined)}
    >
      {words.readAll}
    </Button>
  );
};

const icon = <BellOff aria-hidden="true" />;

const Everything = () => {
  const { page = 1 } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const notifications = useNotifications(page);
  return (
    <PagedListing
      reading={notifications}
      empty={{ icon, title: words.none, children: words.noneText }}
      page={page}
      onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
    >
      <List notifications={notifications.data?.data} />
    </PagedListing>
  );
};

export const NotificationsTab = () => {
  const { only } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const unread = useUnread();
  const [isOpen, setOpen] = useState(false);
  const urgent = unread.data?.filter(isUrgent);
  const choose = (next: 'unread' | undefined): void =>
    void navigate({ search: { tab: 'notifications', ...(next === undefined ? {} : { only: next }) } });
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Chips label={words.filter} values={[undefined, 'unread'] as const} chosen={only} onChoose={choose}>
          {(value) =>
            value === undefined ? (
              words.all
            ) : (
              <>
                {words.unread} <span className="figure">{urgent?.length ?? ''}</span>
              </>
            )
          }
        </Chips>
        <div className="ml-auto flex gap-2">
          <ReadAll isNothingUnread={unread.data?.length === 0} />
          <Button onClick={() => setOpen(true)}>{words.settings.open}</Button>
        </div>
      </div>
      {only === 'unread' ? (
        <Listing
          reading={{ ...unread, data: urgent }}
          empty={{ icon, title: words.noneUnread, children: words.noneUnreadText }}
        >
          <List notifications={urgent} />
        </Listing>
      ) : (
        <Everything />
      )}
      <NotificationSettingsDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
};
