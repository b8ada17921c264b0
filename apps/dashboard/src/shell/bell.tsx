import { useNavigate } from '@tanstack/react-router';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../data/action.ts';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { useUnread } from '../data/notifications.ts';
import { Button } from '../parts/button.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../parts/menu.tsx';
import { Shape } from '../parts/status-mark.tsx';
import { Time } from '../parts/time.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { isUrgent, toLine, toNews, toPlace, toTone, type News } from '../parts/notifications/news.ts';

const words = pageTexts.frame;
const MAX_SHOWN = 8;

/** One line, which leads to what it is about. */
const Line = ({ news }: { news: News }) => {
  const navigate = useNavigate();
  const place = toPlace(news);
  const line = (
    <span className="flex items-baseline gap-2 text-size-1">
      <Shape tone={toTone(news.newest)} />
      <span className="min-w-0">
        <span className={`block break-words ${isUrgent(news.newest) ? 'font-semibold text-ink' : 'text-ink-2'}`}>
          {toLine(news)}
        </span>
        <span className="text-ink-3">
          <Time at={news.newest.created_at} />
        </span>
      </span>
    </span>
  );
  if (place === undefined) return <MenuNote>{line}</MenuNote>;
  return <MenuItem onSelect={() => void navigate(place)}>{line}</MenuItem>;
};

/** Unread notifications, with the number of those that somebody should look at. */
export const Bell = () => {
  const [wasRead, setRead] = useState(false);
  const { data: unread } = useUnread();
  const navigate = useNavigate();
  // Successes are in the list, but nobody has to look at them.
  const urgent = unread?.filter(isUrgent).length ?? 0;
  const isNothingUnread = unread === undefined || unread.length === 0;
  // The accessible name contains the visible text, or voice control could not find the button.
  const name = words.bell(urgent > 99 ? words.many : String(urgent));
  const readAll = useAction({
    run: () => berth.account.notifications.readAll(),
    done: (read: unknown[]) => words.markedRead(read.length),
    touches: () => [keys.notifications.all],
    onDone: () => setRead(true),
  });
  const button = (
    <Button kind="bare" className="bell" aria-label={name} icon={<BellIcon />}>
      {urgent > 0 ? <span className="bell-count">{urgent > 99 ? words.many : urgent}</span> : undefined}
    </Button>
  );
  return (
    <>
      <span className="sr-only" role="status">
        {urgent > 0 || wasRead ? name : ''}
      </span>
      <Menu trigger={button} side="top">
        {isNothingUnread ? <MenuNote>{words.noNews}</MenuNote> : null}
        {toNews(unread ?? [])
          .slice(0, MAX_SHOWN)
          .map((news) => (
            <Line key={news.newest.id} news={news} />
          ))}
        <MenuLine />
        <MenuItem
          onSelect={() => readAll.run(undefined)}
          whyNot={isNothingUnread ? words.nothingUnread : undefined}
          isBusy={readAll.isRunning}
        >
          {words.markAllRead}
        </MenuItem>
        <MenuItem onSelect={() => void navigate({ to: '/account', search: { tab: 'notifications' } })}>
          {words.allNotifications}
        </MenuItem>
      </Menu>
    </>
  );
};
