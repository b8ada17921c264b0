import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../data/action.ts';
import { berth } from '../data/berth.ts';
import { keys } from '../data/keys.ts';
import { Button } from '../parts/button.tsx';
import { Menu, MenuItem, MenuLine, MenuNote } from '../parts/menu.tsx';
import { Time } from '../parts/time.tsx';
import { texts } from '../texts/texts.ts';
import { toNotificationText } from './notification-text.ts';

const MAX_SHOWN = 8;

const useUnread = () =>
  useQuery({
    queryKey: keys.notifications.unread,
    queryFn: ({ signal }) => berth.account.notifications.page({ unread: true, per_page: MAX_SHOWN }, { signal }),
  });

/** What is new, with its number. Live events keep it true. */
export const Bell = () => {
  const [wasRead, setRead] = useState(false);
  const { data } = useUnread();
  const unread = data?.pagination.total ?? 0;
  // The name has the words that are seen, or nobody could call the button by them.
  const name = texts.frame.bell(unread > 99 ? texts.frame.many : String(unread));
  const readAll = useAction({
    run: () => berth.account.notifications.readAll(),
    done: (read: unknown[]) => texts.frame.markedRead(read.length),
    touches: () => [keys.notifications.all],
    onDone: () => setRead(true),
  });
  const button = (
    <Button kind="bare" className="bell" aria-label={name} icon={<BellIcon />}>
      {unread > 0 ? <span className="bell-count">{unread > 99 ? texts.frame.many : unread}</span> : undefined}
    </Button>
  );
  return (
    <>
      <span className="sr-only" role="status">
        {unread > 0 || wasRead ? name : ''}
      </span>
      <Menu trigger={button} side="top">
        {unread === 0 ? <MenuNote>{texts.frame.noNews}</MenuNote> : null}
        {data?.data.map((notification) => (
          <MenuNote key={notification.id}>
            <span className="block text-ink break-words">{toNotificationText(notification)}</span>
            <Time at={notification.created_at} />
          </MenuNote>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => readAll.run(undefined)} whyNot={unread === 0 ? texts.frame.nothingUnread : undefined}>
          {texts.frame.markAllRead}
        </MenuItem>
      </Menu>
    </>
  );
};
