import type { UserNotification } from '@berth/client';
import { pageTexts } from '../../texts/page-texts.ts';

/** A notification as a sentence; its data comes from the server, and may be empty. */
export const toNotificationText = ({ type, data }: UserNotification): string => {
  const name = typeof data.name === 'string' && data.name !== '' ? data.name : pageTexts.frame.notifications.unnamed;
  const count = typeof data.count === 'number' && data.count > 1 ? pageTexts.frame.notifications.times(data.count) : '';
  return pageTexts.frame.notifications.kinds[type](name) + count;
};
