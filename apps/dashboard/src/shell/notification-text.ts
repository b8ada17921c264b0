import type { UserNotification } from '@berth/client';
import { texts } from '../texts/texts.ts';

/** A notification as a sentence; its data comes from the server, and may be empty. */
export const toNotificationText = ({ type, data }: UserNotification): string => {
  const name = typeof data.name === 'string' && data.name !== '' ? data.name : texts.notifications.unnamed;
  const count = typeof data.count === 'number' && data.count > 1 ? texts.notifications.times(data.count) : '';
  return texts.notifications.kinds[type](name) + count;
};
