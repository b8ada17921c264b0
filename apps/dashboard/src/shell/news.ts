import type { UserNotification } from '@berth/client';
import { pageTexts } from '../texts/page-texts.ts';
import { toNotificationText } from './notification-text.ts';

/** Notifications of one kind. */
export interface News {
  newest: UserNotification;
  count: number;
}

/** What went as it should: nobody has to do anything. */
const successes: ReadonlySet<UserNotification['type']> = new Set([
  'App\\Notifications\\TerminalReady',
  'App\\Notifications\\TerminalDestroyed',
  'App\\Notifications\\AlertResolved',
]);

/** Whether somebody should look. */
export const isUrgent = ({ type }: UserNotification): boolean => !successes.has(type);

/**
 * One line for each kind: a hundred of one kind hide none of another. First what somebody should look at, the newest of
 * each first.
 */
export const toNews = (notifications: readonly UserNotification[], most: number): News[] => {
  const news = new Map<string, News>();
  for (const notification of notifications) {
    const known = news.get(notification.type);
    if (known) known.count += 1;
    else news.set(notification.type, { newest: notification, count: 1 });
  }
  const lines = [...news.values()];
  return [...lines.filter(({ newest }) => isUrgent(newest)), ...lines.filter(({ newest }) => !isUrgent(newest))].slice(
    0,
    most,
  );
};

export const toLine = ({ newest, count }: News): string => {
  const sentence = toNotificationText(newest);
  return count === 1 ? sentence : pageTexts.frame.notifications.andOthers(sentence, count - 1);
};
