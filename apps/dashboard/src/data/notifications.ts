import { useQuery } from '@tanstack/react-query';
import { berth } from './berth.ts';
import { keys } from './keys.ts';

/** How many of the newest are looked at. */
const MAX_READ = 100;

/** The newest unread notifications, of the bell and of their page. Live events keep them up to date. */
export const useUnread = () =>
  useQuery({
    queryKey: keys.notifications.unread,
    queryFn: ({ signal }) => berth.account.notifications.page({ unread: true, per_page: MAX_READ }, { signal }),
    select: ({ data }) => data,
  });
