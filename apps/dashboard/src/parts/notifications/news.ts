/** Notifications as the bell and their page show them. */
import type { UserNotification } from '@berth/client';
import { linkOptions } from '@tanstack/react-router';
import type { Tone } from '../status-mark.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { toNotificationText } from './notification-text.ts';

const words = pageTexts.frame.notifications;

/** Notifications that are one line. */
export interface News {
  newest: UserNotification;
  /** Of how many things it tells. */
  count: number;
}

/** What went as it should: nobody has to do anything. */
const successes: ReadonlySet<UserNotification['type']> = new Set([
  'App\\Notifications\\TerminalReady',
  'App\\Notifications\\TerminalDestroyed',
  'App\\Notifications\\AlertResolved',
]);

/** Whether somebody should look. Nothing else counts as unread. */
export const isUrgent = ({ type }: UserNotification): boolean => !successes.has(type);

const tones: Partial<Record<UserNotification['type'], Tone>> = {
  'App\\Notifications\\TerminalReady': 'good',
  'App\\Notifications\\AlertResolved': 'good',
  'App\\Notifications\\TerminalDestroyed': 'rest',
  'App\\Notifications\\TokenCreated': 'rest',
  'App\\Notifications\\PasswordChanged': 'rest',
  'App\\Notifications\\TerminalDisconnected': 'cut',
  'App\\Notifications\\HostLost': 'cut',
};

/** How it looks: like the status that it reports. */
export const toTone = ({ type }: UserNotification): Tone => tones[type] ?? 'bad';

/**
 * A line for each kind: a hundred of one kind hide none of another. First what somebody should look at, the newest of
 * each first.
 * @param isEach each that somebody should look at has a line of its own
 */
export const toNews = (notifications: readonly UserNotification[], { isEach = false } = {}): News[] => {
  const groups = new Map<string, { newest: UserNotification; about: Set<unknown> }>();
  for (const notification of notifications) {
    const { id, type, data } = notification;
    const key = isEach && isUrgent(notification) ? id : type;
    const group = groups.get(key) ?? { newest: notification, about: new Set() };
    // The same terminal may become ready more than once.
    groups.set(key, { ...group, about: group.about.add(isUrgent(notification) ? id : (data.id ?? id)) });
  }
  const lines = [...groups.values()].map(({ newest, about }) => ({ newest, count: about.size }));
  return [...lines.filter(({ newest }) => isUrgent(newest)), ...lines.filter(({ newest }) => !isUrgent(newest))];
};

export const toLine = ({ newest, count }: News): string => {
  const sentence = toNotificationText(newest);
  if (count === 1) return sentence;
  return words.many[newest.type]?.(count) ?? words.andOthers(sentence, count - 1);
};

/** Where it leads to; undefined where there is nothing to look at. */
export const toPlace = ({ newest: { type, data }, count }: News) => {
  switch (type) {
    case 'App\\Notifications\\TaskFailed':
      return linkOptions({ to: '/tasks', search: { status: 'failed' } });
    case 'App\\Notifications\\AlertOpened':
    case 'App\\Notifications\\AlertResolved':
      return linkOptions({ to: '/alerts' });
    case 'App\\Notifications\\TokenCreated':
      return linkOptions({ to: '/account', search: { tab: 'tokens' } });
    case 'App\\Notifications\\WebhookDisabled':
      return count === 1 && typeof data.id === 'string'
        ? linkOptions({ to: '/account/webhooks/$id', params: { id: data.id } })
        : linkOptions({ to: '/account', search: { tab: 'webhooks' } });
    case 'App\\Notifications\\PasswordChanged':
      return linkOptions({ to: '/account', search: { tab: 'sessions' } });
    case 'App\\Notifications\\RiskBreached':
      return linkOptions({
        to: '/risk',
        search: { tab: 'breaches', ...(count === 1 && typeof data.id === 'string' ? { terminal: data.id } : {}) },
      });
    case 'App\\Notifications\\HostLost':
      return linkOptions({ to: '/terminals' });
    case 'App\\Notifications\\BackupFailed':
      return linkOptions({ to: '/overview' });
    case 'App\\Notifications\\TerminalDestroyed':
      return undefined;
    default:
      return count === 1 && typeof data.id === 'string'
        ? linkOptions({ to: '/terminals/$id', params: { id: data.id } })
        : linkOptions({ to: '/terminals' });
  }
};
