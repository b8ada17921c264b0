import type { UserNotification } from '@berth/client';
import { pageTexts } from '../texts/page-texts.ts';
import { toNotificationText } from './notification-text.ts';

/** Notifications of one kind. */
export interface News {
  newest: UserNotification;
  count: number;
}

/** One line for each kind, in the order of their newest: a hundred of one kind hide none of another. Newest first. */
export const toNews = (notifications: readonly UserNotification[], most: number): News[] => {
  const news = new Map<string, News>();
  for (const notification of notifications) {
    const known = news.get(notification.type);
    if (known) known.count += 1;
    else news.set(notification.type, { newest: notification, count: 1 });
  }
  return [...news.values()].slice(0, most);
};

export const toLine = ({ newest, count }: News): string => {
  const sentence = toNotificationText(newest);
  return count === 1 ? sentence : pageTexts.frame.notifications.andOthers(sentence, count - 1);
};
