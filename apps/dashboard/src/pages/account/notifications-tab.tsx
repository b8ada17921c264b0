import type { UserNotification } from '@berth/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { BellOff } from 'lucide-react';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { Chips } from '../../parts/chips.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Sheet } from '../../parts/surfaces.tsx';
import { Time } from '../../parts/time.tsx';
import { toNotificationText } from '../../shell/notification-text.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import { useNotifications } from './account-data.ts';

const words = pageTexts.account.notifications;

const Item = ({ notification }: { notification: UserNotification }) => {
  const isUnread = notification.read_at === null;
  const read = useAction({
    run: () => berth.account.notifications.read(notification.id),
    done: () => words.readNow,
    touches: () => [keys.notifications.all],
  });
  return (
    <li className="news" data-unread={isUnread ? '' : undefined}>
      <i aria-hidden="true" />
      <p>
        {isUnread ? <span className="sr-only">{words.isUnread}: </span> : null}
        <bdi>{toNotificationText(notification)}</bdi>
        <small className="block">
          <Time at={notification.created_at} />
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

const List = ({ news, isOnlyUnread }: { news: readonly UserNotification[] | undefined; isOnlyUnread: boolean }) => {
  if (news === undefined) return <Skeleton className="m-4 h-64" />;
  if (news.length === 0) {
    return (
      <EmptyState icon={<BellOff aria-hidden="true" />} title={isOnlyUnread ? words.noneUnread : words.none}>
        {isOnlyUnread ? words.noneUnreadText : words.noneText}
      </EmptyState>
    );
  }
  return (
    <ul aria-label={words.list}>
      {news.map((notification) => (
        <Item key={notification.id} notification={notification} />
      ))}
    </ul>
  );
};

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

export const NotificationsTab = () => {
  const { page = 1, only } = useSearch({ from: '/in/account' });
  const navigate = useNavigate({ from: '/account' });
  const { data, error, refetch } = useNotifications(page, only === 'unread');
  const unread = useNotifications(1, true).data;
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
                {words.unread} <span className="figure">{unread?.pagination.total ?? ''}</span>
              </>
            )
          }
        </Chips>
        <div className="ml-auto">
          <ReadAll isNothingUnread={unread?.pagination.total === 0} />
        </div>
      </div>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {error !== null && data === undefined ? null : (
        <Sheet>
          <List news={data?.data} isOnlyUnread={only === 'unread'} />
        </Sheet>
      )}
      <Pager
        page={page}
        lastPage={data?.pagination.last_page ?? 1}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
      />
    </>
  );
};
