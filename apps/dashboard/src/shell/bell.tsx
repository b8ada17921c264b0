import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../data/action.ts';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { Button } from '../parts/button.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../parts/menu.tsx';
import { Time } from '../parts/time.tsx';
import { pageTexts } from '../texts/page-texts.ts';
import { isUrgent, toLine, toNews } from './news.ts';

const MAX_SHOWN = 8;
/** How many of the newest are counted. */
const MAX_READ = 100;

const useUnread = () =>
  useQuery({
    queryKey: keys.notifications.unread,
    queryFn: ({ signal }) => berth.account.notifications.page({ unread: true, per_page: MAX_READ }, { signal }),
  });

/** Unread notifications, with the number of those that somebody should look at. Live events keep it up to date. */
export const Bell = () => {
  const [wasRead, setRead] = useState(false);
  const { data } = useUnread();
  // Successes are in the list, but nobody has to look at them.
  const urgent = data?.data.filter(isUrgent).length ?? 0;
  const isNothingUnread = data === undefined || data.data.length === 0;
  // The accessible name contains the visible text, or voice control could not find the button.
  const name = pageTexts.frame.bell(urgent > 99 ? pageTexts.frame.many : String(urgent));
  const readAll = useAction({
    run: () => berth.account.notifications.readAll(),
    done: (read: unknown[]) => pageTexts.frame.markedRead(read.length),
    touches: () => [keys.notifications.all],
    onDone: () => setRead(true),
  });
  const button = (
    <Button kind="bare" className="bell" aria-label={name} icon={<BellIcon />}>
      {urgent > 0 ? <span className="bell-count">{urgent > 99 ? pageTexts.frame.many : urgent}</span> : undefined}
    </Button>
  );
  return (
    <>
      <span className="sr-only" role="status">
        {urgent > 0 || wasRead ? name : ''}
      </span>
      <Menu trigger={button} side="top">
        {isNothingUnread ? <MenuNote>{pageTexts.frame.noNews}</MenuNote> : null}
        {toNews(data?.data ?? [], MAX_SHOWN).map((news) => (
          <MenuNote key={news.newest.id}>
            <span className={`block break-words ${isUrgent(news.newest) ? 'font-semibold text-ink' : 'text-ink-2'}`}>
              {toLine(news)}
            </span>
            <Time at={news.newest.created_at} />
          </MenuNote>
        ))}
        <MenuLine />
        <MenuItem
          onSelect={() => readAll.run(undefined)}
          whyNot={isNothingUnread ? pageTexts.frame.nothingUnread : undefined}
        >
          {pageTexts.frame.markAllRead}
        </MenuItem>
      </Menu>
    </>
  );
};
